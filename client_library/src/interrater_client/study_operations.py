"""What a program can do with one study, written once for both clients."""

import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from interrater_client import shapes
from interrater_client.decoding import encoded
from interrater_client.frames import FrameForm, FrameLibrary, NoMemberError, empty_frame, frame_of, member_of
from interrater_client.operations import Caller, listing, operation
from interrater_client.problems import NotFoundError, WaitedTooLongError, WorkFailedError
from interrater_client.requests import asked_wait, fetched, pages, ready, saved, sent
from interrater_client.steps import Flow, Give, Pause, Request, Stream, pairs
from interrater_client.uploads import Rows, parts_of

JSON = {"Content-Type": "application/json"}
JSONL = {"Content-Type": "application/x-ndjson"}
TIMEOUT = 600.0
"""Seconds for which operations wait for the server's workers, unless they are told otherwise."""
TABLES = (
    "items", "ratings", "scores", "annotations", "runs", "sessions", "labels", "label_samples", "reviews",
    "adjudications",
)  # fmt: skip
"""Tables that an export leaves out if they have no rows."""
When = datetime | str


class StudyOperations(Caller):
    """A study, by its slug. Nothing is asked of the server before an operation is called."""

    slug: str

    def _get(self, path: str, **params: Any) -> Request:
        return Request("GET", f"/api/studies/{self.slug}/{path}", pairs(params))

    def _post(self, path: str, body: Mapping[str, Any] | None = None, **params: Any) -> Request:
        return Request(
            "POST", f"/api/studies/{self.slug}/{path}", pairs(params), JSON if body is not None else {},
            None if body is None else encoded(body),
        )  # fmt: skip

    def _list(self, key: str, path: str = "", **params: Any) -> Stream:
        return pages(self.server, self._get(path or f"{key}/", **params), key)

    @operation
    def read(self) -> Flow[shapes.StudyDetail]:
        """The study file, its state, progress, and the files of an export."""
        return fetched(self.server, self._get(""))

    @operation
    def change(self, /, **changes: Any) -> Flow[shapes.StudyDetail]:
        """Replace keys of the study file, such as `title="…"`; also `project` and, for a locked study, `reason`."""
        request = Request("PATCH", f"/api/studies/{self.slug}/", (), JSON, encoded(changes))
        return fetched(self.server, request)

    @operation
    def delete(self) -> Flow[None]:
        """Delete a draft that nobody has answered."""
        yield from sent(self.server, Request("DELETE", f"/api/studies/{self.slug}/"))

    @operation
    def change_state(self, verb: shapes.Verb, reason: str | None = None) -> Flow[shapes.State]:
        """Take the study to another state. Going live may wait for workers: see `go_live`."""
        body = {"verb": verb} | ({} if reason is None else {"reason": reason})
        return fetched(self.server, self._post("states/", body))

    @operation
    def go_live(self, timeout: float = TIMEOUT) -> Flow[shapes.State]:
        """Open the study to its annotators, and wait until it is open: workers may have to make tasks first."""
        deadline = time.monotonic() + timeout
        reply = yield from sent(self.server, self._post("states/", {"verb": "go_live"}))
        state: shapes.State = reply.json()
        while reply.status == 202 and state.get("status") != "live":
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"{self.slug} is not live yet; its tasks are still being made.")
            yield Pause(asked_wait(reply) or 1.0)
            state = yield from fetched(self.server, self._get(""))
        return {"slug": self.slug, "status": str(state.get("status")), "detail": str(state.get("detail", ""))}

    @operation
    def pause(self, reason: str | None = None) -> Flow[shapes.State]:
        """Stop giving out tasks."""
        return StudyOperations.change_state.flow(self, "pause", reason)

    @operation
    def resume(self) -> Flow[shapes.State]:
        """Give out tasks again."""
        return StudyOperations.change_state.flow(self, "resume")

    @operation
    def close(self, reason: str | None = None) -> Flow[shapes.State]:
        """End the study for its annotators."""
        return StudyOperations.change_state.flow(self, "close", reason)

    @listing(of=shapes.Progress)
    def watch(self, every: float = 10.0, timeout: float | None = None) -> Stream:
        """Give the progress, and again whenever it has changed, until all answers are there or the study is closed."""
        ends = None if timeout is None else time.monotonic() + timeout
        before: Any = None
        while True:
            detail = yield from fetched(self.server, self._get(""))
            progress = detail.get("progress")
            if progress is not None and progress != before:
                yield Give(progress)
                before = progress
            if detail.get("status") == "closed" or (progress and progress["total"] and _is_done(progress)):
                return
            if ends is not None and time.monotonic() + every > ends:
                raise WaitedTooLongError(f"{self.slug} still waits for answers.")
            yield Pause(every)

    # What goes in.

    def _upload(self, path: str, rows: Rows, reason: str | None) -> Flow[shapes.Imported]:
        """Send rows in parts, each of which the server takes completely or not at all; return the sums."""
        total: shapes.Imported = {"study": self.slug, "added": {}, "prepared": True}
        with parts_of(rows) as parts:
            for part in parts:
                request = Request("POST", f"/api/studies/{self.slug}/{path}", pairs({"reason": reason}), JSONL, part)
                told = yield from fetched(self.server, request)
                for name, count in told["added"].items():
                    total["added"][name] = total["added"].get(name, 0) + count
                total["prepared"] = bool(told.get("prepared", True))
        return total

    @operation
    def add_items(self, rows: Rows, reason: str | None = None) -> Flow[shapes.Imported]:
        """Add items from rows or a JSONL file. A locked study needs a reason.

        Long files go in parts of 20,000 lines or 8 MiB, and each part is added completely or not at all. Sending the
        same rows again changes nothing.
        """
        return self._upload("items/", rows, reason)

    @operation
    def add_ratings(self, rows: Rows, reason: str | None = None) -> Flow[shapes.Imported]:
        """Add people's answers, in parts as `add_items`."""
        return self._upload("ratings/", rows, reason)

    @operation
    def add_scores(self, rows: Rows, reason: str | None = None) -> Flow[shapes.Imported]:
        """Add answers of models and metrics, in parts as `add_items`."""
        return self._upload("scores/", rows, reason)

    @operation
    def add_adjudications(self, rows: Rows, reason: str | None = None) -> Flow[shapes.Imported]:
        """Add final answers from rows or a file, in parts as `add_items`."""
        return self._upload("adjudications/", rows, reason)

    @operation
    def import_file(
        self, table: str, path: str | Path, reason: str | None = None, timeout: float = TIMEOUT
    ) -> Flow[shapes.FileUpload]:
        """Import a file of any size as a whole: workers check it, and import it if they find no problem.

        `table` is items, ratings, scores or adjudications. The result's `state` is imported, refused (see `findings`)
        or failed (see `reason`).
        """
        file, deadline = Path(path), time.monotonic() + timeout
        begun = {"table": table, "name": file.name, "size": file.stat().st_size}
        upload: shapes.FileUpload = yield from fetched(self.server, self._post("uploads/", begun))
        place = f"uploads/{upload['number']}/"
        while upload["state"] == "receiving":
            with file.open("rb") as opened:
                opened.seek(upload["received"])
                part = opened.read(upload["part_bytes"])
            request = Request(
                "POST", f"/api/studies/{self.slug}/{place}parts/", pairs({"offset": upload["received"]}),
                {"Content-Type": "application/octet-stream"}, part,
            )  # fmt: skip
            upload = yield from fetched(self.server, request)
        upload = yield from self._settled(place, "checking", deadline)
        if upload["state"] == "checked":
            yield from sent(self.server, self._post(f"{place}import/", {} if reason is None else {"reason": reason}))
            upload = yield from self._settled(place, "importing", deadline)
        return upload

    def _settled(self, place: str, state: str, deadline: float) -> Flow[shapes.FileUpload]:
        """The upload once it is no longer in this state."""
        while True:
            upload: shapes.FileUpload = yield from fetched(self.server, self._get(place))
            if upload["state"] != state:
                return upload
            if time.monotonic() > deadline:
                raise WaitedTooLongError(f"{upload['name']} is still {state}. Ask again later.")
            yield Pause(1.0)

    @operation
    def adjudicate(
        self, *, item: str, question: str, value: Any, reason: str, number: int = 0, output: str | None = None,
        outputs: list[str] | None = None, variant: str | None = None,
    ) -> Flow[shapes.Adjudication]:  # fmt: skip
        """Write a final answer; None withdraws it. `number` is that of the one before it, 0 if there is none."""
        unit = {"output": output, "outputs": outputs, "variant": variant}
        body = {"item": item, "question": question, "value": value, "reason": reason, "number": number}
        body |= {name: given for name, given in unit.items() if given is not None}
        return fetched(self.server, self._post("adjudications/", body))

    @operation
    def steer_item(
        self, number: int, verb: shapes.Steering, reason: str, priority: str | None = None
    ) -> Flow[shapes.Item]:
        """Withdraw or restore an item, or change when it is given out. `number` is in the entries of `items`."""
        body = {"verb": verb, "reason": reason} | ({} if priority is None else {"priority": priority})
        return fetched(self.server, self._post(f"items/{number}/steps/", body))

    # What is in the study.

    @listing(of=shapes.Item)
    def items(
        self, *, id: str | None = None, pool: str | None = None, withdrawn: bool | None = None, limit: int | None = None
    ) -> Stream:
        """Items with their outputs."""
        return self._list("items", id=id, pool=pool, withdrawn=withdrawn, limit=limit)

    @listing(of=shapes.Rater)
    def raters(self, *, name: str | None = None, kind: str | None = None, limit: int | None = None) -> Stream:
        """People by their random names, models and metrics."""
        return self._list("raters", name=name, kind=kind, limit=limit)

    @listing(of=shapes.Assignment)
    def assignments(
        self, *, item: str | None = None, rater: str | None = None, flagged: bool | None = None,
        since: When | None = None, limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """Raters' work on tasks."""
        return self._list("assignments", item=item, rater=rater, flagged=flagged, since=since, limit=limit)

    @listing(of=shapes.Annotation)
    def annotations(
        self, *, item: str | None = None, rater: str | None = None, status: str | None = None,
        current: bool | None = None, since: When | None = None, limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """Every revision of every answer; `current=True`: only the newest ones."""
        return self._list(
            "annotations", item=item, rater=rater, status=status, current=current, since=since, limit=limit
        )

    @listing(of=shapes.Rating)
    def ratings(
        self, *, item: str | None = None, rater: str | None = None, kind: str | None = None,
        question: str | None = None, current: bool | None = None, since: When | None = None, limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """Single values: a rater's answer to a question about a unit."""
        return self._list(
            "ratings", item=item, rater=rater, kind=kind, question=question, current=current, since=since, limit=limit
        )

    @listing(of=shapes.Session)
    def sessions(
        self, *, item: str | None = None, rater: str | None = None, status: str | None = None,
        since: When | None = None, limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """Revision sessions."""
        return self._list(
            "sessions", "revision-sessions/", item=item, rater=rater, status=status, since=since, limit=limit
        )

    @listing(of=shapes.Turn)
    def turns(self, session: int) -> Stream:
        """The turns of a session, by its `number`."""
        return self._list("turns", f"revision-sessions/{session}/turns/")

    @listing(of=shapes.Run)
    def runs(self, *, rater: str | None = None, status: str | None = None, limit: int | None = None) -> Stream:
        """Runs of judges and metrics."""
        return self._list("runs", rater=rater, status=status, limit=limit)

    @listing(of=shapes.Adjudication)
    def adjudications(
        self, *, item: str | None = None, question: str | None = None, current: bool | None = None,
        since: When | None = None, limit: int | None = None,
    ) -> Stream:  # fmt: skip
        """Researchers' final answers."""
        return self._list("adjudications", item=item, question=question, current=current, since=since, limit=limit)

    @operation
    def item(self, number: int) -> Flow[shapes.Item]:
        """One item, by its `number`."""
        return fetched(self.server, self._get(f"items/{number}/"))

    @operation
    def annotation(self, number: int) -> Flow[shapes.Annotation]:
        """One answer, by its `number`, with all its `revisions`."""
        return fetched(self.server, self._get(f"annotations/{number}/"))

    @operation
    def session(self, number: int) -> Flow[shapes.Session]:
        """A whole session, by its `number`."""
        return fetched(self.server, self._get(f"revision-sessions/{number}/"))

    # Reports, for which workers may need a while.

    @operation
    def agreement(
        self, *, kinds: str | None = None, raters: list[str] | None = None, guidelines: int | str | None = None,
        by: str | None = None, within: int | None = None, timeout: float = TIMEOUT,
    ) -> Flow[dict[str, Any]]:  # fmt: skip
        """The agreement report; waits until workers have computed it."""
        request = self._get("agreement/", kinds=kinds, raters=raters, guidelines=guidelines, by=by, within=within)
        return ready(self.server, request, time.monotonic() + timeout)

    @operation
    def meta_evaluation(self, /, *, timeout: float = TIMEOUT, **options: Any) -> Flow[dict[str, Any]]:
        """Judges against people, with the options of the server's reference; waits until workers have computed it."""
        return ready(self.server, self._get("meta-evaluation/", **options), time.monotonic() + timeout)

    @operation
    def session_report(
        self, *, labeller: str | None = None, within: int | None = None, timeout: float = TIMEOUT
    ) -> Flow[dict[str, Any]]:
        """The report on revision sessions; waits until workers have computed it."""
        request = self._get("sessions/", labeller=labeller, within=within)
        return ready(self.server, request, time.monotonic() + timeout)

    # Exports.

    @operation
    def start_export(self, format: str = "jsonl") -> Flow[shapes.Export]:
        """Take the kept export of the present data in this format, or have a worker write one."""
        return fetched(self.server, self._post("exports/", format=format))

    @listing(of=shapes.Export)
    def exports(self) -> Stream:
        """The newest exports; of those without a file, `removed_for` says why."""
        return self._list("exports")

    @operation
    def export(self, path: str | Path, format: str = "jsonl", timeout: float = TIMEOUT) -> Flow[Path]:
        """Save the study's export as a zip archive at `path`: start it, wait, download, compare its SHA-256."""
        deadline = time.monotonic() + timeout
        began: shapes.Export = yield from StudyOperations.start_export.flow(self, format)
        state: shapes.Export = yield from ready(self.server, self._get(f"exports/{began['id']}/"), deadline)
        address = state.get("file")
        if not address:
            raise WorkFailedError(state.get("reason") or state.get("removed_for") or "The export has no file.")
        request = Request("GET", address)
        return (yield from saved(self.server, request, Path(path), state["sha256"], state["bytes"]))

    @operation
    def archive(self, path: str | Path, format: str = "jsonl") -> Flow[Path]:
        """Save an export that is written while it is sent: for small studies, and servers without kept exports."""
        return saved(self.server, self._get("export/", format=format), Path(path))

    @operation
    def file(self, name: str, path: str | Path) -> Flow[Path]:
        """Save one file of the export, such as `ratings.csv`."""
        return saved(self.server, self._get(f"export/{name}"), Path(path))

    @operation
    def dataframe(
        self, table: str = "ratings", library: FrameLibrary = "pandas", form: FrameForm = "jsonl"
    ) -> Flow[Any]:
        """A table of the export as a DataFrame of pandas or polars; without rows, one without columns.

        As `jsonl` a column has the values as they were given. As `parquet` each column has one type; it comes from a
        kept export, for which the operation waits.
        """
        with tempfile.TemporaryDirectory(prefix="interrater-") as folder:
            try:
                if form == "parquet":
                    whole = yield from StudyOperations.export.flow(self, Path(folder) / "export.zip", form)
                    path = member_of(whole, f"{table}.parquet")
                else:
                    path = Path(folder) / "table.jsonl"
                    yield from saved(self.server, self._get(f"export/{table}.jsonl"), path)
            except (NotFoundError, NoMemberError):
                if table not in TABLES:
                    raise
                yield from fetched(self.server, self._get(""))  # a study that does not exist is an error
                return empty_frame(library)
            return frame_of(path, library)


def _is_done(progress: shapes.Progress) -> bool:
    return progress["filled"] >= progress["total"]
