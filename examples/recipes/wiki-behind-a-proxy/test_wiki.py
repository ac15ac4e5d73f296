"""What a reader's browser does: from the wiki to the directory and back, by the proxy."""

import html
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar

RUN = pathlib.Path(os.environ.get("RUN", pathlib.Path(__file__).parent / "run"))
WIKI = (RUN / "address").read_text().strip()
TRUST = ssl.create_default_context(cafile=RUN / "proxy.pem")
RESOLVE = socket.getaddrinfo


def resolve(host, *rest, **more):
    """Names below localhost are this machine, as in browsers."""
    return RESOLVE("127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **more)


socket.getaddrinfo = resolve


class Browser:
    """Follows redirects, keeps cookies, fills in forms."""

    def __init__(self):
        self.http = urllib.request.build_opener(
            urllib.request.HTTPSHandler(context=TRUST), urllib.request.HTTPCookieProcessor(CookieJar())
        )

    def open(self, address, form=None):
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        try:
            answer = self.http.open(urllib.request.Request(address, data))
        except urllib.error.HTTPError as refused:
            answer = refused
        with answer:
            self.address, self.status, self.page = answer.url, answer.status, answer.read().decode()

    def follow(self, text):
        link = re.search(rf'href="([^"]+)"[^>]*>\s*{text}', self.page)
        self.open(urllib.parse.urljoin(self.address, html.unescape(link[1])))

    def submit(self, **fields):
        action = re.findall(r'<form method="post" action="([^"]+)"', self.page)[-1]
        hidden = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', self.page)
        form = {name: html.unescape(value) for name, value in hidden} | fields
        self.open(urllib.parse.urljoin(self.address, html.unescape(action)), form)

    def sign_in(self, name, password):
        self.open(WIKI)
        self.follow("Sign in with the directory")
        self.submit(name=name, password=password)
        self.submit(decision="allow")


def show_user(name):
    command = ["stoa", "user", "show", name, "--data", str(RUN / "wiki"), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


class Wiki(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The editor's program writes an article of the team."""
        token = json.loads((RUN / "token.json").read_text())["token"]
        body = {"title": "Opening hours", "body": "From *nine*.", "tags": [{"name": "Hours"}]}
        request = urllib.request.Request(
            urllib.parse.urljoin(WIKI, "/api/v2/items"), json.dumps(body).encode(),
            {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, context=TRUST) as answer:
            cls.article = json.load(answer)

    def test_staff_reads(self):
        browser = Browser()
        browser.sign_in("ada", "correct horse battery")
        self.assertEqual((browser.address, browser.status), (WIKI, 200), browser.page)
        browser.follow("Opening hours")
        self.assertIn("<em>nine</em>", browser.page)
        self.assertEqual(browser.address, self.article["url"])
        user = show_user("ada")
        self.assertEqual((user["email"], user["display_name"]), ("ada@example.com", "Ada L."))
        self.assertEqual(user["teams"], ["handbook"])

    def test_others_do_not(self):
        browser = Browser()
        browser.sign_in("bob", "wrong horse battery")
        self.assertNotIn("Opening hours", browser.page)
        self.assertGreaterEqual(browser.status, 400, browser.page)
        self.assertEqual(show_user("bob").get("teams") or [], [])

    def test_without_sign_in(self):
        browser = Browser()
        browser.open(self.article["url"])
        self.assertNotIn("nine", browser.page)
        self.assertIn("Sign in with the directory", browser.page)


if __name__ == "__main__":
    unittest.main()
