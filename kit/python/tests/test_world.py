import datetime
import json
import os
import tempfile
import unittest
import urllib.error
import urllib.request
from unittest import mock

import stoatest

LISTS = "/tasks/v1/users/@me/lists"


def ask(world, method, path, body=None):
    request = urllib.request.Request(world.url + path, method=method, data=json.dumps(body).encode() if body else None)
    request.add_header("Authorization", "Bearer " + world.env["STOA_TOKEN"])
    request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request) as response:
            return response.status
    except urllib.error.HTTPError as refused:
        refused.close()
        return refused.code


class Worlds(stoatest.WorldMixin, unittest.TestCase):
    world_options = {"at": "2026-03-01T09:00:00Z", "seed": 7}

    def test_clock(self):
        moved = self.world.clock.advance(datetime.timedelta(hours=36))
        self.assertEqual(moved["to"], "2026-03-02T21:00:00Z")
        self.world.clock.advance(to=datetime.datetime(2026, 3, 9, tzinfo=datetime.timezone.utc))
        self.assertEqual(self.world.clock.now.isoformat(), "2026-03-09T00:00:00+00:00")
        with self.assertRaises(ValueError):
            self.world.clock.advance()

    def test_faults(self):
        rule = self.world.faults.add(operation="tasklists.list", status=503, first=1)
        self.assertEqual([ask(self.world, "GET", LISTS), ask(self.world, "GET", LISTS)], [503, 200])
        self.assertEqual([(r["id"], r["hits"]) for r in self.world.faults.list()], [(rule, 1)])
        self.world.faults.remove(rule)
        self.world.faults.add(operation="tasklists.insert", fault="list_quota_exceeded")
        self.assertEqual(ask(self.world, "POST", LISTS, {"title": "milk"}), 403)
        self.world.faults.clear()
        self.assertEqual(ask(self.world, "POST", LISTS, {"title": "milk"}), 200)
        with self.assertRaisesRegex(stoatest.LabError, "catalogue"):
            self.world.faults.add(operation="tasklists.insert", fault="no_such_fault")

    def test_requests(self):
        ask(self.world, "POST", LISTS, {"title": "milk"})
        self.world.expect(operation="tasklists.insert", body={"/title": "milk"}, exactly=1)
        with self.assertRaisesRegex(AssertionError, '"milk"'):
            self.world.expect(operation="tasklists.insert", body={"/title": "bread"}, exactly=1)
        self.assertEqual([r["status"] for r in self.world.requests.list(service="tasks")], [200])
        self.world.requests.clear()
        self.world.expect(exactly=0)

    def test_inbox(self):
        inbox = self.world.inbox("hooks", status=503, times=1)
        for want in (503, 200):
            request = urllib.request.Request(inbox.url, method="POST", data=b"changed")
            try:
                with urllib.request.urlopen(request) as response:
                    self.assertEqual(response.status, want)
            except urllib.error.HTTPError as refused:
                refused.close()
                self.assertEqual(refused.code, want)
        self.assertEqual([m["answered"] for m in inbox.wait(2)], [503, 200])
        with self.assertRaisesRegex(AssertionError, "has 2 messages"):
            inbox.wait(3, within=0.01)

    def test_fork_and_reset(self):
        with self.world.fork() as fork:
            self.assertNotEqual(fork.url, self.world.url)
        self.world.reset()

    def test_times_have_zones(self):
        with self.assertRaisesRegex(ValueError, "zone"):
            self.world.clock.freeze(datetime.datetime(2026, 1, 1))

    def test_durations_are_exact(self):
        for by, want in (
            (datetime.timedelta(days=1, milliseconds=1), "2026-03-02T09:00:00.001Z"),
            (datetime.timedelta(microseconds=10), "2026-03-02T09:00:00.00101Z"),
            (1234567.25, "2026-03-16T15:56:07.25101Z"),
        ):
            self.assertEqual(self.world.clock.advance(by)["to"], want)

    def test_deleted_in_any_case(self):
        lab = stoatest.the_lab()
        with tempfile.NamedTemporaryFile() as file:
            with mock.patch.dict(os.environ, STOA_CONDUCT_REPORTS=file.name):  # no folder
                world = stoatest.World()
                with self.assertRaises(OSError):
                    world.delete()
        self.assertNotIn(world.name, [w["name"] for w in lab.call("GET", "/worlds")["worlds"]])
        with stoatest.World() as world:
            world.delete()  # the end of the block finds nothing left to do


if __name__ == "__main__":
    unittest.main()
