"""PyGithub reaches feeds through users and organizations, and goes on from there."""

import os

from github import Auth, Github, GithubException, UnknownObjectException

token, url = os.environ["STOA_TOKEN"], os.environ["STOA_URL"]
name, guest = os.environ["STOA_REPO"], os.environ["STOA_GUEST"]


def read(base):
    g = Github(auth=Auth.Token(token), base_url=base, retry=None)
    me = g.get_user()
    assert me.login == os.environ["STOA_USER"] and me.type == "User", me
    org = g.get_organization(name.split("/")[0])
    assert org.login == name.split("/")[0]
    assert any(e.type == "PushEvent" for e in org.get_events())
    assert any(o.login == org.login for o in me.get_orgs())
    assert list(g.get_user(me.login).get_events())
    assert list(me.get_organization_events(org))
    assert list(g.get_user(guest).get_received_events()) and list(g.get_events())
    assert name in [r.full_name for r in org.get_repos()] and name in [r.full_name for r in me.get_repos()]

    repo = g.get_repo(name)
    assert repo.permissions.admin and repo.owner.type == "Organization" and repo.default_branch == "main"
    assert [b.name for b in repo.get_branches()] == ["main"]
    branch = repo.get_branch("main")
    commits = list(repo.get_commits())
    assert commits[0].sha == branch.commit.sha and commits[0].commit.message == "Raise the columns"
    assert repo.get_commits().totalCount == len(commits)
    assert [f.filename for f in repo.get_commit("main").files] == ["README.md", "pipeline.yml"]
    assert repo.compare("main", "main").status == "identical"
    readme = repo.get_contents("README.md")
    assert readme.decoded_content.startswith(b"# Colonnade") and repo.get_readme().sha == readme.sha
    assert sorted(c.path for c in repo.get_contents("")) == ["README.md", "pipeline.yml"]
    assert len(repo.get_git_tree("main", recursive=True).tree) == 2
    assert repo.get_git_blob(readme.sha).size == readme.size
    assert repo.get_git_ref("heads/main").object.sha == branch.commit.sha
    assert list(repo.get_tags()) == [] and list(repo.get_issues()) == [] and list(repo.get_releases()) == []
    assert guest in [u.login for u in repo.get_stargazers()]
    assert repo.get_stargazers_with_dates()[0].starred_at.year > 2000
    assert repo.has_in_collaborators(me.login) and repo.get_collaborator_permission(me.login) == "admin"
    assert [e.type for e in repo.get_events()]


read(url)
read(url + "/api/v3")

g = Github(auth=Auth.Token(token), base_url=url, retry=None)
me, repo = g.get_user(), g.get_repo(name)
assert not me.has_in_starred(repo)
me.add_to_starred(repo)
assert me.has_in_starred(repo) and name in [r.full_name for r in me.get_starred()]
me.remove_from_starred(repo)
assert not me.has_in_starred(repo)
fork = me.create_fork(repo)
assert fork.fork and fork.parent.full_name == name and [f.full_name for f in repo.get_forks()] == [fork.full_name]
assert "ForkEvent" in [e.type for e in repo.get_events()]
fork.edit(private=True)
other = Github(auth=Auth.Token(os.environ["STOA_GUEST_TOKEN"]), base_url=url, retry=None)
assert [f.full_name for f in other.get_repo(name).get_forks()] == []
for call in (lambda: other.get_repo(fork.full_name), lambda: g.get_user("nobody-here")):
    try:
        call()
    except UnknownObjectException as e:
        assert e.status == 404, e
    else:
        raise AssertionError("it was found")
empty = me.create_repo("bare")
try:
    list(empty.get_commits())
except GithubException as e:
    assert e.status == 409, e
limit = g.get_rate_limit()
assert limit.resources.core.limit == 5000, limit
