"""LangChain's client of the vendor's form: chat, streams, tools, structured answers and embeddings."""

import os

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from pydantic import BaseModel, Field

base, key = os.environ["STOA_URL"], os.environ["STOA_MODEL_KEY"]
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own
chat = ChatGoogleGenerativeAI(
    model="gemini-2.5-flash", api_key=key, base_url=base, temperature=0, max_retries=1,
    max_output_tokens=300 if pulled else 8192,
)

answer = chat.invoke([SystemMessage("Be brief."), HumanMessage("repeat: bye now")])
assert pulled and answer.content or answer.content == "bye now" and answer.usage_metadata["output_tokens"] == 2, answer
chunks = list(chat.stream("Tell me a story", max_output_tokens=60))
text = "".join(c.content for c in chunks)
assert len(chunks) > 3 and (pulled or text.startswith("Under the painted porch")), text
batch = [a.content for a in chat.batch(["repeat: one", "repeat: two"])]
assert pulled and all(batch) or batch == ["one", "two"], batch


@tool
def get_weather(city_name: str) -> str:
    """The weather in a city."""
    return f"sky_state of {city_name}: clear"


asked = [HumanMessage("Weather in Rome?")]
answer = chat.bind_tools([get_weather], tool_choice="any").invoke(asked)
call = answer.tool_calls[0]
assert call["name"] == "get_weather" and call["args"]["city_name"], answer
asked += [answer, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])]
answer = chat.bind_tools([get_weather]).invoke(asked)
assert pulled and (answer.content or answer.tool_calls) or "sky_state" in answer.content, answer


class Person(BaseModel):
    """A user."""

    name: str = Field(max_length=20)
    age: int


class Adult(Person):
    """A user of age."""

    age: int = Field(ge=18)


person = chat.with_structured_output(Adult, method="json_schema").invoke("a person")
assert isinstance(person, Adult) and (person.age == 18 or pulled), person
# The client leaves bounds out of a function's parameters.
person = chat.with_structured_output(Person, method="function_calling").invoke("a person")
assert isinstance(person, Person) and person.name, person

embeddings = GoogleGenerativeAIEmbeddings(model="models/gemini-embedding-001", api_key=key, base_url=base)
assert len(embeddings.embed_query("a cat")) > 99
assert len(embeddings.embed_documents(["a cat", "a feline"])) == 2
