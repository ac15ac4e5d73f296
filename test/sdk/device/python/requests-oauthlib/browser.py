"""A browser without a window: it signs in and allows what an address asks for."""

import html
import os
import re
import urllib.parse

import requests

FORM = re.compile(r'<main.*<form method="post" action="([^"]*)">(.*?)</form>', re.S)
HIDDEN = re.compile(r'<input type="hidden" name="([a-z_]+)" value="([^"]*)">')


def allow(address):
    """Returns where the browser is sent after a yes."""
    base = os.environ["STOA_URL"]
    browser = requests.Session()

    def submit(page, **fields):
        action, inside = FORM.search(page).groups()
        fields.update({name: html.unescape(value) for name, value in HIDDEN.findall(inside)})
        target = urllib.parse.urljoin(base, html.unescape(action))
        return browser.post(target, data=fields, allow_redirects=False)

    page = browser.get(address, headers={"Accept": "text/html"})
    assert page.status_code == 200, page.text
    signed_in = submit(page.text, name=os.environ["STOA_USER"], password=os.environ["STOA_PASSWORD"])
    page = browser.get(urllib.parse.urljoin(base, signed_in.headers["Location"]), headers={"Accept": "text/html"})
    answer = submit(page.text, decision="allow")
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]
