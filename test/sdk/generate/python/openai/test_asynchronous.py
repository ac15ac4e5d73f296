"""The OpenAI client without threads, below the other address."""

import asyncio
import os

import openai

model = "gemini-2.5-flash"
pulled = bool(os.environ.get("STOA_SDK_MODEL"))  # what a model says is its own


async def main():
    async with openai.AsyncOpenAI(
        base_url=os.environ["STOA_URL"] + "/v1beta/openai/", api_key=os.environ["STOA_MODEL_KEY"], max_retries=0
    ) as client:
        answers = await asyncio.gather(
            *(
                client.chat.completions.create(
                    model=model, max_tokens=20, messages=[{"role": "user", "content": f"repeat: number {n}"}]
                )
                for n in range(8)
            )
        )
        texts = [a.choices[0].message.content for a in answers]
        assert pulled and all(texts) or texts == [f"number {n}" for n in range(8)], answers
        text = ""
        async for chunk in await client.chat.completions.create(
            model=model, stream=True, max_tokens=60, messages=[{"role": "user", "content": "Tell me a story"}]
        ):
            text += chunk.choices[0].delta.content or ""
        assert pulled and text or text.startswith("Under the painted porch"), text
        assert "stoa-script" in [m.id async for m in client.models.list()]


asyncio.run(main())
