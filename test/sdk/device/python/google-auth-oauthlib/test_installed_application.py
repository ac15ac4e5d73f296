"""An installed application signs a user in with the vendor's own library."""

import json
import os
import subprocess
import threading
import time

os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import google_auth_oauthlib.flow as flows
import google.oauth2.credentials
import requests
from google.auth.transport.requests import AuthorizedSession, Request

import browser

base = os.environ["STOA_URL"]
scopes = ["openid", base + "/auth/tasks"]
made = json.loads(
    subprocess.check_output(
        [os.environ["STOA_BINARY"], "client", "add", "Installed", "--type", "device", "--redirect", "http://localhost/",
         "--scope", "openid", "--scope", "tasks", "--data", os.environ["STOA_DATA"], "--json"]
    )
)
config = {
    "installed": {
        "client_id": made["client_id"],
        "client_secret": made["client_secret"],
        "auth_uri": base + "/o/oauth2/auth",
        "token_uri": base + "/token",
    }
}


class Window:
    """What the library opens in place of a browser's window."""

    def open(self, url, new=0, autoraise=True):
        threading.Thread(target=lambda: requests.get(browser.allow(url))).start()
        return True


flows.webbrowser.get = lambda *_: Window()
flow = flows.InstalledAppFlow.from_client_config(config, scopes)
credentials = flow.run_local_server(port=0, access_type="offline", prompt="consent", timeout_seconds=60)
assert credentials.valid and credentials.refresh_token and credentials.id_token, credentials
assert set(credentials.granted_scopes) == set(scopes), credentials.granted_scopes

session = AuthorizedSession(credentials)
answer = session.get(base + "/tasks/v1/users/@me/lists")
assert answer.status_code == 200, answer.text

# The stored refresh token is good in every process, any number of times.
stored = json.loads(credentials.to_json())
for _ in range(2):
    again = google.oauth2.credentials.Credentials(
        None, refresh_token=stored["refresh_token"], token_uri=stored["token_uri"], scopes=scopes,
        client_id=stored["client_id"], client_secret=stored["client_secret"],
    )
    again.refresh(Request())
    assert again.valid and again.refresh_token == stored["refresh_token"], again
    assert again.id_token, "no id token after a refresh"

threads = [threading.Thread(target=lambda: again.refresh(Request())) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
again.refresh(Request())

info = requests.get(base + "/tokeninfo", params={"access_token": again.token})
assert info.status_code == 200 and info.json()["aud"] == made["client_id"], info.text
claims = requests.get(base + "/tokeninfo", params={"id_token": again.id_token}).json()
assert claims["iss"] == base and claims["sub"], claims
