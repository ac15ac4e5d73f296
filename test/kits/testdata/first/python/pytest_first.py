from urllib.request import Request, urlopen


def test_first(stoa_world, stoa_clock):
    tasks = stoa_world.services.tasks
    with urlopen(Request(tasks.url + "/tasks/v1/users/@me/lists", headers=tasks.headers)) as answer:
        assert answer.status == 200
    stoa_world.expect(operation="tasklists.list", exactly=1)
    stoa_clock.advance("1h")
