"""A lab of Stoa in a container, for Testcontainers."""

from __future__ import annotations

import secrets
import time
import urllib.error
import urllib.request

from testcontainers.core.container import DockerContainer

VERSION = "1.0.0"
__version__ = VERSION
__all__ = ["StoaContainer"]
_PORT = 8080


class StoaContainer(DockerContainer):
    """A lab in a container. Worlds are reached below its one published port."""

    def __init__(self, image: str = "stoa:" + VERSION, *, token: str = "", timeout: float = 60.0, **kwargs: object) -> None:
        super().__init__(image, **kwargs)
        self.lab_token = token or secrets.token_hex(16)
        self._timeout = timeout
        self.with_exposed_ports(_PORT)
        self.with_command(["lab", "--listen", f"0.0.0.0:{_PORT}", "--data", "/data"])
        self.with_env("STOA_LAB_TOKEN", self.lab_token)

    @property
    def lab_url(self) -> str:
        return f"http://{self.get_container_host_ip()}:{self.get_exposed_port(_PORT)}"

    @property
    def lab_env(self) -> dict[str, str]:
        """The variables by which kits and commands find the lab."""
        return {"STOA_LAB_URL": self.lab_url, "STOA_LAB_TOKEN": self.lab_token}

    def start(self) -> "StoaContainer":
        super().start()
        until = time.monotonic() + self._timeout
        while True:
            try:
                with urllib.request.urlopen(self.lab_url + "/readyz", timeout=5):
                    return self
            except (OSError, urllib.error.URLError):
                if time.monotonic() > until:
                    self.stop()
                    raise TimeoutError(f"the lab was not ready after {self._timeout:g} s") from None
                time.sleep(0.1)
