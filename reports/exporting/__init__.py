"""Exports: a study as a folder of files that show one moment, with the same bytes whenever the study is the same.

`docs/formats.md` describes the folder. An import of it loses nothing.
"""

import hashlib
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Count, Q
from django.template.loader import render_to_string

from accounts.auditing import record
from accounts.models import Person
from annotation.blinding import is_blind, names_of, systems_of, unblinding_facts
from annotation.importing.csv_tables import ANNOTATION_COLUMNS, ITEM_COLUMNS, OF_OUTPUT, RATING_COLUMNS, SCORE_COLUMNS
from annotation.models import Annotation, Guideline, JudgeRun, Rater, Rating, Study, WrittenExample
from annotation.protocols import protocols
from annotation.studies.snapshots import study_snapshot
from preparing.files.preparing_lines import has_preparation, preparing_lines
from reports.exporting.adjudication_lines import adjudication_lines, has_adjudications
from reports.exporting.example_lines import example_lines, has_examples
from reports.exporting.file_writers import WrittenFile, write_csv, write_jsonl, write_text
from reports.exporting.folder_placement import MANIFEST, SCHEMA, ExportRefusedError, placed
from reports.exporting.review_lines import has_reviews, review_lines
from reports.exporting.run_lines import has_runs, run_lines
from reports.exporting.study_lines import Line, annotation_lines, item_lines, rating_lines, score_lines
from reports.exporting.study_yaml import study_yaml
from sessions.files.session_export import has_labels, has_sessions, label_lines, session_counts, session_lines

__all__ = ["FORMATS", "NOT_DATA", "ExportRefusedError", "canonical_digest", "export_study", "writers"]

FORMATS = ("jsonl", "csv")
CARD = "README.md"
Lines = Callable[[Study], Iterator[Line]]
TABLES: tuple[tuple[str, Lines, Mapping[str, str]], ...] = (
    ("items", item_lines, ITEM_COLUMNS),
    ("ratings", rating_lines, RATING_COLUMNS),
    ("scores", score_lines, SCORE_COLUMNS),
    ("annotations", annotation_lines, ANNOTATION_COLUMNS),
)
NAMING_THEMSELVES = tuple(lines for _, lines, _ in TABLES)
"""Lines that call systems as they are shown."""
NOT_DATA = frozenset({MANIFEST, CARD})
"""Files about the software rather than the study."""


def export_study(
    study: Study, out: Path, form: str = "jsonl", actor: Person | None = None, via: str = ""
) -> dict[str, Any]:
    """Write the study's folder at `out` and return its manifest, without blocking writers.

    `via` tells the audit how the export was requested. Raises ExportRefusedError if `out` is taken or cannot be
    written; its contents do not change then.
    """
    with placed(out) as folder:
        with study_snapshot(study) as study:
            files = {name: write(folder / name) for name, write in writers(study, form).items()}
            counts = _counts(study)
            card = {"study": study, "tables": _tables(files), "counts": counts, "guidelines": _versions(study)}
            files[CARD] = write_text(folder / CARD, render_to_string("reports/dataset_card.md", card))
        manifest = {
            "schema": SCHEMA,
            "software": software_version(),
            "study": study.slug,
            "counts": counts,
            **({"blinding": told} if (told := unblinding_facts(study)) else {}),
            "files": {name: _described(files[name]) for name in sorted(files)},
        }
        write_text(folder / MANIFEST, json.dumps(manifest, indent=1, ensure_ascii=False) + "\n")
        new = {"format": form, "counts": counts, **({"via": via} if via else {})}
        record("study exported", study.slug, actor=actor, study=study.slug, new=new)
    return manifest


def writers(study: Study, form: str) -> dict[str, Callable[[Path], WrittenFile]]:
    """The writers of all files in the study's folder except the card and the manifest, by file name."""
    found: dict[str, Callable[[Path], WrittenFile]] = {"study.yaml": lambda path: write_text(path, study_yaml(study))}
    for number, text in _versions(study).items():
        found[f"guidelines/{number}.md"] = partial(write_text, text=text)
    for table, lines, columns in TABLES:
        # Items with more than documents and outputs do not fit into columns.
        if form == "csv" and (columns is not ITEM_COLUMNS or protocols()[study.protocol].files.needs_outputs):
            found[f"{table}.{form}"] = partial(_write_csv, study=study, lines=lines, columns=columns)
        else:
            found[f"{table}.jsonl"] = partial(_write_jsonl, study=study, lines=lines)
    if has_preparation(study) and not is_blind(study):  # it says which models wrote what
        found["preparing.jsonl"] = partial(_write_jsonl, study=study, lines=preparing_lines)
    if has_examples(study):
        found["examples.jsonl"] = partial(_write_jsonl, study=study, lines=example_lines)
    if has_runs(study):
        found["runs.jsonl"] = partial(_write_jsonl, study=study, lines=run_lines)
    if has_sessions(study):
        found["sessions.jsonl"] = partial(_write_jsonl, study=study, lines=session_lines)
    if has_labels(study):
        found["labels.jsonl"] = partial(_write_jsonl, study=study, lines=label_lines)
    if has_reviews(study):
        found["reviews.jsonl"] = partial(_write_jsonl, study=study, lines=review_lines)
    if has_adjudications(study):
        found["adjudications.jsonl"] = partial(_write_jsonl, study=study, lines=adjudication_lines)
    return found


def _write_jsonl(path: Path, study: Study, lines: Lines) -> WrittenFile:
    return write_jsonl(path, lines(study) if lines in NAMING_THEMSELVES else _shown(study, lines))


def _shown(study: Study, lines: Lines) -> Iterator[Line]:
    """Lines with systems called as the people who run the study see them."""
    names, systems = names_of(study), systems_of(study)
    return (names.within(line, systems) for line in lines(study)) if names.are_codes else lines(study)


def _write_csv(path: Path, study: Study, lines: Lines, columns: Mapping[str, str]) -> WrittenFile:
    return write_csv(path, columns, _output_rows(lines(study)) if columns is ITEM_COLUMNS else lines(study))


def _output_rows(items: Iterator[Line]) -> Iterator[Line]:
    """A row for each output, with everything about its item."""
    for item in items:
        outputs = item.pop("outputs", [])
        about = {("item" if key == "id" else key): value for key, value in item.items()}
        if isinstance(item["document"], list):
            about |= {"document": "", "document_turns": item["document"]}
        for output in outputs:
            said = (
                {"turns": output["text"], "text": ""} if isinstance(output["text"], list) else {"text": output["text"]}
            )
            yield {
                **about,
                "output": output["id"],
                **said,
                **{column: output.get(key) for column, key in OF_OUTPUT.items()},
            }


def _tables(files: Mapping[str, WrittenFile]) -> list[dict[str, Any]]:
    """The files of rows, each with its name, the kind of its rows (the name's stem) and their number."""
    return [
        {"name": name, "holds": name.partition(".")[0], "lines": written.lines}
        for name, written in files.items()
        if written.lines is not None
    ]


def _versions(study: Study) -> dict[int, str]:
    return dict(Guideline.objects.filter(study=study).order_by("number").values_list("number", "text"))


def _counts(study: Study) -> dict[str, Any]:
    """The number of rows in the database, by kind and status."""
    annotations = Annotation.objects.filter(task__item__study=study)
    human = Q(rater__kind=Rater.Kind.HUMAN)
    current = Rating.objects.filter(study=study, is_current=True)
    statuses = dict(annotations.values_list("status").annotate(Count("pk")).order_by())
    return {
        "items": study.items.count(),
        "outputs": study.items.aggregate(outputs=Count("outputs"))["outputs"],
        "ratings": current.filter(human).count(),
        "scores": current.exclude(human).count(),
        "annotations": {status: statuses.get(status, 0) for status in Annotation.Status.values}
        | {
            "surplus": annotations.filter(surplus=True).count(),
            "with_flag": annotations.exclude(flag="").count(),
            "all": annotations.count(),
        },
        "guidelines": Guideline.objects.filter(study=study).count(),
        **({"examples": WrittenExample.newest(study).count()} if has_examples(study) else {}),
        **({"runs": JudgeRun.objects.filter(rater__study=study).count()} if has_runs(study) else {}),
        **(session_counts(study) if has_sessions(study) else {}),
    }


def _described(written: WrittenFile) -> dict[str, Any]:
    lines = {} if written.lines is None else {"lines": written.lines}
    return {**lines, "sha256": written.sha256}


@cache
def software_version() -> str:
    """The version of this installation, from pyproject.toml."""
    body: Mapping[str, Any] = tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))
    version: str = body["project"]["version"]
    return version


def canonical_digest(folder: Path) -> str:
    """One SHA-256 of all research data in an exported folder, equal for equal data.

    It covers the name and bytes of each file, in the order of names, except the card and the manifest, which describe
    the software. Use it to check backups, restores, upgrades and moves between databases.
    """
    made = hashlib.sha256()
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    for name in sorted(set(paths) - NOT_DATA):
        with paths[name].open("rb") as file:
            made.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return made.hexdigest()
