"""The OpenAI client talks to Stoa's other form: chat, streams, tools, schemas, responses, embeddings, models, errors."""

import json
import os

import openai

base, key = os.environ["STOA_URL"], os.environ["STOA_MODEL_KEY"]
model = "gemini-2.5-flash"
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own


def says(text, words):
    return bool(text) if pulled else text == words


def tells(text):
    return bool(text) if pulled else text.startswith("Under the painted porch")


def is_adult(text):
    age = json.loads(text)["age"]
    return age == 18 or pulled and age > 18


client = openai.OpenAI(base_url=base + "/v1", api_key=key, max_retries=0)

answer = client.chat.completions.create(
    model=model, max_tokens=50, temperature=0,
    messages=[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "repeat: bye now"}],
)
assert says(answer.choices[0].message.content, "bye now"), answer
assert pulled or answer.choices[0].finish_reason == "stop" and answer.usage.completion_tokens == 2, answer
assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens, answer.usage

chunks = list(
    client.chat.completions.create(
        model=model, stream=True, stream_options={"include_usage": True}, max_tokens=60,
        messages=[{"role": "user", "content": "Tell me a story"}],
    )
)
text = "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)
assert len(chunks) > (3 if pulled else 9) and tells(text), (len(chunks), text)
assert chunks[-1].usage.completion_tokens > 9, chunks[-1]

tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather", "description": "the weather in a city",
            "parameters": {"type": "object", "properties": {"city_name": {"type": "string"}}, "required": ["city_name"]},
        },
    }
]
asked = [{"role": "user", "content": "Weather in Rome?"}]
answer = client.chat.completions.create(model=model, messages=asked, tools=tools, tool_choice="required")
call = answer.choices[0].message.tool_calls[0]
assert call.function.name == "get_weather" and json.loads(call.function.arguments)["city_name"], call
assert answer.choices[0].finish_reason == "tool_calls", answer
asked += [answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": '{"sky_state": "clear"}'}]
answer = client.chat.completions.create(model=model, messages=asked, tools=tools, max_tokens=120)
message = answer.choices[0].message
assert pulled and (message.content or message.tool_calls) or "sky_state" in message.content, answer

with client.chat.completions.stream(model=model, messages=asked[:1], tools=tools, tool_choice="required") as events:
    for _ in events:
        pass
    whole = events.get_final_completion()
assert whole.choices[0].message.tool_calls[0].function.name == "get_weather", whole

schema = {
    "type": "object", "required": ["age"], "additionalProperties": False,
    "properties": {"age": {"type": "integer", "minimum": 18}},
}
answer = client.chat.completions.create(
    model=model, messages=[{"role": "user", "content": "a person"}],
    response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": schema, "strict": True}},
)
assert is_adult(answer.choices[0].message.content), answer

answer = client.responses.create(model=model, instructions="Be brief.", input="repeat: bye now", max_output_tokens=60)
assert says(answer.output_text, "bye now") and (pulled or answer.status == "completed"), answer
with client.responses.stream(model=model, input="Tell me a story", max_output_tokens=60 if pulled else 600) as events:
    seen = list(events)
kinds = [e.type for e in seen]
assert kinds[0] == "response.created", kinds
assert kinds[-1] == "response.completed" or pulled and kinds[-1] == "response.incomplete", kinds
assert tells(seen[-1].response.output_text), seen[-1]
answer = client.responses.create(
    model=model, input="Weather in Rome?", tool_choice="required", tools=[{"type": "function", **tools[0]["function"]}]
)
assert answer.output[0].type == "function_call" and answer.output[0].name == "get_weather", answer

# The client asks for base64 by itself and turns it into numbers.
made = client.embeddings.create(model="text-embedding-004", input=["a cat", "a feline"])
assert len(made.data) == 2 and len(made.data[0].embedding) == 768 and made.data[1].index == 1, made

listed = [m.id for m in client.models.list()]
assert "stoa-script" in listed and client.models.retrieve("stoa-script").id == "stoa-script", listed

for wrong, kind in (
    (lambda: client.with_options(api_key="wrong").models.list(), openai.AuthenticationError),
    (lambda: client.chat.completions.create(model="unheard-of", messages=asked[:1]), openai.NotFoundError),
    (lambda: client.chat.completions.create(model=model, messages=[]), openai.BadRequestError),
):
    try:
        wrong()
    except kind as refused:
        assert refused.message and refused.body, refused
    else:
        raise AssertionError(f"not refused as {kind}")
