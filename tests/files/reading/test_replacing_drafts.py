"""`--replace-draft`: a draft that nobody has answered becomes what the files say."""

import pytest
from django.core.management import CommandError, call_command

from annotation.members.membership import add_member
from annotation.models import Item, Membership, Output, Question, Rating, Slot, Study, WrittenExample
from annotation.studies.lifecycle import prepare
from config.models import Erasure
from files.reading import ImportRefusedError, import_study
from tests.files.reading.conftest import ANNOTATION, ITEM, RATING, STUDY

pytestmark = pytest.mark.django_db

OTHER = STUDY.replace("redundancy: 2", "redundancy: 3").replace("min: 1, max: 5", "min: 1, max: 7")
EXAMPLE = {"document": "x", "instruction": "y", "output": "z", "values": {"how_well": 5}}


@pytest.fixture
def draft(folder, owner):
    study = import_study(folder(examples=[EXAMPLE]), owner=owner).study
    prepare(study, 60)
    return study


def test_the_files_replace_settings_questions_and_items(draft, folder, owner):
    item = {**ITEM, "document": "It sails at eight.", "outputs": ITEM["outputs"][:1]}
    call_command("import_study", folder(OTHER, items=[item, {**item, "id": "quay"}]), replace_draft=True)
    study = Study.objects.get()
    assert (study.pk, study.redundancy) == (draft.pk, 3)
    assert [(one.key, one.document) for one in Item.objects.order_by("pk")] == [
        ("harbour", "It sails at eight."), ("quay", "It sails at eight."),
    ]  # fmt: skip
    assert Output.objects.count() == 2
    assert Question.objects.get(key="how_well").spec["max"] == 7
    assert Membership.objects.get(study=study).person == owner
    assert WrittenExample.objects.count() == 1
    assert Erasure.objects.count() == 1
    prepare(study, 60)
    assert Slot.objects.count() == 6


def test_items_stay_if_the_files_have_none(draft, folder):
    with pytest.raises(ImportRefusedError, match="judges' examples answer them"):
        import_study(folder(OTHER) / "study.yaml", replace_draft=True)
    (folder() / "examples.jsonl").unlink()
    import_study(folder(), replace_draft=True)
    assert not WrittenExample.objects.exists()
    item = Item.objects.get().pk
    import_study(folder(OTHER) / "study.yaml", replace_draft=True)
    assert Item.objects.get().pk == item
    assert not Slot.objects.exists()


def test_answers_come_with_the_files_that_replace_a_draft(draft, folder):
    import_study(folder(annotations=[ANNOTATION], ratings=[RATING]), replace_draft=True)
    assert Rating.objects.filter(question__key="how_well").count() == 2
    with pytest.raises(ImportRefusedError, match="has answers already"):
        import_study(folder(OTHER), replace_draft=True)


def test_a_study_that_does_not_exist_yet_is_made(folder):
    assert import_study(folder(), replace_draft=True).is_new


def test_without_it_questions_stay(draft, folder):
    with pytest.raises(CommandError, match="questions cannot be changed"):
        call_command("import_study", folder(OTHER))


def test_a_paused_study_is_not_replaced(draft, folder, owner):
    Study.objects.update(status="paused")
    with pytest.raises(ImportRefusedError, match="is paused: only a draft can be changed"):
        import_study(folder(OTHER), replace_draft=True)


def test_people_who_joined_stay(draft, folder, owner):
    add_member(draft, owner, "owner", None)
    import_study(folder(OTHER), replace_draft=True, owner=owner)
    assert Membership.objects.count() == 1


@pytest.mark.parametrize("replaces", [True, False])
def test_files_do_not_end_the_blinding_of_a_study_with_items(folder, replaces):
    blinded = f"{STUDY}\noptions: {{blind_researchers: true}}\n"
    import_study(folder(blinded))
    for text in (STUDY if replaces else None, f"{STUDY}\noptions: {{seed: 3}}\n"):
        if text is not None:
            with pytest.raises(ImportRefusedError, match="an owner unblinds the study in its settings"):
                import_study(folder(text), replace_draft=replaces)
    import_study(folder(blinded), replace_draft=replaces)
    assert Study.objects.get().options == {"blind_researchers": True}
