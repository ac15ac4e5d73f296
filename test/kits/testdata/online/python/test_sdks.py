from datadog_api_client import ApiClient, Configuration
from datadog_api_client.v1.api.authentication_api import AuthenticationApi
from github import Auth, Github
from google import genai
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build


def test_official_clients_take_the_settings(stoa_world):
    s = stoa_world.services
    github = Github(auth=Auth.Token(s.events.token), **s.events.options)
    assert github.get_user().login == stoa_world.env["STOA_USER"]
    for service in (s.tasks, s.calendar):
        client = build(**service.options, credentials=Credentials(service.token), static_discovery=True)
        lists = client.tasklists() if service is s.tasks else client.calendarList()
        assert lists.list().execute()["items"]
    assert list(genai.Client(**s.generate.options).models.list())
    with ApiClient(Configuration(**s.snapshots.options)) as api:
        assert AuthenticationApi(api).validate().valid
