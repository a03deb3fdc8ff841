"""A small rating study as files, and the problems for which an import is refused."""

import json

import pytest

from accounts.models import AuditEntry
from annotation.models import Item, Rating, Study
from files.reading import ImportRefusedError, import_study

STUDY = """
slug: ferries
title: Ferries
protocol: rating
redundancy: 2
guidelines: Read everything.
questions:
  - {key: follows, type: binary, text: Does it follow?}
  - {key: how_well, type: likert, min: 1, max: 5, text: How well?, when: {question: follows, equals: true}}
  - {key: comment, type: text, text: Why?, required: false}
"""
ITEM = {
    "id": "harbour",
    "document": "The ferry sails at nine.",
    "instruction": "When does it sail?",
    "outputs": [{"id": "north", "text": "At nine."}, {"id": "south", "text": "At ten."}],
}
RATING = {"item": "harbour", "output": "north", "rater": "ann", "question": "how_well", "value": 4}
ANNOTATION = {
    "item": "harbour",
    "outputs": ["north"],
    "rater": "ann",
    "revision": 1,
    "status": "submitted",
    "answers": {"follows": True, "how_well": 4},
    "submitted_at": "2026-03-01T12:00:00.000001Z",
}


@pytest.fixture
def folder(tmp_path):
    """A function that writes a study folder: tables as lists of objects, or as bytes; and returns it."""

    def write(study=STUDY, **tables):
        (tmp_path / "study.yaml").write_text(study, encoding="utf-8")
        tables.setdefault("items", [ITEM])
        for name, lines in tables.items():
            given = lines if isinstance(lines, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
            (tmp_path / f"{name}.jsonl").write_bytes(given)
        return tmp_path

    return write


def problems_of(folder):
    """Return the problems for which an import is refused; it must store nothing."""
    with pytest.raises(ImportRefusedError) as refused:
        import_study(folder)
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


def only_problem(folder):
    [problem] = problems_of(folder)
    assert Study.objects.count() == Item.objects.count() == Rating.objects.count() == AuditEntry.objects.count() == 0
    return problem
