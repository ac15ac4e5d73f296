"""A world for each test of a unittest class."""

from __future__ import annotations

from typing import Any, Callable

from ._world import World


class WorldMixin:
    """Put it before unittest.TestCase: each test finds its own world in self.world.

    world_options are the arguments of World.
    """

    world_options: dict[str, Any] = {}
    world: World
    addCleanup: Callable[..., Any]

    def setUp(self) -> None:
        super().setUp()  # type: ignore[misc]
        self.world = World(**self.world_options)
        self.addCleanup(self.world.delete)
