"""Every test gets a world of its own: all services of Stoa, gone when the test ends.

With pytest the fixtures stoa_world and stoa_clock are there once the package is installed; with
unittest a test class takes WorldMixin and has self.world. Nothing of one world is seen in another,
so tests can always run in parallel.

The first world of a process finds a lab: the one that STOA_LAB_URL and STOA_LAB_TOKEN
name, or one that it starts with the program that STOA_BIN names or that is called stoa
in the path. A lab that it started ends with the process.
"""

from ._lab import VERSION, Lab, LabError, the_lab
from ._settings import Services, Settings
from ._unittest import WorldMixin
from ._world import Clock, Faults, Finding, Inbox, Report, Requests, World

__all__ = [
    "Clock", "Faults", "Finding", "Inbox", "Lab", "LabError", "Report", "Requests", "Services", "Settings", "VERSION",
    "World", "WorldMixin", "the_lab",
]  # fmt: skip
__version__ = VERSION
