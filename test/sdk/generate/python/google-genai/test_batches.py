"""The vendor's client has requests answered later: those of the call, those of a file, and embeddings."""

import io
import json
import os
import time

from google import genai
from google.genai import errors, types

model = "gemini-2.5-flash"
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own
client = genai.Client(
    api_key=os.environ["STOA_MODEL_KEY"], http_options=types.HttpOptions(base_url=os.environ["STOA_URL"])
)


def says(text, words):
    return bool(text) if pulled else text == words


def ended(batch):
    while batch.state in (types.JobState.JOB_STATE_PENDING, types.JobState.JOB_STATE_RUNNING):
        time.sleep(0.2)
        batch = client.batches.get(name=batch.name)
    return batch


def asked(text):
    return {"contents": [{"role": "user", "parts": [{"text": text}]}], "config": {"max_output_tokens": 10}}


inline = ended(
    client.batches.create(
        model=model, config={"display_name": "mine"},
        src=[{**asked("repeat: one"), "metadata": {"my_key": "a"}}, asked("repeat: two")],
    )
)
assert inline.state == types.JobState.JOB_STATE_SUCCEEDED and inline.display_name == "mine", inline
assert len(inline.dest.inlined_responses) == 2, inline
assert inline.dest.inlined_responses[0].metadata == {"my_key": "a"}, inline
assert says(inline.dest.inlined_responses[1].response.text, "two"), inline
assert [b.name for b in client.batches.list()] == [inline.name]

request = {"contents": [{"parts": [{"text": "repeat: one"}]}], "generation_config": {"max_output_tokens": 10}}
file = client.files.upload(
    file=io.BytesIO(json.dumps({"key": "a", "request": request}).encode()),
    config=types.UploadFileConfig(mime_type="application/jsonl"),
)
lines = ended(client.batches.create(model=model, src=file.name))
result = json.loads(client.files.download(file=lines.dest.file_name))
assert result["key"] == "a", result
assert says(result["response"]["candidates"][0]["content"]["parts"][0]["text"], "one"), result

embedded = ended(
    client.batches.create_embeddings(
        model="gemini-embedding-001",
        src={"inlined_requests": {"contents": ["a cat", "a feline"], "config": {"output_dimensionality": 32}}},
    )
)
assert [len(r.response.embedding.values) for r in embedded.dest.inlined_embed_content_responses] == [32, 32], embedded

client.batches.delete(name=inline.name)
try:
    client.batches.get(name=inline.name)
except errors.ClientError as refused:
    assert refused.code == 404, refused
else:
    raise AssertionError("it was found")
cancelled = client.batches.create(model=model, src=[asked("Hello")] * 200)
client.batches.cancel(name=cancelled.name)
assert ended(cancelled).state == types.JobState.JOB_STATE_CANCELLED
