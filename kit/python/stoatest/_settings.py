"""What the clients of each service are configured with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

Headers = Callable[[str, str], dict[str, str]]
Options = Callable[["Settings"], dict[str, Any]]


@dataclass(frozen=True)
class Settings:
    """What a client of one service is configured with: an official SDK, or the code under test.

    >>> from stoatest import World
    >>> with World() as world:
    ...     tasks = world.services.tasks
    ...     list(tasks.headers), tasks.with_token("other").headers
    (['Authorization'], {'Authorization': 'Bearer other'})
    """

    #: The base address; of the key-management plugin the target of a gRPC channel.
    url: str
    #: The credential, empty in a world that has none.
    token: str = ""
    #: Belongs to the token where there are two: the application key, or the client's secret.
    secret: str = ""
    _headers: Headers = field(default=lambda token, secret: {}, repr=False)
    _options: Options = field(default=lambda settings: {}, repr=False)
    _env: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def headers(self) -> dict[str, str]:
        """The credential as the service takes it."""
        return self._headers(self.token, self.secret) if self.token else {}

    @property
    def options(self) -> dict[str, Any]:
        """Arguments of the service's SDK for Python, as keywords."""
        return self._options(self)

    @property
    def env(self) -> dict[str, str]:
        """Variables that official clients read by themselves."""
        return {name: getattr(self, what) for name, what in self._env.items()}

    def with_token(self, token: str) -> "Settings":
        """The same settings with another credential, such as that of a seed file."""
        return Settings(self.url, token, self.secret, self._headers, self._options, self._env)


def _bearer(token: str, secret: str) -> dict[str, str]:
    return {"Authorization": "Bearer " + token}


def _google(name: str, version: str, path: str = "") -> Options:
    def options(s: Settings) -> dict[str, Any]:
        return {"serviceName": name, "version": version, "client_options": {"api_endpoint": s.url + path}}

    return options


class Services:
    """The settings of every service of a world.

    >>> from stoatest import World
    >>> with World() as world:
    ...     len(world.services.all())
    13
    """

    def __init__(self, url: str, kms_socket: str, env: Mapping[str, str]) -> None:
        def get(name: str) -> str:
            return env.get("STOA_" + name, "")

        token = get("TOKEN")
        #: grpc.insecure_channel(kms.url)
        self.kms = Settings("unix:" + kms_socket)
        self.packages = Settings(url)
        #: googleapiclient.discovery.build(**tasks.options, credentials=Credentials(tasks.token))
        self.tasks = Settings(url, token, "", _bearer, _google("tasks", "v1"))
        self.labels = Settings(url, token, "", _bearer, _google("drivelabels", "v2"))
        self.calendar = Settings(url, token, "", _bearer, _google("calendar", "v3", "/calendar/v3/"))
        #: datadog_api_client.Configuration(**snapshots.options)
        self.snapshots = Settings(
            url,
            get("API_KEY"),
            get("APP_KEY"),
            lambda key, application: {"SVC-API-KEY": key, "SVC-APPLICATION-KEY": application},
            lambda s: {"host": s.url, "api_key": {"apiKeyAuth": s.token, "appKeyAuth": s.secret}},
            {"DD_API_KEY": "token", "DD_APP_KEY": "secret"},
        )
        self.articles = Settings(url, token, "", _bearer)
        self.pipelines = Settings(
            url,
            get("PIPELINE_TOKEN"),
            "",
            lambda given, _: {"Pipeline-Token": given},
            _env={"CIRCLECI_CLI_HOST": "url", "CIRCLECI_CLI_TOKEN": "token"},
        )
        #: github.Github(auth=Auth.Token(events.token), **events.options)
        self.events = Settings(
            url, token, "", _bearer, lambda s: {"base_url": s.url}, {"GITHUB_TOKEN": "token", "GITHUB_API_URL": "url"}
        )
        #: token is the client's id, secret its secret; codes are at /device/code, tokens at /token
        self.device = Settings(
            url,
            get("DEVICE_CLIENT_ID"),
            get("DEVICE_CLIENT_SECRET"),
            _options=lambda s: {"client_id": s.token, "client_secret": s.secret},
        )
        self.analytics = Settings(url, token, "", _bearer)
        self.apikeys = Settings(url, get("SCHEDULING_KEY"), "", _bearer)
        #: google.genai.Client(**generate.options)
        self.generate = Settings(
            url,
            get("MODEL_KEY"),
            "",
            lambda key, _: {"x-goog-api-key": key},
            lambda s: {"api_key": s.token, "http_options": {"base_url": s.url}},
            {"GEMINI_API_KEY": "token", "GOOGLE_GEMINI_BASE_URL": "url"},
        )

    def all(self) -> dict[str, Settings]:
        """By the service's name."""
        return dict(vars(self))
