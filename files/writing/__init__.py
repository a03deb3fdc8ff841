"""Exports: a study as a folder of files that show one moment, with the same bytes whenever the study is the same.

`docs/formats.md` describes the folder. An import of it loses nothing.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from django.db.models import Count, Q
from django.utils.module_loading import import_string

from accounts.auditing import record
from accounts.models import Person
from annotation.blinding import names_of, unblinding_facts
from annotation.models import Annotation, Guideline, JudgeRun, Rater, Rating, Study, WrittenExample
from annotation.pools import COPIES, no_copies
from annotation.studies.snapshots import study_snapshot
from annotation.typed_columns import Column
from config.parts import parts
from config.software_version import SOFTWARE_VERSION
from files.tables.csv_ways import HOW, JSON
from files.writing.dataset_card import Card, DescribedTable, citation_text
from files.writing.example_lines import has_examples
from files.writing.file_writers import WrittenFile, write_chunks, write_csv, write_jsonl, write_text
from files.writing.folder_placement import MANIFEST, SCHEMA, ExportRefusedError, placed
from files.writing.own_tables import STUDY_TABLES, study_tables
from files.writing.paired_tables import write_pairs
from files.writing.run_lines import has_runs
from files.writing.study_yaml import study_yaml
from files.writing.table_list import NOTHING_COMPUTED, ComputedFiles, DerivedTable, Line, StudyTable
from files.writing.typed_copies import RowOf, TypedCopy, write_typed_copy
from files.writing.wide_tables import WIDE

__all__ = ["FORMATS", "NOT_DATA", "ExportRefusedError", "canonical_digest", "export_study", "writers"]

FORMATS = ("jsonl", "csv", "parquet")
SMALL_FORMATS = FORMATS[:2]
"""The formats that web processes can write: Parquet needs a library that only workers and commands load."""
PARQUET_WRITER = "files.writing.parquet_files.write_parquet"
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
            pairs = write_pairs(study, folder) if form == "jsonl" else {}
            files = {
                name: pairs.get(name) or write(folder / name) for name, write in writers(study, form, computed).items()
            }
            rows = {name: one.lines for name, one in files.items() if one.lines is not None}
            files = {name: one for name, one in files.items() if one.lines != 0}
            typed = _write_typed_copies(study, folder, computed, rows) if form == "jsonl" else {}
            counts = _counts(study)
            described = _described_tables(study, form, computed, rows, typed)
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
            "rows": {name.removesuffix(f".{form}"): count for name, count in sorted(rows.items())},
            "files": {name: _described(files[name]) for name in sorted(files)},
            **({"copies": {copy.name: _described(copy.file) for copy in typed.values()}} if typed else {}),
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
    found: dict[str, Callable[[Path], WrittenFile]] = {"study.yaml": lambda path: write_text(path, study_yaml(study))}
    for number, text in _versions(study).items():
        found[f"guidelines/{number}.md"] = partial(write_text, text=text)
    for table in study_tables():
        if table.exists is None or table.exists(study):
            found[f"{table.key}.{form}"] = partial(_write_table, study=study, table=table, form=form)
    for following in (*WIDE, *computed.tables):
        found[f"{following.key}.{form}"] = partial(_write_derived, study=study, table=following, form=form)
    for part in parts():
        found |= {name: partial(write_text, text=text) for name, text in part.files(study).items()}
    return found | {name: partial(write_text, text=text) for name, text in computed.texts(study)}


def _write_table(path: Path, study: Study, table: StudyTable, form: str) -> WrittenFile:
    if form == "jsonl":
        return write_chunks(path, table.json_chunks(study))
    typed = table.typed_for(study)
    return _write_typed(path, typed.columns, map(typed.row_of, table.shown_lines(study)), form)


def _write_derived(path: Path, study: Study, table: DerivedTable, form: str) -> WrittenFile:
    if form == "jsonl" and table.chunks is not None and not names_of(study).are_codes:
        return write_chunks(path, table.chunks(study))
    lines = table.lines(study)
    return write_jsonl(path, lines) if form == "jsonl" else _write_typed(path, table.columns(study), lines, form)


def _write_typed(path: Path, columns: Sequence[Column], rows: Iterator[Line], form: str) -> WrittenFile:
    if form == "csv":
        return write_csv(path, {column.name: HOW.get(column.kind, JSON) for column in columns}, rows)
    written: WrittenFile = import_string(PARQUET_WRITER)(path, columns, rows)
    return written


def _tables(study: Study, computed: ComputedFiles) -> list[tuple[str, str, Sequence[Column], RowOf]]:
    """All tables, in the order in which the card describes them: key, what a row is, columns, and the row of a line."""
    own = [(table.key, table.about, table.typed_for(study)) for table in study_tables()]
    derived = [(table.key, table.about, tuple(table.columns(study))) for table in (*WIDE, *computed.tables)]
    return [
        *((key, about, typed.columns, typed.row_of) for key, about, typed in own),
        *((key, about, columns, dict) for key, about, columns in derived),
    ]


def _write_typed_copies(
    study: Study, folder: Path, computed: ComputedFiles, rows: Mapping[str, int]
) -> dict[str, TypedCopy]:
    """Write copies of the JSONL tables, in which every column has one type; return them by the names of the tables."""
    return {
        name: write_typed_copy(folder, name, columns, row_of)
        for key, _, columns, row_of in _tables(study, computed)
        if rows.get(name := f"{key}.jsonl")
    }


def _described_tables(
    study: Study, form: str, computed: ComputedFiles, rows: Mapping[str, int], typed: Mapping[str, TypedCopy]
) -> list[DescribedTable]:
    """The tables that have files, in the order in which the card describes them."""
    found = []
    for key, about, columns, _ in _tables(study, computed):
        name = f"{key}.{form}"
        if rows.get(name):
            copy = typed.get(name)
            loaded = (name, columns) if copy is None else (copy.name, copy.columns)
            found.append(DescribedTable(name, key, about, columns, rows[name], *loaded))
    return found


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
