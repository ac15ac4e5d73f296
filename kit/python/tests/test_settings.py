import doctest
import http.server
import json
import threading
import unittest
import urllib.parse
import urllib.request

import stoatest
from stoatest import _settings, _world

ASKS = {
    "packages": "/v3/systems/npm/packages/%40stoa%2Fcolonnade",
    "tasks": "/tasks/v1/users/@me/lists",
    "labels": "/v2/limits/label?name=limits/label",
    "snapshots": "/api/v1/validate",
    "articles": "/api/v2/authenticated_user",
    "pipelines": "/api/v1.1/me",
    "calendar": "/calendar/v3/users/me/calendarList",
    "events": "/events",
    "analytics": "/apis/v4/projects/v0",
    "generate": "/v1beta/models",
}


class Settings(stoatest.WorldMixin, unittest.TestCase):
    def test_every_service_answers(self):
        for name, path in ASKS.items():
            settings = self.world.services.all()[name]
            with self.subTest(name):
                request = urllib.request.Request(settings.url + path, headers=settings.headers)
                with urllib.request.urlopen(request) as answer:
                    self.assertEqual(answer.status, 200)
        keys, device = self.world.services.apikeys, self.world.services.device
        request = urllib.request.Request(
            keys.url + "/v2/api-keys/refresh",
            data=json.dumps({"apiKeyDaysValid": 60}).encode(),
            headers={**keys.headers, "Content-Type": "application/json"},
        )
        urllib.request.urlopen(request).close()
        form = urllib.parse.urlencode({"client_id": device.options["client_id"], "scope": "video.readonly"})
        urllib.request.urlopen(device.url + "/device/code", data=form.encode()).close()
        self.assertTrue(self.world.services.kms.url.startswith("unix:/"))
        self.assertEqual(len(self.world.services.all()), 13)

    def test_variables(self):
        generate = self.world.services.generate
        self.assertEqual(generate.env, {"GEMINI_API_KEY": generate.token, "GOOGLE_GEMINI_BASE_URL": self.world.url})

    def test_seed_file_refused(self):
        with self.assertRaisesRegex(stoatest.LabError, r'seedFile:1:10: users\[0\]: "nam" is not known'):
            stoatest.World(seed_text="users: [{nam: mary}]")


class Times(unittest.TestCase):
    def test_what_is_not_a_time_is_named(self):
        with self.assertRaisesRegex(ValueError, '^at: "2026-03-01" is not a time such as 2026-03-01T09:00:00Z$'):
            stoatest.World(at="2026-03-01")


class NoLab(unittest.TestCase):
    def test_says_which_and_what_to_do(self):
        for url in ("http://127.0.0.1:1/", "nowhere://", "http://127.0.0.1:port"):
            with self.subTest(url), self.assertRaisesRegex(
                ConnectionError, r"^the lab at \S+ does not answer \(.+\): it has ended, or STOA_LAB_URL names another"
            ):
                stoatest.Lab(url, "token").call("GET", "/worlds")


class Versions(unittest.TestCase):
    def test_another_version_says_so(self):
        class Other(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Stoa-Version", "v9.1.0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Other)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        lab = stoatest.Lab(f"http://127.0.0.1:{server.server_port}", "token")
        for _ in range(2):  # every test is told
            with self.assertRaisesRegex(RuntimeError, "the lab is v9.1.0: install the same version"):
                lab.call("GET", "/worlds")


def load_tests(_loader, tests, _pattern):
    for module in (_settings, _world):
        tests.addTests(doctest.DocTestSuite(module))
    return tests
