"""Moving old audit entries out of the database, into a file."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from accounts.audited_erasure import ErasureRefusedError, audited_erasure
from accounts.models import AuditEntry, Person
from config.erasure import ErasedRows
from config.model_fields import canonical_json

AT_ONCE = 5_000


class ArchiveUnconfirmedError(Exception):
    """The database did not confirm that it deleted the entries. It may have: the file is kept, and the message says so.

    Nothing but the audit can tell, and only later: a server may still carry out what a lost connection has sent.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"The database did not confirm that the entries were deleted, so {path} is kept. Look in the audit for an "
            f'entry "audit archived" that names this file. If there is one, the entries are only in the file: keep it. '
            "If there is none, they are still in the database: delete the file and archive again."
        )


def newest_kept(study: str, kept: int) -> datetime | None:
    """The time of the study's entry before which all but the `kept` newest are; None if it has no more than those."""
    newest = AuditEntry.objects.filter(study=study).order_by("-at").values_list("at", flat=True)
    found = list(newest[kept - 1 : kept + 1])
    return found[0] if len(found) == 2 else None


def archive_audit(
    before: datetime, path: Path, actor: Person | None, most: int | None = None, study: str | None = None
) -> int:
    """Move the entries older than `before`, or the first `most`, to a new file of JSON lines; return how many.

    With `study`, a slug, only those of that study.

    The file is on the disk before a row is deleted. An error before the commit removes it; from then on it is kept,
    because the entries may be nowhere else. Lines name people by the ids of identities, as the database does, so that
    erasing a person reaches old files too. The audit keeps the file's name and SHA-256.

    Raises ErasureRefusedError, and ArchiveUnconfirmedError.
    """
    old = AuditEntry.objects.filter(at__lt=before)
    entries = (old if study is None else old.filter(study=study)).order_by("pk")[:most]
    with _new_file(path) as part:
        keys, digest = _write(entries.iterator(AT_ONCE), part)
        if not keys:
            raise ErasureRefusedError("There are no entries that old.")
        _publish(part, path)
        new = {"entries": len(keys), "before": before.isoformat(), "file": path.name, "sha256": digest}
        new |= {} if study is None else {"study": study}
        committing = False
        try:
            with audited_erasure("audit archived", "audit", actor=actor, new=new) as erased:
                _delete(keys, erased)
                committing = True
        except BaseException as problem:
            if committing:
                raise ArchiveUnconfirmedError(path) from problem
            path.unlink(missing_ok=True)
            raise
    return len(keys)


def _delete(keys: list[int], erased: ErasedRows) -> None:
    batches = (keys[start : start + AT_ONCE] for start in range(0, len(keys), AT_ONCE))
    if sum(erased.delete(AuditEntry.objects.filter(pk__in=batch)) for batch in batches) != len(keys):
        raise ErasureRefusedError("Another archive is running. Try again when it has finished.")


@contextmanager
def _new_file(path: Path) -> Iterator[Path]:
    """Yield the temporary name under which to write `path`; its file is removed at the end in any case."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
    except OSError as problem:
        raise ErasureRefusedError(f"{path} cannot be written: {problem.strerror or problem}.") from problem
    finally:
        part.unlink(missing_ok=True)


def _write(entries: Iterator[AuditEntry], part: Path) -> tuple[list[int], str]:
    """Write a line per entry and flush the file to the disk; return the entries' keys and the file's SHA-256."""
    keys, digest = [], hashlib.sha256()
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        for entry in entries:
            line = canonical_json({
                "id": entry.pk, "at": entry.at.isoformat(), "actor": entry.actor_id, "about": entry.about_id,
                "action": entry.action, "study": entry.study, "subject": entry.subject, "old": entry.old,
                "new": entry.new,
            }).encode() + b"\n"  # fmt: skip
            digest.update(line)
            keys.append(entry.pk)
            file.write(line)
        file.flush()
        os.fsync(file.fileno())
    return keys, digest.hexdigest()


def _publish(part: Path, path: Path) -> None:
    """Give the file its name, unless the name is taken, and flush the folder to the disk."""
    try:
        os.link(part, path)
    except FileExistsError:
        raise ErasureRefusedError(f"{path} exists already. Choose another name.") from None
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
