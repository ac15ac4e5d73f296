"""The control API of a lab, found or started once in a process."""

from __future__ import annotations

import atexit
import collections
import http.client
import json
import os
import shutil
import subprocess
import threading
import urllib.parse
from typing import Any, Optional

VERSION = "1.0.0"
_START_SECONDS = 60.0


class LabError(Exception):
    """What a lab refused, in its own words."""

    def __init__(self, status: int, code: str, message: str, next_step: str = "") -> None:
        super().__init__(f"{message}: {next_step}" if next_step else message)
        self.status = status
        self.code = code
        self.message = message
        self.next_step = next_step


class Lab:
    """A lab at an address. Threads may share it."""

    def __init__(self, url: str, token: str) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._address = urllib.parse.urlsplit(self.url)

    @property
    def env(self) -> dict[str, str]:
        """The variables by which other processes find the lab."""
        return {"STOA_LAB_URL": self.url, "STOA_LAB_TOKEN": self._token}

    def call(self, method: str, path: str, body: Any = None, *, text: bool = False, timeout: float = 120.0) -> Any:
        """Calls the control API. None is returned where the answer is empty."""
        headers = {"Authorization": "Bearer " + self._token}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            response, raw = self._send(method, path, data, headers, timeout)
        except (OSError, ValueError, http.client.HTTPException) as cause:
            raise ConnectionError(
                f"the lab at {self.url} does not answer ({cause}): it has ended, or STOA_LAB_URL names another address"
            ) from cause
        _check_version(response.getheader("Stoa-Version") or "")
        if response.status >= 400:
            raise _refusal(response.status, raw)
        if text:
            return raw.decode()
        return json.loads(raw) if raw else None

    def _send(
        self, method: str, path: str, data: Optional[bytes], headers: dict[str, str], timeout: float
    ) -> tuple[http.client.HTTPResponse, bytes]:
        kind = http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        if not self._address.hostname:
            raise ValueError("no host")
        connection = kind(self._address.hostname, self._address.port, timeout=timeout)
        try:
            connection.request(method, self._address.path + "/lab/v1" + path, body=data, headers=headers)
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()


def _check_version(other: str) -> None:
    mine, theirs = _series(VERSION), _series(other)
    if theirs and theirs != mine:
        raise RuntimeError(
            f"stoatest is made for Stoa {VERSION} and the lab is {other}: install the same version of both"
        )


def _series(version: str) -> str:
    """Major and minor number of a release, empty for other builds."""
    parts = version.removeprefix("v").split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return ""
    return ".".join(parts[:2])


def _refusal(status: int, raw: bytes) -> LabError:
    try:
        error = json.loads(raw)["error"]
        return LabError(status, error.get("code", ""), error["message"], error.get("next", ""))
    except (ValueError, KeyError, TypeError):
        return LabError(status, "", f"the lab answered {status}: {raw[:200]!r}")


_lock = threading.Lock()
_lab: Optional[Lab] = None


def the_lab() -> Lab:
    """The lab of this process: that of STOA_LAB_URL, or one that is started."""
    global _lab
    with _lock:
        if _lab is None:
            _lab = _find()
        return _lab


def _find() -> Lab:
    url = os.environ.get("STOA_LAB_URL", "")
    if url:
        token = os.environ.get("STOA_LAB_TOKEN", "")
        if not token:
            raise RuntimeError("STOA_LAB_URL is set and STOA_LAB_TOKEN is not: stoa lab prints both")
        return Lab(url, token)
    binary = os.environ.get("STOA_BIN", "") or shutil.which("stoa")
    if not binary:
        raise RuntimeError(
            "no lab: set STOA_BIN to the program, put stoa into the path, "
            "or set STOA_LAB_URL and STOA_LAB_TOKEN to a lab that runs"
        )
    return _start(binary)


def _start(binary: str) -> Lab:
    """Runs a lab that ends when its standard input closes, however this process ends."""
    # A collector that runs less often starts the program faster; a lab of tests has little to collect.
    process = subprocess.Popen(
        [binary, "lab", "--ephemeral", "--listen", "127.0.0.1:0"],
        env={"GOGC": "800", **os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said: collections.deque[str] = collections.deque(maxlen=40)
    threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True).start()
    ready = threading.Event()
    found: list[Lab] = []

    def read() -> None:
        for line in process.stdout or ():
            words = line.split()
            if len(words) == 4 and words[0] == "lab" and words[2] == "token":
                found.append(Lab(words[1], words[3]))
            elif words and words[0] == "ready":
                ready.set()
        ready.set()

    threading.Thread(target=read, daemon=True).start()
    if not ready.wait(_START_SECONDS) or not found or process.poll() is not None:
        process.kill()
        process.wait()
        raise RuntimeError(f"{binary} lab did not start:\n{''.join(said)}")
    atexit.register(_stop, process)
    return found[0]


def _stop(process: "subprocess.Popen[str]") -> None:
    """Lets the lab remove its folder before this process is gone."""
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
