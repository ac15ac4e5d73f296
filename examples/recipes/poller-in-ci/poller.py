"""Reads a feed at the pace that the service asks for."""

import json
import urllib.error
import urllib.request


def poll(url, headers, times, sleep):
    """The latest events after so many requests. sleep takes seconds."""
    latest, tag = [], ""
    for _ in range(times):
        request = urllib.request.Request(url, headers={**headers, "User-Agent": "recipe-poller"})
        if tag:
            request.add_header("If-None-Match", tag)
        try:
            with urllib.request.urlopen(request) as answer:
                latest, told = json.load(answer), answer.headers
        except urllib.error.HTTPError as refused:  # also 304
            told = refused.headers
            refused.close()
        tag = told.get("ETag") or tag
        sleep(int(told.get("Retry-After") or told.get("X-Poll-Interval") or 60))
    return latest
