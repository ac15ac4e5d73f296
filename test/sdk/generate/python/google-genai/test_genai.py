"""The vendor's own Python client: chat, streams, functions, schemas, files, caches, counts, embeddings and models."""

import asyncio
import io
import json
import os

from google import genai
from google.genai import errors, types

model = "gemini-2.5-flash"
options = types.HttpOptions(base_url=os.environ["STOA_URL"])
client = genai.Client(api_key=os.environ["STOA_MODEL_KEY"], http_options=options)
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own


def says(text, words):
    return bool(text) if pulled else text == words



talk = client.chats.create(
    model=model, config=types.GenerateContentConfig(system_instruction="Be brief.", max_output_tokens=60)
)
talk.send_message("Hello")
answer = talk.send_message("repeat: bye now")
assert says(answer.text, "bye now") and len(talk.get_history()) == 4, answer
short = types.GenerateContentConfig(max_output_tokens=60)
chunks = list(client.models.generate_content_stream(model=model, contents="Tell me a story", config=short))
text = "".join(c.text or "" for c in chunks)
assert len(chunks) > (3 if pulled else 9) and (pulled and text or text.startswith("Under the painted porch")), chunks
thought = types.GenerateContentConfig(max_output_tokens=200, thinking_config=types.ThinkingConfig(thinking_budget=128))
assert says(client.models.generate_content(model=model, contents="repeat: bye now", config=thought).text, "bye now")


def get_weather(city_name: str) -> dict:
    """The weather in a city."""
    return {"sky_state": "clear over " + city_name}


# The client calls the function and asks again by itself.
answer = client.models.generate_content(
    model=model, contents="Weather in Rome? Use get_weather.", config=types.GenerateContentConfig(tools=[get_weather], max_output_tokens=120)
)
assert answer.automatic_function_calling_history and (pulled or "sky_state" in answer.text), answer
answer = client.models.generate_content(
    model=model, contents="a person",
    config=types.GenerateContentConfig(
        response_mime_type="application/json",
        response_json_schema={"type": "object", "properties": {"age": {"type": "integer", "minimum": 18}}},
    ),
)
age = json.loads(answer.text)["age"]
assert age == 18 or pulled and age > 18, answer

file = client.files.upload(
    file=io.BytesIO(b"The sea is wine-dark."), config=types.UploadFileConfig(mime_type="text/plain")
)
assert client.files.get(name=file.name).state == types.FileState.ACTIVE, file
assert client.models.generate_content(model=model, contents=["Hello", file], config=short).text
assert file.name in [f.name for f in client.files.list()]
client.files.delete(name=file.name)

cache = client.caches.create(
    model=model, config=types.CreateCachedContentConfig(contents="one two three four " * 300, ttl="600s")
)
answer = client.models.generate_content(
    model=model, contents="Hello", config=types.GenerateContentConfig(cached_content=cache.name, max_output_tokens=60)
)
assert answer.usage_metadata.cached_content_token_count == cache.usage_metadata.total_token_count, answer
client.caches.delete(name=cache.name)

tokens = client.models.count_tokens(model=model, contents="Hello, world!").total_tokens
assert tokens == 4 or pulled and tokens > 0, tokens
made = client.models.embed_content(
    model="gemini-embedding-001", contents=["a", "b"], config=types.EmbedContentConfig(output_dimensionality=32)
)
assert [len(e.values) for e in made.embeddings] == [32, 32], made
assert "models/stoa-script" in [m.name for m in client.models.list()]
try:
    client.models.generate_content(model="unheard-of", contents="x")
except errors.ClientError as refused:
    assert refused.code == 404, refused
else:
    raise AssertionError("it was found")


async def ask():
    return await client.aio.models.generate_content(model=model, contents="repeat: bye now", config=short)


assert says(asyncio.run(ask()).text, "bye now")
