"""A world of one test."""

from __future__ import annotations

import datetime
import os
import re
import urllib.parse
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union

from ._lab import Lab, the_lab
from ._settings import Services

Duration = Union[str, float, datetime.timedelta]
Moment = Union[str, datetime.datetime]


def _duration(value: Duration) -> str:
    """Durations are text such as "90m" or "7d", seconds, or a timedelta."""
    if isinstance(value, str):
        return value
    passed = value if isinstance(value, datetime.timedelta) else datetime.timedelta(seconds=value)
    return f"{passed // datetime.timedelta(microseconds=1)}us"


_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def _moment(name: str, value: Moment) -> str:
    """A time in RFC 3339; name is who was given it."""
    if isinstance(value, str):
        if not _RFC3339.fullmatch(value):
            raise ValueError(f'{name}: "{value}" is not a time such as 2026-03-01T09:00:00Z')
        return value
    if value.tzinfo is None:
        raise ValueError("a time without a zone: add tzinfo=datetime.timezone.utc")
    return value.astimezone(datetime.timezone.utc).isoformat().replace("+00:00", "Z")


def _given(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, "", {})}


class World:
    """All services with their own data, address, clock and faults.

    Use it as a context manager, or call delete() when the test ends.

    >>> import urllib.error, urllib.request
    >>> def poll(events, repo):  # the code under test
    ...     request = urllib.request.Request(f"{events.url}/repos/{repo}/events", headers=events.headers)
    ...     try:
    ...         with urllib.request.urlopen(request) as answer:
    ...             return answer.status
    ...     except urllib.error.HTTPError as refused:
    ...         refused.close()
    ...         return refused.code
    >>> with World(at="2026-03-01T09:00:00Z") as world:
    ...     rule = world.faults.add(operation="list_repo_events", fault="secondary_rate_limit", first=1)
    ...     first = poll(world.services.events, world.env["STOA_REPO"])
    ...     moved = world.clock.advance("1h")
    ...     second = poll(world.services.events, world.env["STOA_REPO"])
    ...     world.expect(operation="list_repo_events", exactly=2, no_closer_than="1m")
    ...     world.conduct().must_be_clean()
    >>> first, second, moved["to"]
    (403, 200, '2026-03-01T10:00:00Z')

    A seed file adds users, task lists, repositories and more; tokens that it issues are in env.

    >>> text = "users: [{name: mary, password: correct horse battery, tokens: [{variable: MARY_TOKEN}]}]"
    >>> with World(start="empty", seed_text=text) as world:
    ...     "MARY_TOKEN" in world.env
    True
    """

    def __init__(
        self,
        *,
        start: str = "demo",
        at: Optional[Moment] = None,
        rate: Optional[float] = None,
        seed: Optional[int] = None,
        name: str = "",
        dialect: str = "",
        config: Optional[Mapping[str, Any]] = None,
        seed_file: Union[str, "os.PathLike[str]", None] = None,
        seed_text: str = "",
        lab: Optional[Lab] = None,
    ) -> None:
        clock = None
        if at is not None or rate is not None:
            now = _moment("at", at) if at else None
            clock = _given(mode="frozen" if rate is None else "running", now=now, rate=rate)
        if seed_file is not None:
            with open(seed_file, encoding="utf-8") as file:
                seed_text = file.read()
        body = _given(name=name, clock=clock, seed=seed, dialect=dialect, config=config, seedFile=seed_text)
        body["from"] = start
        self._take(lab or the_lab(), "/worlds", body)

    def _take(self, lab: Lab, path: str, body: Mapping[str, Any]) -> None:
        shown = lab.call("POST", path, body)
        self._lab = lab
        self._deleted = False
        self.name: str = shown["name"]
        self.url: str = shown["url"]
        self.prefix_url: str = shown["prefixUrl"]
        self.https_url: str = shown.get("httpsUrl", "")
        self.ca_file: str = shown.get("caFile", "")
        self.kms_socket: str = shown.get("kmsSocket", "")
        self.seed: int = shown["seed"]
        #: What the clients of the services are configured with, such as STOA_TOKEN.
        self.env: dict[str, str] = shown["env"]
        prefix, here = urllib.parse.urlsplit(self.prefix_url), urllib.parse.urlsplit(lab.url)
        if prefix.netloc != here.netloc or prefix.hostname == "localhost":
            # The lab is in a container or behind a proxy: the world's own port cannot be reached from here.
            self.url = self.prefix_url = lab.url + "/w/" + urllib.parse.quote(self.name, safe="")
            self.env["STOA_URL"] = self.url
        self.clock = Clock(self)
        self.faults = Faults(self)
        self.requests = Requests(self)
        #: What the clients of each service are configured with.
        self.services = Services(self.url, self.kms_socket, self.env)

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: object) -> None:
        self.delete()

    def delete(self) -> None:
        """Ends the world, after its report on the client's conduct, for CI, is written. It may be called again."""
        if self._deleted:
            return
        try:
            self._write_report(os.environ.get("STOA_CONDUCT_REPORTS", ""))
        finally:
            self._call("DELETE", "")
            self._deleted = True

    def _write_report(self, folder: str) -> None:
        if not folder:
            return
        os.makedirs(folder, exist_ok=True)
        report: str = self._lab.call("GET", self._path("/conduct?format=sarif"), text=True)
        with open(os.path.join(folder, self.name + ".sarif"), "w", encoding="utf-8") as file:
            file.write(report)

    def fork(self) -> "World":
        """A second world that begins as this one is now."""
        other = World.__new__(World)
        other._take(self._lab, self._path("/fork"), {})
        return other

    def reset(self) -> None:
        """Takes the world back to its birth; its address stays."""
        self._call("POST", "/reset", {})

    def save(self, name: str) -> None:
        """Keeps the world as it is now; World(start="snapshot:NAME") begins there."""
        self._call("POST", "/snapshots", {"name": name})

    def expect(
        self,
        *,
        exactly: Optional[int] = None,
        at_least: Optional[int] = None,
        at_most: Optional[int] = None,
        no_closer_than: Optional[Duration] = None,
        service: str = "",
        operation: str = "",
        method: str = "",
        path: str = "",
        status: Union[int, str, None] = None,
        caller: str = "",
        header: Optional[Mapping[str, str]] = None,
        body: Optional[Mapping[str, Any]] = None,
    ) -> None:
        """Raises AssertionError with the nearest miss where the world was asked otherwise."""
        __tracebackhide__ = True
        calls = _given(
            service=service, operation=operation, method=method, path=path, status=status, caller=caller,
            header=header, body=body,
        )  # fmt: skip
        asked = _given(exactly=exactly, atLeast=at_least, atMost=at_most)
        if no_closer_than is not None:
            asked["noCloserThan"] = _duration(no_closer_than)
        answer = self._call("POST", "/expect", {"calls": calls, **asked})
        if not answer["pass"]:
            raise AssertionError(answer["message"])

    def inbox(self, name: str, **answer: Any) -> "Inbox":
        """A receiver in the world. answer: status, delay, cut, times."""
        shown = self._call("POST", "/inboxes", {"name": name, "answer": answer})
        return Inbox(self, shown["name"], shown["url"], shown.get("httpsUrl", ""))

    def conduct(self) -> "Report":
        """Judges the requests so far."""
        shown = self._call("GET", "/conduct")
        return Report(shown["clean"], [Finding(**_known(Finding, f)) for f in shown["findings"]])

    def _path(self, rest: str) -> str:
        return "/worlds/" + urllib.parse.quote(self.name, safe="") + rest

    def _call(self, method: str, rest: str, body: Any = None) -> Any:
        return self._lab.call(method, self._path(rest), body)


def _known(kind: Any, members: Mapping[str, Any]) -> dict[str, Any]:
    """Members that this version knows: a newer lab may say more."""
    return {name: members[name] for name in kind.__dataclass_fields__ if name in members}


class Clock:
    """A world's clock. Everything that a client sees follows it.

    >>> with World(at="2026-03-01T09:00:00Z") as world:
    ...     moved = world.clock.advance("7d")
    ...     world.clock.now.isoformat()
    '2026-03-08T09:00:00+00:00'
    """

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def now(self) -> datetime.datetime:
        text = self._world._call("GET", "/clock")["now"]
        return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))

    def freeze(self, now: Optional[Moment] = None) -> None:
        """Stops the clock, where it is unless told."""
        self._world._call("PATCH", "/clock", _given(mode="frozen", now=_moment("freeze", now) if now else None))

    def run(self, rate: float = 1) -> None:
        """3600 makes an hour of a second."""
        self._world._call("PATCH", "/clock", {"mode": "running", "rate": rate})

    def advance(self, by: Optional[Duration] = None, *, to: Optional[Moment] = None) -> dict[str, Any]:
        """Moves the clock and returns when everything that was due has happened."""
        if (by is None) == (to is None):
            raise ValueError("advance takes either by or to")
        body = {"to": _moment("to", to)} if to is not None else {"by": _duration(by or 0)}
        moved: dict[str, Any] = self._world._call("POST", "/clock/advance", body)
        return moved

    def settle(self) -> dict[str, Any]:
        """Runs what is due now and waits for it."""
        moved: dict[str, Any] = self._world._call("POST", "/clock/settle", {})
        return moved


class Faults:
    """Makes chosen requests, messages or jobs of a world fail."""

    def __init__(self, world: World) -> None:
        self._world = world

    def add(
        self,
        *,
        service: str = "",
        operation: str = "",
        method: str = "",
        path: str = "",
        caller: str = "",
        header: Optional[Mapping[str, str]] = None,
        body: Optional[Mapping[str, Any]] = None,
        nth: Optional[int] = None,
        every: Optional[int] = None,
        first: Optional[int] = None,
        after: Optional[int] = None,
        share: Optional[float] = None,
        since: Optional[Moment] = None,
        until: Optional[Moment] = None,
        **deed: Any,
    ) -> str:
        """Adds a rule and returns its id.

        deed is what happens: fault="NAME" of the catalogue; status=, headers= and
        body_text=; delay=; reset=True; cut={"afterBytes": n}; drip=; drop=True;
        duplicate=; fail="message".
        """
        if "body_text" in deed:
            deed["body"] = deed.pop("body_text")
        if "delay" in deed:
            deed["delay"] = _duration(deed["delay"])
        match = _given(
            service=service, operation=operation, method=method, path=path, caller=caller, header=header, body=body
        )
        when = _given(nth=nth, every=every, first=first, after=after, share=share)
        for name, value in (("from", since), ("until", until)):
            if value is not None:
                when[name] = _moment(name, value)
        rule = self._world._call("POST", "/faults", {"match": match, "when": when, "deed": deed})
        identifier: str = rule["id"]
        return identifier

    def list(self) -> list[dict[str, Any]]:
        rules: list[dict[str, Any]] = self._world._call("GET", "/faults")["faults"]
        return rules

    def remove(self, identifier: str) -> None:
        self._world._call("DELETE", "/faults/" + urllib.parse.quote(identifier, safe=""))

    def clear(self) -> None:
        self._world._call("DELETE", "/faults")


class Requests:
    """What a world was asked and what it answered."""

    def __init__(self, world: World) -> None:
        self._world = world

    def list(self, **chosen: Any) -> list[dict[str, Any]]:
        """The newest 1,000, newest first. chosen: service, operation, method, path, status, caller, text."""
        query = urllib.parse.urlencode({"limit": 1000, **chosen})
        found: list[dict[str, Any]] = self._world._call("GET", "/requests?" + query)["requests"]
        return found

    def clear(self) -> None:
        self._world._call("DELETE", "/requests")


@dataclass
class Inbox:
    """Receives what the world's services send.

    >>> import urllib.request
    >>> with World() as world:
    ...     inbox = world.inbox("hooks")
    ...     urllib.request.urlopen(inbox.url, data=b"changed").close()  # a service of the world would send this
    ...     [message["body"] for message in inbox.wait(1)]
    ['changed']
    """

    _world: World
    name: str
    url: str
    https_url: str

    def wait(self, at_least: int = 1, within: Duration = "10s") -> list[dict[str, Any]]:
        """The messages so far, oldest first, once there are so many within a real time."""
        __tracebackhide__ = True
        query = urllib.parse.urlencode({"atLeast": at_least, "within": _duration(within)})
        path = "/inboxes/" + urllib.parse.quote(self.name, safe="") + "/messages?" + query
        messages: list[dict[str, Any]] = self._world._call("GET", path)["messages"]
        if len(messages) < at_least:
            raise AssertionError(
                f"inbox {self.name} has {len(messages)} messages after {within}, expected {at_least}"
            )
        return messages


@dataclass
class Finding:
    """A rule that was broken."""

    rule: str
    severity: str
    service: str
    count: int
    message: str
    contract: str
    requests: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        times = f"{self.severity}, {self.service}, {self.count} times"
        return f"{self.rule} ({times}): {self.message}; requests {', '.join(self.requests)}"


@dataclass
class Report:
    """What a client did that a good one does not."""

    clean: bool
    findings: list[Finding]

    def must_be_clean(self) -> None:
        """Raises AssertionError where a rule of severity error or warning was broken."""
        __tracebackhide__ = True
        if not self.clean:
            raise AssertionError("the client's conduct:\n" + "\n".join(f"  {f}" for f in self.findings))
