"""Firefox, spoken to by WebDriver BiDi over its own port: the second browser, for which no driver is installed."""

import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PROGRAMS = ("firefox-esr", "firefox")
SLOWEST_START, LONGEST_WAIT = 60, 60
"""Seconds."""
PREFERENCES = {"app.update.auto": False, "datareporting.policy.dataSubmissionEnabled": False,
               "browser.aboutwelcome.enabled": False, "network.captive-portal-service.enabled": False,
               "network.connectivity-service.enabled": False, "services.settings.server": "",
               "browser.shell.checkDefaultBrowser": False, "toolkit.telemetry.enabled": False}  # fmt: skip


def find_firefox() -> str | None:
    """Return the path of a Firefox, or None."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Firefox:
    """One tab. `heard` holds each event that came since it was emptied."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection, self.numbers = connection, itertools.count(1)
        self.heard: list[dict[str, Any]] = []
        self.ask("session.new", capabilities={"alwaysMatch": {"unhandledPromptBehavior": {"default": "dismiss"}}})
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]
        self.ask("session.subscribe", events=["browsingContext.userPromptOpened", "network.beforeRequestSent",
                                              "log.entryAdded"])  # fmt: skip

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a command; raises AssertionError with the browser's words if it was refused."""
        number = next(self.numbers)
        self.connection.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self.connection.recv(timeout=LONGEST_WAIT))
            if told["type"] == "event":
                self.heard.append(told)
            elif told["id"] == number:
                assert told["type"] == "success", f"{method}: {told['error']}: {told['message']}"
                return told["result"]

    def visit(self, address: str) -> None:
        self.ask("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def evaluate(self, function: str) -> Any:
        """The value, a number or a text, of a function in the page."""
        result = self.ask("script.callFunction", functionDeclaration=function, target={"context": self.tab},
                          awaitPromise=False)  # fmt: skip
        assert result["type"] == "success", result
        return result["result"].get("value")

    def set_cookie(self, name: str, value: str, host: str) -> None:
        cookie = {"name": name, "value": {"type": "string", "value": value}, "domain": host, "path": "/"}
        self.ask("storage.setCookie", cookie=cookie)

    def forget_cookies(self) -> None:
        self.ask("storage.deleteCookies")


@contextmanager
def firefox(program: str, folder: Path) -> Iterator[Firefox]:
    """Start Firefox without a window, with a new profile in `folder`; end it by its process id."""
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
    said = folder / "said"
    with said.open("wb") as output:
        process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"],
            stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        with connect(f"{_address(said, process)}/session", max_size=None, proxy=None) as connection:
            yield Firefox(connection)
    finally:
        process.terminate()
        process.wait(30)


def _address(said: Path, process: subprocess.Popen) -> str:
    mark, ends = "WebDriver BiDi listening on ", time.monotonic() + SLOWEST_START
    while time.monotonic() < ends and process.poll() is None:
        text = said.read_text(encoding="utf-8", errors="replace")
        if mark in text and "\n" in text.partition(mark)[2]:
            return text.partition(mark)[2].split()[0]
        time.sleep(0.1)
    raise AssertionError(f"Firefox did not listen: {said.read_text(encoding='utf-8', errors='replace')}")
