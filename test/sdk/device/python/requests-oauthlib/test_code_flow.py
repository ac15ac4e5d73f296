"""A website signs a user in with requests-oauthlib, which stops when the answer's scopes are spelt in another way."""

import json
import os
import subprocess

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

from requests_oauthlib import OAuth2Session

import browser

base = os.environ["STOA_URL"]
back = "http://127.0.0.1:9999/callback"
made = json.loads(
    subprocess.check_output(
        [os.environ["STOA_BINARY"], "client", "add", "Website", "--type", "web", "--redirect", back, "--scope", "openid",
         "--scope", "email", "--scope", "profile", "--scope", "tasks", "--data", os.environ["STOA_DATA"], "--json"]
    )
)
identity, secret = made["client_id"], made["client_secret"]

for scope in (["openid", "email", "profile"], ["tasks"], [base + "/auth/tasks", "openid"]):
    session = OAuth2Session(identity, redirect_uri=back, scope=scope, pkce="S256")
    address, state = session.authorization_url(base + "/o/oauth2/v2/auth")
    token = session.fetch_token(
        base + "/token", authorization_response=browser.allow(address), client_secret=secret, include_client_id=True
    )
    assert set(token["scope"]) == set(scope), token["scope"]
    assert ("id_token" in token) == ("openid" in scope)
    fresh = session.refresh_token(
        base + "/token", refresh_token=token["refresh_token"], client_id=identity, client_secret=secret
    )
    assert fresh["access_token"] != token["access_token"]
    if "openid" in scope:
        info = session.get(base + "/v1/userinfo")
        assert info.status_code == 200 and info.json()["sub"], info.text
