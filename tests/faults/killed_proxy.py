"""A web server behind the shipped proxy, of which either is killed or the web server is updated while raters work."""

import os
import random
import signal
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.faults.power_cuts import family
from tests.load.server import Server
from tests.own_proxy import OwnProxy


@dataclass
class ProxiedServer(Server):
    """A web server that clients reach through nginx only: `port` is that of nginx, `process` the web server."""

    proxy: OwnProxy | None = field(default=None, repr=False)
    folder: tempfile.TemporaryDirectory | None = field(default=None, repr=False)

    def start(self) -> None:
        super().start()
        self.folder = tempfile.TemporaryDirectory(prefix="interrater-proxy-")
        self.proxy = OwnProxy(Path(self.folder.name), self.port)
        self.proxy.start()
        self.port = self.proxy.port

    def start_web_again(self) -> None:
        """Start the web server that has ended on its port again; the proxy runs all the time."""
        assert self.proxy is not None
        self.port = self.proxy.web
        super().start()
        self.port = self.proxy.port

    def update_web(self) -> None:
        """Stop the web server as Docker does, and start it, as an update does with another version."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(20)
        self.start_web_again()

    def kill_web(self, whole: bool) -> None:
        """Kill a process of the web server, which gunicorn replaces; or all of them, and start them again."""
        assert self.process is not None
        if not whole:
            while not (processes := family(self.process.pid)[1:]):  # the last one that was killed is being replaced
                time.sleep(0.02)
            os.kill(random.choice(processes), signal.SIGKILL)
            return
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        self.start_web_again()

    def kill_proxy(self) -> None:
        """Kill one of nginx's processes, which its master replaces, or all of them, and start it again."""
        assert self.proxy is not None
        assert self.proxy.process is not None
        master, *others = family(self.proxy.process.pid)
        if others and random.random() < 0.5:
            os.kill(random.choice(others), signal.SIGKILL)
            return
        for pid in (master, *others):  # the others would keep the port
            os.kill(pid, signal.SIGKILL)
        self.proxy.process.wait(10)
        self.proxy.start()

    def end(self, how: int = signal.SIGTERM) -> None:
        if self.proxy is not None:
            self.proxy.end()
        super().end(how)
        if self.folder is not None:
            self.folder.cleanup()
