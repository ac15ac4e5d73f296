import os
import unittest
from urllib.request import Request, urlopen

from stoatest import Lab, World
from stoatest_testcontainers import StoaContainer


class Container(unittest.TestCase):
    def test_a_world_in_a_container(self):
        with StoaContainer(os.environ["STOA_IMAGE"]) as container:
            with World(lab=Lab(container.lab_url, container.lab_token)) as world:
                tasks = world.services.tasks
                with urlopen(Request(tasks.url + "/tasks/v1/users/@me/lists", headers=tasks.headers)) as answer:
                    self.assertEqual(answer.status, 200)
