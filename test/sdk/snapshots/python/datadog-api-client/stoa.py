"""Aims the client at the server of STOA_URL by the client's own means."""

import os
import time
import urllib.request

from datadog_api_client import ApiClient, Configuration

NOW = int(time.time())


def client():
    configuration = Configuration(host=os.environ["STOA_URL"])
    configuration.api_key["apiKeyAuth"] = os.environ["STOA_API_KEY"]
    configuration.api_key["appKeyAuth"] = os.environ["STOA_APP_KEY"]
    return ApiClient(configuration)


def picture(url):
    """Width and height of the picture at an address, once it is drawn."""
    for _ in range(30):
        with urllib.request.urlopen(url) as answer:
            data = answer.read()
            if answer.status == 200:
                assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:16]
                return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])
            wait = int(answer.headers["Retry-After"])
        time.sleep(wait)
    raise AssertionError(f"{url} is not drawn")
