"""Small studies with imported answers, for tests of derived tables."""

import json

import pytest

from files.reading import import_study

ORDERED = {"key": "quality", "type": "likert", "min": 1, "max": 5}
YES_NO = {"key": "right", "type": "binary"}


def likert(item, output, rater, value, question="quality"):
    return {"item": item, "output": output, "rater": rater, "question": question, "value": value}


def chosen(item, outputs, rater, value, question="better"):
    return {"item": item, "outputs": outputs, "rater": rater, "question": question, "value": value}


def ranked(item, rater, value, question="order", **more):
    return {"item": item, "rater": rater, "question": question, "value": value, **more}


@pytest.fixture
def answered(tmp_path, db):
    """A function that imports a study with these questions, items of three outputs each, and answers."""

    def make(protocol, questions, ratings, items=("one", "two"), systems=("ada", "bea", "cyd"), **study):
        folder = tmp_path / "in"
        folder.mkdir(exist_ok=True)
        study = {"slug": "derived", "protocol": protocol, "redundancy": 3, "questions": questions, **study}
        (folder / "study.json").write_text(json.dumps(study))
        texts = [
            {
                "id": item, "document": f"document {item}", "instruction": "Do it.",
                "outputs": [{"id": system, "text": f"{item} by {system[0].upper()}"} for system in systems],
            }
            for item in items
        ]  # fmt: skip
        for name, lines in (("items", texts), ("ratings", ratings)):
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return import_study(folder).study

    return make
