"""LangChain's client of the vendor's form: chat, streams, tools, structured answers and embeddings."""

import os

from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI, GoogleGenerativeAIEmbeddings
from pydantic import BaseModel, Field

base, key = os.environ["STOA_URL"], os.environ["STOA_MODEL_KEY"]
chat = ChatGoogleGenerativeAI(
    model="gemini-2.5-flash", api_key=key, base_url=base, temperature=0, max_retries=1, max_output_tokens=8192
)

answer = chat.invoke([SystemMessage("Be brief."), HumanMessage("repeat: bye now")])
assert answer.content == "bye now" and answer.usage_metadata["output_tokens"] == 2, answer
chunks = list(chat.stream("Tell me a story"))
text = "".join(c.content for c in chunks)
assert len(chunks) > 3 and text.startswith("Under the painted porch"), text
assert [a.content for a in chat.batch(["repeat: one", "repeat: two"])] == ["one", "two"]


@tool
def get_weather(city_name: str) -> str:
    """The weather in a city."""
    return f"sky_state of {city_name}: clear"


asked = [HumanMessage("Weather in Rome?")]
answer = chat.bind_tools([get_weather], tool_choice="any").invoke(asked)
call = answer.tool_calls[0]
assert call["name"] == "get_weather" and call["args"]["city_name"], answer
asked += [answer, ToolMessage(get_weather.invoke(call["args"]), tool_call_id=call["id"])]
assert "sky_state" in chat.bind_tools([get_weather]).invoke(asked).content


class Person(BaseModel):
    """A user."""

    name: str
    age: int


class Adult(Person):
    """A user of age."""

    age: int = Field(ge=18)


person = chat.with_structured_output(Adult, method="json_schema").invoke("a person")
assert isinstance(person, Adult) and person.age == 18, person
# The client leaves bounds out of a function's parameters.
person = chat.with_structured_output(Person, method="function_calling").invoke("a person")
assert isinstance(person, Person) and person.name, person

embeddings = GoogleGenerativeAIEmbeddings(model="models/gemini-embedding-001", api_key=key, base_url=base)
assert len(embeddings.embed_query("a cat")) > 99
assert len(embeddings.embed_documents(["a cat", "a feline"])) == 2
