"""circleclient names projects without the code host, below the first version of the API."""

import os
import time

from circleclient import circleclient

owner, name = os.environ["STOA_REPO"].split("/")


class Client(circleclient.CircleClient):
    """The client has one place for its address and no option for it."""

    def make_url(self, path):
        return os.environ["STOA_URL"] + "/api/v1" + path


client = Client(os.environ["STOA_PIPELINE_TOKEN"])


def until_ended(number):
    for _ in range(600):
        build = client.build.status(owner, name, number)
        if build["lifecycle"] in ("finished", "not_run"):
            return build
        time.sleep(0.1)
    raise AssertionError(f"job {number} does not end")


assert client.user.info()["login"] == os.environ["STOA_USER"]
assert name in [p["reponame"] for p in client.projects.list_projects()]
made = client.build.trigger(owner, name, "main", COLOUR="green")
assert made["branch"] == "main" and made["build_parameters"]["COLOUR"] == "green", made
assert until_ended(made["build_num"])["outcome"] == "success"
again = client.build.retry(owner, name, made["build_num"])
assert again["retry_of"] == made["build_num"], again
assert client.build.artifacts(owner, name, made["build_num"]) == []
assert client.build.cancel(owner, name, client.build.trigger(owner, name, "main")["build_num"])["status"] == "canceled"
assert len(client.build.recent_all_projects(limit=2)) == 2
assert client.build.recent(owner, name)[0]["build_num"] > made["build_num"]
listed = client.build.recent(owner, name, limit=5, branch="main", status_filter="successful")
assert made["build_num"] in [b["build_num"] for b in listed], listed
assert client.cache.clear(owner, name)["status"] == "build caches deleted"
try:
    client.build.status(owner, name, 99999)
except Exception as refused:
    assert str(refused).startswith("404"), refused
else:
    raise AssertionError("it was found")
