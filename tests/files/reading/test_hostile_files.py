"""Hostile texts in each field of imported files: exported exactly as they were, or refused by line and field."""

import json

import pytest
from django.db import transaction

from annotation.models import Annotation, Item
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from tests.files.reading.conftest import ANNOTATION, ITEM
from tests.hostile_strings import STRINGS, can_be_stored, spread

pytestmark = pytest.mark.django_db
SIZES = [24, pytest.param(len(STRINGS), marks=pytest.mark.thorough)]


def exported(study, folder, name):
    export_study(study, folder)
    text = (folder / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("size", SIZES)
def test_texts_of_items_come_out_as_they_went_in(folder, tmp_path, size):
    texts = [text for text in spread(size) if can_be_stored(text)]
    lines = [
        {
            "id": f"item-{number}", "document": text, "instruction": text, "metadata": {text: text},
            "outputs": [{"id": "north", "text": text}], "references": [{"id": "gold", "text": text, "writer": "human"}],
        } for number, text in enumerate(texts)
    ]  # fmt: skip
    study = import_study(folder(items=lines)).study
    found = {line["id"]: line for line in exported(study, tmp_path / "out", "items")}
    wrong = []
    for line in lines:
        got = found[line["id"]]
        same = all(got.get(name, "") == line[name] for name in ("document", "instruction", "metadata"))
        same = same and got["outputs"][0]["text"] == line["outputs"][0]["text"]
        if not same or got["references"][0]["text"] != line["document"]:
            wrong.append(ascii(line["document"])[:60])
    assert wrong == []


@pytest.mark.parametrize("size", SIZES)
def test_a_text_that_cannot_be_stored_is_refused_by_line_and_field(folder, size):
    texts = [text for text in (STRINGS if size > 100 else spread(6 * size)) if not can_be_stored(text)]
    assert texts
    for text in texts:
        for change in ({"id": text}, {"document": text}, {"metadata": {text: 1}}, {"metadata": {"a": text}}):
            with pytest.raises(ImportRefusedError) as refused:
                import_study(folder(items=[ITEM, {**ITEM, "id": "second", **change}]))
            assert refused.value.problems[0].line == 2
            assert refused.value.problems[0].reason
    assert not Item.objects.exists()


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("part", ["rater", "comment"])
def test_names_and_comments_of_raters_are_kept_exactly_or_refused_by_line(folder, part, size):
    kept, wrong = 0, []
    for text in spread(size, 1):
        answers = {**ANNOTATION["answers"], "comment": text if part == "comment" else "It does."}
        line = {**ANNOTATION, "rater": text if part == "rater" else "ann", "answers": answers}
        with transaction.atomic():
            try:
                import_study(folder(annotations=[line]))
            except ImportRefusedError as refused:
                if refused.problems[0].line != 1 or not refused.problems[0].reason:
                    wrong.append(f"refused: {ascii(text)[:60]}")
            else:
                kept += 1
                found = Annotation.objects.select_related("rater").get()
                if text != (found.rater.name if part == "rater" else found.answers.get("comment")):
                    wrong.append(f"changed: {ascii(text)[:60]}")
            transaction.set_rollback(True)
    assert wrong == []
    assert kept > size // 3
