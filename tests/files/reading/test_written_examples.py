"""Judged examples for judges: read from a file of the study, kept from annotators, and written again with it."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEntry
from annotation.models import WrittenExample
from annotation.studies.study_erasure import erase_study
from files.reading import import_study
from files.writing import export_study
from tests.files.reading.conftest import only_problem, problems_of
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of

pytestmark = pytest.mark.django_db

ONE = {
    "item": "harbour", "document": "Trams.", "instruction": "When?", "output": "At ten.",
    "values": {"follows": True, "how_well": 4}, "rationale": "So.",
}  # fmt: skip
PAIR = {
    "document": "Trams.", "outputs": [{"id": "a", "text": "At ten."}, {"id": "b", "text": ""}],
    "values": {"follows": "a", "how_well": {"a": 1, "b": 2}},
}  # fmt: skip
BARE = {"output": "", "values": {"how_well": 1}}


def test_examples_come_back_with_the_same_bytes(folder, tmp_path):
    study = import_study(folder(examples=[PAIR, ONE, BARE])).study
    export_study(study, tmp_path / "one")
    assert objects_of(tmp_path / "one" / "examples.jsonl") == [PAIR, ONE, BARE]
    empty_the_database()
    export_study(import_study(tmp_path / "one").study, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert "judged examples" in (tmp_path / "two" / "README.md").read_text()


def test_examples_are_added_once_and_in_order(folder):
    assert import_study(folder(examples=[ONE])).added["examples"] == 1
    assert import_study(folder(examples=[BARE, ONE, PAIR])).added["examples"] == 2
    assert import_study(folder(examples=[BARE, ONE, PAIR])).added["examples"] == 0
    rows = WrittenExample.objects.order_by("position").values_list("position", "outputs")
    assert [(place, one if isinstance(one, str) else len(one)) for place, one in rows] == [
        (0, "At ten."), (1, ""), (2, 2),
    ]  # fmt: skip


def test_examples_are_replaced_by_a_new_edition_and_the_earlier_one_is_kept(folder, tmp_path):
    place = folder(examples=[ONE, BARE])
    study = import_study(place).study
    folder(examples=[PAIR, ONE])
    call_command("import_study", str(place), "--replace-examples")
    assert list(WrittenExample.objects.values_list("edition", "position").order_by("position")) == [
        (0, 0), (0, 1), (1, 2), (1, 3),
    ]  # fmt: skip
    export_study(study, tmp_path / "one")
    assert objects_of(tmp_path / "one" / "examples.jsonl") == [PAIR, ONE]
    assert AuditEntry.objects.filter(action="study imported").last().new["examples_replaced"] is True
    assert import_study(folder(examples=[ONE, PAIR])).added["examples"] == 0
    assert import_study(folder(examples=[BARE])).added["examples"] == 1  # only the earlier edition had it
    assert [one.position for one in WrittenExample.newest(study)] == [2, 3, 4]
    empty_the_database()
    export_study(import_study(tmp_path / "one").study, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


def test_examples_can_only_be_replaced_by_others(folder):
    place = folder(examples=[ONE])
    import_study(place)
    (place / "examples.jsonl").unlink()
    with pytest.raises(CommandError, match=r"has no examples\.jsonl"):
        call_command("import_study", str(place), "--replace-examples")
    assert [one.edition for one in WrittenExample.objects.all()] == [0]


def test_a_study_without_examples_has_no_file_of_them(folder, tmp_path):
    export_study(import_study(folder()).study, tmp_path / "out")
    assert not (tmp_path / "out" / "examples.jsonl").exists()


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ({**ONE, "rating": 4}, '"rating"', "unknown key"),
        ({**ONE, "outputs": PAIR["outputs"]}, "output", "must be given, or several as outputs"),
        ({"values": {"how_well": 4}}, "output", "must be given, or several as outputs"),
        ({**ONE, "output": 4}, "output", "must be text"),
        ({**PAIR, "outputs": PAIR["outputs"][:1]}, "outputs", "at least two"),
        ({**PAIR, "outputs": [*PAIR["outputs"], {"id": "a", "text": "x"}]}, "outputs.2.id", "appears twice"),
        ({**PAIR, "outputs": [{"id": "a"}, {"id": "b", "text": ""}]}, "outputs.0", "an object with id and text"),
        ({**PAIR, "outputs": [{"id": "", "text": ""}, PAIR["outputs"][1]]}, "outputs.0.id", ""),
        ({**ONE, "values": {}}, "values", "at least one question"),
        ({**ONE, "values": None}, "values", "at least one question"),
        ({**ONE, "values": [4]}, "values", "must be an object"),
        ({**ONE, "values": {"quality": 4}}, "values.quality", "is not a question of the study"),
        ({**ONE, "values": {"how_well": 6}}, "values.how_well", "is off the scale"),
        ({**ONE, "values": {"how_well": "4"}}, "values.how_well", "must be a finite number"),
        ({**PAIR, "values": {"follows": "c"}}, "values.follows", "must be one of the outputs compared"),
        ({**PAIR, "values": {"follows": {"a": 1, "c": 2}}}, "values.follows", "must name the outputs"),
        ({**PAIR, "values": {"follows": {"a": 1}}}, "values.follows", "must name the outputs"),
        ({**PAIR, "values": {"follows": {"a": 1, "b": 3}}}, "values.follows", "leaves out a rank"),
        ({**ONE, "item": 4}, "item", ""),
        ({**ONE, "rationale": ["So."]}, "rationale", "must be text"),
    ],
)
def test_an_example_that_no_judge_could_be_shown_is_refused_by_line(folder, line, field, reason):
    found = only_problem(folder(examples=[BARE, line]))
    assert found[:2] == (2, field)
    assert reason in found[2]
    assert not WrittenExample.objects.exists()


def test_a_repeated_example_is_refused(folder):
    assert problems_of(folder(examples=[ONE, BARE, ONE])) == [(3, "", "repeats the example in line 1")]


def test_examples_are_erased_with_their_study(folder, owner):
    study = import_study(folder(examples=[ONE, PAIR]), owner=owner).study
    assert WrittenExample.objects.count() == 2
    erase_study(study, owner)
    assert not WrittenExample.objects.exists()
    assert AuditEntry.objects.filter(study="ferries").exists()
