import unittest
from urllib.request import Request, urlopen

from stoatest import WorldMixin


class First(WorldMixin, unittest.TestCase):
    def test_first(self):
        tasks = self.world.services.tasks
        with urlopen(Request(tasks.url + "/tasks/v1/users/@me/lists", headers=tasks.headers)) as answer:
            self.assertEqual(answer.status, 200)
        self.world.expect(operation="tasklists.list", exactly=1)
