"""ghapi is made from the API's description and takes what it is given."""

import asyncio
import os

from ghapi.all import GhApi, paged

owner, repo = os.environ["STOA_REPO"].split("/")
user, guest = os.environ["STOA_USER"], os.environ["STOA_GUEST"]
api = GhApi(owner=owner, repo=repo, token=os.environ["STOA_TOKEN"], gh_host=os.environ["STOA_URL"], sync=True)

assert api.users.get_authenticated().login == user
assert api.users.get_by_username(guest).login == guest
assert api.orgs.get(owner).login == owner
assert api.repos.get().full_name == owner + "/" + repo
assert [b.name for b in api.repos.list_branches()] == ["main"]
head = api.repos.list_commits()[0]
assert api.repos.get_commit(head.sha).files[0].filename == "README.md"
assert api.repos.compare_commits("main...main").status == "identical"
assert api.repos.get_content("README.md").encoding == "base64"
assert api.git.get_tree(head.sha).tree[0].path == "README.md"
assert api.git.get_ref("heads/main").object.sha == head.sha
assert [u.login for u in api.activity.list_stargazers_for_repo()] == [guest]
api.activity.star_repo_for_authenticated_user()
assert [r.full_name for r in api.activity.list_repos_starred_by_authenticated_user()] == [owner + "/" + repo]
api.activity.unstar_repo_for_authenticated_user()
assert api.activity.list_repo_events() and api.activity.list_public_events()


async def follow():
    waiting = GhApi(owner=owner, repo=repo, token=os.environ["STOA_TOKEN"], gh_host=os.environ["STOA_URL"])
    return [page async for page in paged(waiting.activity.list_repo_events, per_page=2)]


pages = asyncio.run(follow())
assert len(pages) > 1 and all(len(p) <= 2 for p in pages), [len(p) for p in pages]
