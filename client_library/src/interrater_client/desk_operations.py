"""What a program can do as an annotator of one study, with a token to annotate. Written once for both clients."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from interrater_client.decoding import encoded
from interrater_client.operations import Caller, listing, operation
from interrater_client.requests import fetched, pages
from interrater_client.steps import Flow, Request, Stream, pairs

JSON = {"Content-Type": "application/json"}
Fields = Mapping[str, str | Sequence[str]]


class DeskOperations(Caller):
    """The desk of the annotator who made the token."""

    slug: str

    def _at(self, path: str) -> str:
        return f"/api/studies/{self.slug}/work/{path}"

    def _post(self, path: str, body: Mapping[str, Any]) -> Request:
        given = {name: value for name, value in body.items() if value is not None}
        return Request("POST", self._at(path), (), JSON, encoded(given))

    @operation
    def next_task(self) -> Flow[dict[str, Any] | None]:
        """Claim the next task, or return the one that is held; None if there is none now."""
        body = yield from fetched(self.server, self._post("next/", {}))
        task: dict[str, Any] | None = body["task"]
        return task

    @listing(of=dict[str, Any])
    def tasks(self, *, limit: int | None = None) -> Stream:
        """One's own tasks, newest first."""
        return pages(self.server, Request("GET", self._at(""), pairs({"limit": limit})), "work")

    @operation
    def task(self, key: str) -> Flow[dict[str, Any]]:
        """One's own task by its key, as its page shows it."""
        return fetched(self.server, Request("GET", self._at(f"{key}/")))

    @operation
    def submit(
        self, task: Mapping[str, Any], fields: Fields, *, visible_seconds: float | None = None,
        active_seconds: float | None = None,
    ) -> Flow[dict[str, Any]]:  # fmt: skip
        """Submit an answer to a task that was read, or a new revision of it. Raises AnswersRefusedError."""
        body = {
            "fields": dict(fields), "revision": task.get("revision", 0), "client_key": str(uuid.uuid4()),
            "guidelines_version": task.get("guidelines_version"), "visible_seconds": visible_seconds,
            "active_seconds": active_seconds,
        }  # fmt: skip
        return fetched(self.server, self._post(f"{task['key']}/submit/", body))

    @operation
    def skip(self, task: Mapping[str, Any], reason: str) -> Flow[dict[str, Any]]:
        """Skip a task; its place opens to others."""
        body = {"reason": reason, "revision": task.get("revision", 0), "client_key": str(uuid.uuid4())}
        return fetched(self.server, self._post(f"{task['key']}/skip/", body))

    @operation
    def renew(self, task: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """Renew the lease of a task that takes long."""
        return fetched(self.server, self._post(f"{task['key']}/pulse/", {}))
