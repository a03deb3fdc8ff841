"""A message broker made of files, for one machine without Redis. Each message is a file in its queue's folder.

Messages of priority 0 come before all others, as with Redis. A message is written under another name and then renamed,
so nobody reads half of it. The process that deletes the file has the message. Unreadable messages are dropped, and
messages may be lost: the rows of background work are the queue, and messages only wake workers.
"""

import logging
import os
import time
from pathlib import Path
from queue import Empty
from typing import Any
from uuid import uuid4

from kombu.transport import virtual
from kombu.utils.json import dumps, loads

logger = logging.getLogger(__name__)
LISTED_FOR = 0.5
"""Seconds for which the list of messages in a folder is used; messages that came since may have to go first."""


class Channel(virtual.Channel):
    """Writes and takes messages."""

    do_restore = False

    def __init__(self, connection: Any, **options: Any) -> None:
        super().__init__(connection, **options)
        self.root = Path(self.connection.client.transport_options["folder"])
        self.listed: dict[str, tuple[float, list[str]]] = {}

    def _folder(self, queue: str) -> Path:
        folder = self.root / queue
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    def _names(self, queue: str) -> list[str]:
        return sorted((name for name in os.listdir(self._folder(queue)) if name.endswith(".json")), reverse=True)

    def _put(self, queue: str, message: Any, **options: Any) -> None:
        name = f"{self._get_message_priority(message)}-{time.time_ns():020d}-{uuid4().hex}.json"
        path = self._folder(queue) / name
        unfinished = path.with_suffix(".unfinished")
        try:
            unfinished.write_text(dumps(message), encoding="utf-8")
            unfinished.replace(path)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        at, names = self.listed.get(queue, (0.0, []))
        if not names or time.monotonic() - at > LISTED_FOR:
            names = self._names(queue)
            self.listed[queue] = time.monotonic(), names
        while names:
            path = self._folder(queue) / names.pop()
            try:
                text = path.read_bytes()
                path.unlink()
            except FileNotFoundError:  # another worker was faster
                continue
            try:
                return loads(text.decode("utf-8"))
            except ValueError:
                logger.warning("A message that cannot be read was dropped: %s", path.name)
        raise Empty

    def _size(self, queue: str) -> int:
        return len(self._names(queue))

    def _purge(self, queue: str) -> int:
        names = self._names(queue)
        for name in names:
            (self._folder(queue) / name).unlink(missing_ok=True)
        return len(names)


class Transport(virtual.Transport):
    """The transport that Celery uses for the broker address `files://`."""

    Channel = Channel
    driver_type = driver_name = "files"
    global_state = virtual.BrokerState()

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.state = self.global_state

    def driver_version(self) -> str:
        return "1"
