"""Files of other tools on disk, converted by the command, and imported."""

import json

import pytest
from django.core.management import call_command

from annotation.models import Rating
from files.reading import import_study


@pytest.fixture
def written(tmp_path):
    """A function that writes a file: an array, or one object per line if its name ends in `jsonl`."""

    def write(name, body):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = name.endswith("jsonl")
        path.write_text("".join(json.dumps(one) + "\n" for one in body) if lines else json.dumps(body))
        return path

    return write


@pytest.fixture
def moved(tmp_path, capsys, db):
    """A function that converts files and imports the folder: the study, and what the command said."""

    def move(tool, *files, **options):
        out = tmp_path / "moved"
        call_command("convert", tool, *map(str, files), out=out, **options)
        return import_study(out).study, capsys.readouterr().out

    return move


def ratings_of(study, *columns):
    """The study's ratings as sorted tuples: item, rater, question, value, and other columns."""
    names = ("item__key", "rater__name", "question__key", "value", *columns)
    return sorted(Rating.objects.filter(study=study).values_list(*names), key=repr)


def questions_of(study):
    return {
        question.key: (question.type, {key: value for key, value in question.spec.items() if key != "per"})
        for question in study.questions.order_by("position")
    }
