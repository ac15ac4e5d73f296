"""A website signs a user in with Authlib: discovery, proof key, and the id token verified with the published keys."""

import json
import os
import subprocess

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, jwt
from authlib.oidc.core import CodeIDToken

import browser

base = os.environ["STOA_URL"]
back = "http://127.0.0.1:9999/callback"
made = json.loads(
    subprocess.check_output(
        [os.environ["STOA_BINARY"], "client", "add", "Website", "--type", "web", "--redirect", back, "--scope", "openid",
         "--scope", "email", "--scope", "profile", "--data", os.environ["STOA_DATA"], "--json"]
    )
)
document = requests.get(base + "/.well-known/openid-configuration").json()

for method in ("client_secret_post", "client_secret_basic"):
    session = OAuth2Session(
        made["client_id"], made["client_secret"], scope="openid email profile", redirect_uri=back,
        token_endpoint_auth_method=method, code_challenge_method="S256",
    )
    verifier, nonce = generate_token(48), generate_token()
    address, state = session.create_authorization_url(
        document["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    token = session.fetch_token(
        document["token_endpoint"], authorization_response=browser.allow(address), code_verifier=verifier, state=state
    )
    keys = JsonWebKey.import_key_set(requests.get(document["jwks_uri"]).json())
    claims = jwt.decode(
        token["id_token"], keys, claims_cls=CodeIDToken,
        claims_options={"iss": {"values": [document["issuer"]]}, "aud": {"values": [made["client_id"]]}},
        claims_params={"nonce": nonce, "client_id": made["client_id"], "access_token": token["access_token"]},
    )
    claims.validate()
    assert claims["preferred_username"] == os.environ["STOA_USER"], claims
    info = session.get(document["userinfo_endpoint"]).json()
    assert info["sub"] == claims["sub"], info
    fresh = session.refresh_token(document["token_endpoint"], refresh_token=token["refresh_token"])
    assert fresh["access_token"] != token["access_token"]
    assert session.revoke_token(document["revocation_endpoint"], token=fresh["access_token"]).status_code == 200
