"""Every test gets a world of its own: all services of Stoa, gone when the test ends.

With pytest the fixtures are there once the package is installed::

    def test_poller(stoa_world):
        stoa_world.clock.freeze("2026-03-01T09:00:00Z")
        poll(stoa_world.url, stoa_world.env["STOA_TOKEN"])
        stoa_world.clock.advance("1h")
        stoa_world.expect(operation="list_repo_events", at_least=2)

With unittest a test class takes the mixin and has self.world.

The first world of a process finds a lab: the one that STOA_LAB_URL and STOA_LAB_TOKEN
name, or one that it starts with the program that STOA_BIN names or that is called stoa
in the path. A lab that it started ends with the process.
"""

from ._lab import VERSION, Lab, LabError
from ._unittest import WorldMixin
from ._world import Clock, Faults, Finding, Inbox, Report, Requests, World

__all__ = [
    "Clock", "Faults", "Finding", "Inbox", "Lab", "LabError", "Report", "Requests", "VERSION", "World", "WorldMixin",
]  # fmt: skip
__version__ = VERSION
