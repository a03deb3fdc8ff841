"""The shipped proxy in front of a web server, whose processes are killed while raters work."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from scripts.stack import Stack
from tests.faults.power_cuts import family
from tests.load.server import Server, free_port

PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])
SLOWEST_START = 20.0


def missing_proxy() -> str:
    """Say that nginx is not installed; "" if it is."""
    return "" if shutil.which("nginx", path=PATH) else "nginx is missing: sudo apt install nginx-light"


@dataclass
class ProxiedServer(Server):
    """A web server that clients reach through nginx only: `port` is that of nginx."""

    folder: Path = field(default_factory=Path)
    web: int = 0
    stack: Stack | None = field(default=None, repr=False)
    proxy: subprocess.Popen | None = field(default=None, repr=False)

    def start(self) -> None:
        super().start()
        self.web, self.port = self.port, free_port()
        self.folder.mkdir(mode=0o711)
        self.stack = Stack(self.folder, PATH, {"postgres": 1, "redis": 2, "web": self.web, "proxy": self.port})
        self.stack.described = [service for service in self.stack.described if service.name == "proxy"]
        self.stack.make_folders()
        self.start_proxy()

    def start_proxy(self) -> None:
        assert self.stack is not None
        (service,) = self.stack.described
        command = self.stack.command(service, service.command)
        self.proxy = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        deadline = time.monotonic() + SLOWEST_START
        while True:
            with socket.socket() as asking:
                if asking.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.proxy.poll() is None, "nginx ended at its start"
            assert time.monotonic() < deadline, "nginx does not listen"
            time.sleep(0.05)

    def kill_proxy(self) -> None:
        """Kill one of nginx's processes, which its master replaces, or all of them, and start it again."""
        assert self.proxy is not None
        master, *others = family(self.proxy.pid)
        if others and random.random() < 0.5:
            os.kill(random.choice(others), signal.SIGKILL)
            return
        for pid in (master, *others):  # the others would keep the port
            os.kill(pid, signal.SIGKILL)
        self.proxy.wait(10)
        self.start_proxy()

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.proxy is not None and self.proxy.poll() is None:
            self.proxy.terminate()
            self.proxy.wait(30)
        super().end(how)
