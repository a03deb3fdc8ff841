"""Hostile texts in every field of the lines and bodies that the API takes: kept exactly, or refused by name."""

import json

import pytest

from annotation.models import Item, Output, Study
from tests.hostile_strings import STRINGS, can_be_stored, spread

STUDY = "/api/studies/study/"
FIELDS = ("id", "document", "instruction", "output id", "output", "metadata", "metadata key", "reference")
SIZES = [12, pytest.param(len(STRINGS), marks=pytest.mark.thorough)]


@pytest.fixture(autouse=True)
def _no_limit_per_minute(monkeypatch):
    """As many requests per minute as there are texts."""
    monkeypatch.setattr("rest_framework.throttling.SimpleRateThrottle.allow_request", lambda *_: True)


def line_with(field, text, number):
    """A line of items with the text in one of its fields."""
    output = {"id": "north", "text": "At nine."}
    line = {"id": f"hostile-{number}", "document": "A text.", "instruction": "Do.", "outputs": [output]}
    if field == "output id":
        output["id"] = text
    elif field == "output":
        output["text"] = text
    elif field == "metadata":
        line["metadata"] = {"said": text}
    elif field == "metadata key":
        line["metadata"] = {text: "said"}
    elif field == "reference":
        line["references"] = [{"id": "gold", "text": text, "writer": "human"}]
    else:
        line[field] = text
    return line


def stored(field, line):
    """The text that the database has in this field."""
    item = Item.objects.get(key=line["id"])
    return {
        "id": item.key, "document": item.document, "instruction": item.instruction,
        "output id": item.outputs.get().key, "output": item.outputs.get().text,
        "metadata": (item.metadata or {}).get("said"), "metadata key": next(iter(item.metadata or {}), None),
        "reference": item.references[0]["text"] if item.references else None,
    }[field]  # fmt: skip


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("field", FIELDS)
def test_a_text_in_an_uploaded_line_is_kept_exactly_or_refused(writing, study, field, size):
    Study.objects.update(status="draft")
    wrong, kept = [], 0
    for number, text in enumerate(spread(size, FIELDS.index(field))):
        line = line_with(field, text, number)
        response = writing.send(f"{STUDY}items/", json.dumps(line).encode())
        if response.status_code in (200, 201):
            kept += 1
            if stored(field, line) != text or not can_be_stored(text):
                wrong.append(f"changed: {ascii(text)[:60]}")
        elif response.status_code != 400 or not response.json()["problems"][0]["reason"]:
            wrong.append(f"{response.status_code}: {ascii(text)[:60]}")
    assert wrong == []
    assert kept > 0
    assert not Output.objects.filter(text__contains="\ufffd\ufffd\ufffd").exists()


@pytest.mark.parametrize("size", SIZES)
def test_a_text_anywhere_in_a_body_of_the_api_is_no_error(writing, study, size):
    """Bodies that are a text, a list of it, or have it as a key or value, in each address that takes one."""
    wrong = []
    for path in ("items/", "ratings/", "scores/"):
        for text in spread(size, len(path)):
            for body in (text, [text], {text: 1}, {"item": text, "rater": text, "question": text, "value": text}):
                response = writing.send(f"{STUDY}{path}", json.dumps(body).encode())
                if response.status_code >= 500:
                    wrong.append(f"{response.status_code}: {path} {ascii(body)[:60]}")
    assert wrong == []
