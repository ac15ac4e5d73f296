"""LiteLLM asks in the vendor's form and in the other one: reasoning effort, streams, tools, embeddings and refusals."""

import json
import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or it asks the network for prices

import litellm

base, key = os.environ["STOA_URL"], os.environ["STOA_MODEL_KEY"]
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own
vendor = {"model": "gemini/gemini-2.5-flash", "api_base": base + "/v1beta", "api_key": key}
other = {"model": "openai/gemini-2.5-flash", "api_base": base + "/v1", "api_key": key}
tools = [
    {
        "type": "function",
        "function": {
            "name": "get_weather", "description": "the weather in a city",
            "parameters": {"type": "object", "properties": {"city_name": {"type": "string"}}, "required": ["city_name"]},
        },
    }
]


def said(text):
    return [{"role": "user", "content": text}]


for form in (vendor, other):
    answer = litellm.completion(messages=said("repeat: bye now"), max_tokens=60, **form)
    text = answer.choices[0].message.content
    assert pulled and text or text == "bye now" and answer.usage.completion_tokens == 2, answer
    chunks = list(litellm.completion(messages=said("Tell me a story"), stream=True, max_tokens=60, **form))
    text = "".join(c.choices[0].delta.content or "" for c in chunks)
    assert len(chunks) > 3 and (pulled or text.startswith("Under the painted porch")), text
    answer = litellm.completion(messages=said("Weather in Rome?"), tools=tools, tool_choice="required", **form)
    call = answer.choices[0].message.tool_calls[0]
    assert call.function.name == "get_weather" and json.loads(call.function.arguments)["city_name"], answer
    asked = said("Weather in Rome?") + [
        answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": '{"sky_state": "clear"}'}
    ]
    message = litellm.completion(messages=asked, tools=tools, max_tokens=120, **form).choices[0].message
    assert pulled and (message.content or message.tool_calls) or "sky_state" in message.content, message
    try:
        litellm.completion(messages=said("Hello"), num_retries=0, **{**form, "api_key": "wrong"})
    except (litellm.AuthenticationError, litellm.BadRequestError) as refused:
        assert refused.message, refused
    else:
        raise AssertionError("a wrong key was taken")

for effort in ("low", "high"):
    answer = litellm.completion(messages=said("repeat: bye now"), reasoning_effort=effort, max_tokens=200, **vendor)
    text = answer.choices[0].message.content
    assert pulled and text or text == "bye now", answer
made = litellm.embedding(
    model="gemini/gemini-embedding-001", input=["a cat", "a feline"], api_base=base + "/v1beta", api_key=key
)
assert len(made.data) == 2, made
