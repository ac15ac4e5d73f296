import json
import pathlib
import unittest
from urllib.request import Request, urlopen

import stoatest

SEED = pathlib.Path(__file__).parent.parent / "world.yaml"


class Contract(stoatest.WorldMixin, unittest.TestCase):
    world_options = {"start": "empty", "seed_file": SEED}

    def test_lists(self):
        tasks = self.world.services.tasks.with_token(self.world.env["MARY_TOKEN"])
        with urlopen(Request(tasks.url + "/tasks/v1/users/@me/lists", headers=tasks.headers)) as answer:
            lists = json.load(answer)
        self.assertIn("Opening", [found["title"] for found in lists["items"]])
        self.world.conduct().must_be_clean()
