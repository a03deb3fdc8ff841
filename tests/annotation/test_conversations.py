"""Conversations: turns in files, one text with places in the table, the same turns again in the export."""

import json

import pytest

from annotation.conversations import TurnsInvalidError, as_given, shown_turns, text_and_places
from annotation.models import Item, Output
from files.reading import ImportRefusedError, import_study
from files.writing import export_study
from tests.annotation.conversation_study import ASKED, REPLIED, write_study

TALK = [
    {"role": "user", "text": "Hello 🐝\r\nthere"},
    {"role": "assistant", "text": ""},
    {"role": "user", "text": "Bye"},
]


def test_a_conversation_is_one_text_that_names_the_speakers():
    text, places = text_and_places(TALK)
    assert text == "User:\nHello 🐝\r\nthere\n\nAssistant:\n\n\nUser:\nBye"
    assert as_given(text, places) == TALK


def test_the_parts_of_the_turns_are_the_whole_text():
    text, places = text_and_places(TALK)
    turns = shown_turns(text, places)
    assert "".join(turn.head + turn.said + turn.gap for turn in turns) == text
    assert [(turn.role, turn.said) for turn in turns] == [(turn["role"], turn["text"]) for turn in TALK]


def test_a_text_stays_a_text():
    assert text_and_places("User:\nHello") == ("User:\nHello", None)
    assert as_given("User:\nHello", None) == "User:\nHello"
    assert shown_turns("User:\nHello", None) == []


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], ""),
        (7, ""),
        ({"role": "user", "text": ""}, ""),
        (["Hello"], ".0"),
        ([{"role": "user"}], ".0"),
        ([{"role": "user", "text": "", "name": "x"}], ".0"),
        ([{"role": "", "text": ""}], ".0.role"),
        ([{"role": "a\nb", "text": ""}], ".0.role"),
        ([*TALK, {"role": "user", "text": None}], ".3.text"),
        ([{"role": "user", "text": ""}] * 1001, ""),
    ],
)
def test_what_is_no_conversation_is_refused_where_it_is_wrong(value, place):
    with pytest.raises(TurnsInvalidError) as refused:
        text_and_places(value)
    assert refused.value.place == place


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_conversations_come_out_as_they_went_in(tmp_path, form):
    study = import_study(write_study(tmp_path / "given")).study
    export_study(study, tmp_path / "first", form=form)
    assert Item.objects.get(study=study).document.startswith("User:\nWhen")
    assert Output.objects.filter(item__study=study, turns=None).count() == 1
    lines = (tmp_path / "first" / f"items.{form}").read_bytes()
    if form == "jsonl":
        item = json.loads(lines)
        assert (item["document"], item["outputs"][0]["text"]) == (ASKED, REPLIED)
    again = write_study(tmp_path / "again", slug="again")
    (again / "items.jsonl").unlink()
    (again / f"items.{form}").write_bytes(lines)
    export_study(import_study(again).study, tmp_path / "second", form=form)
    assert (tmp_path / "second" / f"items.{form}").read_bytes() == lines


@pytest.mark.django_db
def test_a_wrong_turn_is_named_by_its_place(tmp_path):
    folder = write_study(tmp_path, asked=[{"role": "user", "text": 3}])
    with pytest.raises(ImportRefusedError) as refused:
        import_study(folder)
    assert [(one.line, one.field) for one in refused.value.problems] == [(1, "document.0.text")]


@pytest.mark.django_db
def test_the_same_conversation_again_changes_nothing_and_another_is_refused(tmp_path):
    import_study(write_study(tmp_path / "one"))
    assert import_study(write_study(tmp_path / "two")).added["items"] == 0
    with pytest.raises(ImportRefusedError, match="different content"):
        import_study(write_study(tmp_path / "three", asked="User:\nWhen does the ferry sail?"))
