"""github3.py checks every object that it reads, and looks below /api/v3."""

import os

import github3

url, name = os.environ["STOA_URL"], os.environ["STOA_REPO"]
owner, short = name.split("/")
guest = os.environ["STOA_GUEST"]
gh = github3.GitHubEnterprise(url, token=os.environ["STOA_TOKEN"])

assert gh.me().login == os.environ["STOA_USER"]
repo = gh.repository(owner, short)
assert repo.full_name == name and repo.owner.login == owner
assert gh.user(guest).login == guest
assert gh.organization(owner).login == owner
assert [r.full_name for r in gh.repositories_by(owner)] == [name]
assert name in [r.full_name for r in gh.repositories()]
assert [b.name for b in repo.branches()] == ["main"]
commits = list(repo.commits())
assert commits and repo.commit(commits[0].sha).commit["message"] == "Raise the columns"
assert repo.file_contents("README.md").decoded.startswith(b"# Colonnade")
assert sorted(name for name, _ in repo.directory_contents("")) == ["README.md", "pipeline.yml"]
assert guest in [u.login for u in repo.stargazers()]
assert not gh.is_starred(owner, short)
gh.star(owner, short)
assert gh.is_starred(owner, short) and name in [r.full_name for r in gh.starred()]
fork = repo.create_fork()
assert fork.fork and [f.full_name for f in repo.forks()] == [fork.full_name]
organization, user = gh.organization(owner), gh.user(guest)
for feed in (gh.all_events(), repo.events(), repo.network_events(), organization.public_events(), user.events()):
    assert list(feed)
types = [e.type for e in gh.all_events()]
assert "ForkEvent" in types and "PushEvent" in types, types
try:
    gh.repository(owner, "nowhere")
except github3.exceptions.NotFoundError:
    pass
else:
    raise AssertionError("it was found")
assert gh.rate_limit()["resources"]["core"]["limit"] == 5000
