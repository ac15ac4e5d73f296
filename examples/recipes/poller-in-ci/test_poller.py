import unittest

import stoatest
from poller import poll


class Poller(stoatest.WorldMixin, unittest.TestCase):
    world_options = {"at": "2026-03-01T09:00:00Z"}

    def test_waits_as_long_as_it_is_told(self):
        self.world.faults.add(operation="list_public_events", fault="secondary_rate_limit", nth=2)
        events = self.world.services.events
        latest = poll(events.url + "/events", events.headers, 5, lambda seconds: self.world.clock.advance(seconds))
        self.assertTrue(latest)
        self.world.expect(operation="list_public_events", exactly=5, no_closer_than="60s")
        self.world.conduct().must_be_clean()
