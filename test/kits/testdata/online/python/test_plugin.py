import pytest
from stoatest import World


@pytest.mark.stoa(at="2026-03-01T09:00:00Z", seed=7)
def test_marker(stoa_world: World) -> None:
    assert stoa_world.seed == 7
    assert stoa_world.clock.advance("1h")["to"] == "2026-03-01T10:00:00Z"


@pytest.mark.parametrize("n", range(4))
def test_worlds(stoa_world: World, n: int) -> None:
    with pytest.raises(AssertionError, match="expected at least 1"):
        stoa_world.expect(operation="tasklists.list")
