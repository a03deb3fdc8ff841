"""The shipped proxy: a real nginx of our own, on a free port, in front of a port of this machine."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.compose import ComposeService
from scripts.stack import Stack, free_port

PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
SLOWEST_START = 20.0
FORWARD = "/etc/nginx/forward.conf"


def missing_proxy() -> str:
    """Say that nginx is not installed; "" if it is."""
    return "" if shutil.which("nginx", path=PATH) else "nginx is missing: sudo apt install nginx-light"


def wait_for(port: int, process: subprocess.Popen, log: Path | None = None) -> None:
    """Return when the process listens on the port; `log` has what it said."""
    deadline = time.monotonic() + SLOWEST_START
    while True:
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, f"nginx ended at its start: {log.read_text() if log else ''}"
        assert time.monotonic() < deadline, "nginx does not listen"
        time.sleep(0.05)


class OwnProxy:
    """An nginx that passes requests on to `web`; `port` is its own.

    Its folder must be one that every user can enter, because nginx started by root runs its workers as another user.
    """

    def __init__(self, folder: Path, web: int) -> None:
        folder.chmod(0o711)
        self.web, self.port = web, free_port()
        self.stack = Stack(folder, PATH, {"postgres": 1, "redis": 2, "web": web, "proxy": self.port})
        self.service: ComposeService = next(one for one in self.stack.described if one.name == "proxy")
        self.stack.described = [self.service]
        self.stack.make_folders()
        self.process: subprocess.Popen | None = None

    def change(self, old: str, new: str) -> None:
        """Change what its copy of forward.conf says, before it starts."""
        place = self.stack.file_place(self.service, FORWARD)
        text = place.read_text(encoding="utf-8")
        assert old in text
        place.write_text(text.replace(old, new), encoding="utf-8")

    def start(self) -> None:
        command = self.stack.command(self.service, self.service.command)
        log = self.stack.folder / "nginx.log"
        with log.open("a") as said:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=said, start_new_session=True)
        wait_for(self.port, self.process, log)

    def end(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)


@contextmanager
def own_proxy(web: int, *changes: tuple[str, str]) -> Iterator[int]:
    """Yield the port of a running proxy before `web`; `changes` are made to its forward.conf."""
    with tempfile.TemporaryDirectory(prefix="interrater-proxy-") as folder:
        proxy = OwnProxy(Path(folder), web)
        for old, new in changes:
            proxy.change(old, new)
        proxy.start()
        try:
            yield proxy.port
        finally:
            proxy.end()
