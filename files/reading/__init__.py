"""Import: study, items, ratings, annotations and more from files into the database, completely or not at all.

The files are read line by line and checked completely before anything is written. New rows wait in a temporary file
(`staging`), so memory hardly grows with the files and nobody waits for the import. Then they are written in one
transaction, or in short steps on SQLite (`stepwise_import`). `docs/formats.md` describes the files.
"""

from collections.abc import Mapping
from pathlib import Path

from accounts.models import Person
from annotation.models import Study
from annotation.studies.unplanning import remove_outdated
from files.import_problems import ImportProblem, ImportRefusedError, refuse
from files.line_reading import Watch
from files.reading import stepwise_import
from files.reading.folder import find_files
from files.reading.import_attempt import ImportAttempt, ImportResult, OnWrite, Tables
from files.reading.import_lock import import_lock
from files.reading.import_tries import record_try
from files.reading.staging import Staging, StudyChangedError
from files.reading.study_file import read_study_file
from files.reading.study_updates import NoUpdate, StudyFileUpdate, StudyUpdate

__all__ = [
    "ImportProblem",
    "ImportRefusedError",
    "ImportResult",
    "add_to_study",
    "import_study",
    "replace_draft",
    "replacement_of_draft",
]

ATTEMPTS = 3
CHANGED = "somebody worked on the same tasks while the files were being checked: import them again"
NO_EXAMPLES = "has no examples.jsonl that could replace the study's examples"


def import_study(
    source: Path,
    named: Mapping[str, Path | None] | None = None,
    *,
    owner: Person | None = None,
    actor: Person | None = None,
    replace_examples: bool = False,
    replace_draft: bool = False,
    reason: str = "",
) -> ImportResult:
    """Import a folder, or a study file with the files that `named` gives by table.

    `owner` becomes an owner of the study; `actor` is the person that the audit names (None: a command). With
    `replace_examples` new runs of judges show the file's examples alone. With `replace_draft` the study file
    takes the place of a draft without answers, and the items of the files that of all its items. Raises
    ImportRefusedError, with nothing stored, if anything is wrong.
    """
    files = find_files(source, named or {})
    update = StudyFileUpdate(
        read_study_file(files.study), files.guidelines, owner, replace_draft, replace_draft and "items" in files.tables
    )
    if replace_examples and "examples" not in files.tables:
        raise refuse(source.name, NO_EXAMPLES)
    return _import(update, files.tables, actor, "", replace_examples=replace_examples, reason=reason, own_names=True)


def replacement_of_draft(source: Path) -> tuple[StudyFileUpdate, Tables]:
    """The change that makes a draft what a folder says, and the folder's tables. Raises ImportRefusedError."""
    files = find_files(source, {})
    return StudyFileUpdate(read_study_file(files.study), files.guidelines, None, True, True), files.tables


def replace_draft(
    source: Path, actor: Person | None, via: str = "", *, watch: Watch | None = None, on_write: OnWrite | None = None
) -> ImportResult:
    """Let a folder take the place of the draft with its slug, which nobody has answered; otherwise as `add_to_study`.

    Raises ImportRefusedError.
    """
    update, tables = replacement_of_draft(source)
    return _import(update, tables, actor, via, watch=watch, on_write=on_write)


def add_to_study(
    study: Study,
    tables: Tables,
    actor: Person | None,
    via: str = "",
    *,
    watch: Watch | None = None,
    on_write: OnWrite | None = None,
    reason: str = "",
    own_names: bool = False,
) -> ImportResult:
    """Add the rows of files to an existing study; `via` tells the audit how they were sent.

    A locked study needs a `reason`. Files for a blinded study name its systems by codes, except, with `own_names`,
    those that the site itself has written and nobody sees.

    Calls `watch` with the bytes read while the files are checked, and `on_write` in the transaction that decides the
    import. Raises ImportRefusedError, with nothing stored, if anything is wrong.
    """
    return _import(
        NoUpdate(study), tables, actor, via, watch=watch, on_write=on_write, reason=reason, own_names=own_names
    )


def _import(
    update: StudyUpdate,
    tables: Tables,
    actor: Person | None,
    via: str,
    *,
    replace_examples: bool = False,
    watch: Watch | None = None,
    on_write: OnWrite | None = None,
    reason: str = "",
    own_names: bool = False,
) -> ImportResult:
    with import_lock(update.slug):
        stepwise_import.discard_undecided(update.slug)
        for _ in range(ATTEMPTS):
            stepwise_import.complete_imports(update.slug)
            for draft in Study.objects.filter(slug=update.slug, outdated_through__gt=0):
                remove_outdated(draft)
            try:
                with Staging() as staging:
                    target = update.preview(staging)
                    target.replaces_examples = replace_examples
                    if own_names:
                        target.use_own_names()
                    attempt = ImportAttempt(update, target, actor, via, reason)
                    attempt.on_write = on_write
                    return _made(attempt, tables, watch)
            except StudyChangedError:
                continue
    raise refuse(update.slug, CHANGED)


def _made(attempt: ImportAttempt, tables: Tables, watch: Watch | None) -> ImportResult:
    """Check and write what an attempt is for; the audit keeps who was refused by a blinded study."""
    try:
        attempt.check(tables, watch)
        return attempt.write()
    except ImportRefusedError as refused:
        if attempt.target.codes.are_used:
            record_try(attempt.target.study, attempt.actor, attempt.via, attempt.result.digests, refused)
        raise
