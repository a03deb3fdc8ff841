"""Exports: a study as a folder of files that show one moment, with the same bytes whenever the study is the same.

`docs/formats.md` describes the folder. An import of it loses nothing.
"""

import hashlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.db.models import Count, Q

from accounts.auditing import record
from accounts.models import Person
from annotation.blinding import unblinding_facts
from annotation.models import Annotation, Guideline, JudgeRun, Rater, Rating, Study, WrittenExample
from annotation.pools import COPIES, no_copies
from annotation.studies.snapshots import study_snapshot
from config.parts import parts
from config.software_version import SOFTWARE_VERSION
from files.writing.dataset_card import Card, citation_text
from files.writing.example_lines import has_examples
from files.writing.file_writers import WrittenFile, write_text
from files.writing.folder_placement import MANIFEST, SCHEMA, ExportRefusedError, placed
from files.writing.own_tables import STUDY_TABLES, study_tables
from files.writing.run_lines import has_runs
from files.writing.study_yaml import study_yaml
from files.writing.table_files import FORMATS, SMALL_FORMATS
from files.writing.table_list import NOTHING_COMPUTED, ComputedFiles
from files.writing.written_tables import tables_of, write_table, write_tables

__all__ = [
    "FORMATS", "NOT_DATA", "SMALL_FORMATS", "ExportRefusedError", "canonical_digest", "export_study", "writers",
]  # fmt: skip

CARD, CITATION = "README.md", "CITATION.cff"
NOT_DATA = frozenset({MANIFEST, CARD, CITATION})
"""Files that say what the folder holds, and how to cite it."""
ALWAYS = tuple(table.key for table in STUDY_TABLES if table.exists is None)
"""Tables that every study has, with rows or without."""
NO_BYTES = hashlib.sha256().hexdigest()


def export_study(
    study: Study,
    out: Path,
    form: str = "jsonl",
    actor: Person | None = None,
    via: str = "",
    computed: ComputedFiles = NOTHING_COMPUTED,
) -> dict[str, Any]:
    """Write the study's folder at `out` and return its manifest, without blocking writers.

    `via` tells the audit how the export was requested; the folder also holds what is `computed` from the data.
    Raises ExportRefusedError if `out` is taken or cannot be written; its contents do not change then.
    """
    with placed(out) as folder:
        with study_snapshot(study) as study:
            files = {name: write(folder / name) for name, write in _text_writers(study, computed).items()}
            written = write_tables(folder, tables_of(study, computed), form)
            files |= {f"{one.table.key}.{form}": one.file for one in written if one.file.lines}
            typed = [one.copy for one in written if one.copy is not None]
            counts = _counts(study)
            described = [one.described(form) for one in written if one.file.lines]
            card = Card(study, described, counts, _versions(study), computed.agreement(study))
            files[CARD] = write_text(folder / CARD, card.text())
            files[CITATION] = write_text(folder / CITATION, citation_text(study))
        manifest = {
            "schema": SCHEMA,
            "software": SOFTWARE_VERSION,
            "study": study.slug,
            **({"dry_run": True} if study.is_dry_run else {}),
            "counts": counts,
            **({"blinding": told} if (told := unblinding_facts(study)) else {}),
            "rows": dict(sorted((one.table.key, one.file.lines) for one in written)),
            "files": {name: _described(files[name]) for name in sorted(files)},
            **({"copies": {copy.name: _described(copy.file) for copy in typed}} if typed else {}),
        }
        write_text(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        new = {"format": form, "counts": counts, **({"via": via} if via else {})}
        record("study exported", study.slug, actor=actor, study=study.slug, new=new)
    return manifest


def writers(
    study: Study, form: str, computed: ComputedFiles = NOTHING_COMPUTED
) -> dict[str, Callable[[Path], WrittenFile]]:
    """The writers of all files in the study's folder except the card and the manifest, by file name.

    A table without rows writes no file.
    """
    tables = {f"{table.key}.{form}": table for table in tables_of(study, computed)}
    found = {name: partial(write_table, table=table, form=form) for name, table in tables.items()}
    return _text_writers(study, computed) | found


def _text_writers(study: Study, computed: ComputedFiles) -> dict[str, Callable[[Path], WrittenFile]]:
    """The writers of the files that are no tables."""
    texts = {f"guidelines/{number}.md": text for number, text in _versions(study).items()}
    for part in parts():
        texts |= part.files(study)
    texts |= dict(computed.texts(study))
    found: dict[str, Callable[[Path], WrittenFile]] = {"study.yaml": lambda path: write_text(path, study_yaml(study))}
    return found | {name: partial(write_text, text=text) for name, text in texts.items()}


def _versions(study: Study) -> dict[int, str]:
    return dict(Guideline.objects.filter(study=study).order_by("number").values_list("number", "text"))


def _counts(study: Study) -> dict[str, Any]:
    """The number of rows in the database, by kind and status."""
    annotations = Annotation.objects.filter(no_copies(study, "task__item"), task__item__study=study)
    human = Q(rater__kind=Rater.Kind.HUMAN)
    current = Rating.objects.filter(no_copies(study), study=study, is_current=True)
    told = (
        annotations.values_list("status")
        .order_by()
        .annotate(
            Count("pk"), surplus_ones=Count("pk", filter=Q(surplus=True)), flagged=Count("pk", filter=~Q(flag=""))
        )
    )
    statuses = {status: counted for status, *counted in told}
    surplus, with_flag = (sum(counted[place] for counted in statuses.values()) for place in (1, 2))
    return {
        "items": study.items.exclude(pool=COPIES).count(),
        "outputs": study.items.exclude(pool=COPIES).aggregate(outputs=Count("outputs"))["outputs"],
        "ratings": current.filter(human).count(),
        "scores": current.exclude(human).count(),
        "annotations": {status: statuses.get(status, [0])[0] for status in Annotation.Status.values}
        | {
            "surplus": surplus,
            "with_flag": with_flag,
            "all": sum(counted[0] for counted in statuses.values()),
        },
        "guidelines": Guideline.objects.filter(study=study).count(),
        **({"examples": WrittenExample.newest(study).count()} if has_examples(study) else {}),
        **({"runs": JudgeRun.objects.filter(rater__study=study).count()} if has_runs(study) else {}),
    } | {
        key: count
        for table in study_tables()
        if table.counts and table.exists and table.exists(study)
        for key, count in table.counts(study).items()
    }


def _described(written: WrittenFile) -> dict[str, Any]:
    lines = {} if written.lines is None else {"lines": written.lines}
    return {**lines, "sha256": written.sha256}


def canonical_digest(folder: Path) -> str:
    """One SHA-256 of all research data in an exported folder, equal for equal data.

    It covers the name and bytes of each file, in the order of names, except what describes the folder and what follows
    from other files. Use it to check backups, restores, upgrades and moves between databases.
    """
    made = hashlib.sha256()
    digests = {}
    for path in (*folder.glob("*"), *folder.glob("guidelines/*")):
        if path.is_file() and path.name not in NOT_DATA:
            with path.open("rb") as file:
                digests[path.relative_to(folder).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    tables = {name.partition(".")[0] for name in digests}
    # Exports had files without lines before.
    digests |= {f"{table}.jsonl": NO_BYTES for table in ALWAYS if table not in tables}
    for name in sorted(digests):
        made.update(f"{name}\0{digests[name]}\n".encode())
    return made.hexdigest()
