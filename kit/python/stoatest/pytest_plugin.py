"""Fixtures of pytest, found by the entry point of the package."""

from __future__ import annotations

import contextlib
import os
from typing import Any, Iterator

import pytest

from ._lab import the_lab
from ._world import Clock, World


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "stoa(**options): how the world of this test is made, as in stoatest.World")
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        # pytest-xdist: the workers, which begin after this, share one lab. Without one the tests
        # that need it say so; others do not care.
        with contextlib.suppress(RuntimeError):
            os.environ.update(the_lab().env)


@pytest.fixture
def stoa_world(request: Any) -> Iterator[World]:
    """A world of this test, deleted afterwards; @pytest.mark.stoa(seed=7) says how it is made."""
    marker = request.node.get_closest_marker("stoa")
    with World(**(marker.kwargs if marker else {})) as world:
        yield world


@pytest.fixture
def stoa_clock(stoa_world: World) -> Clock:
    """The clock of the test's world."""
    return stoa_world.clock
