"""Answers of files fill places, so that work that was done elsewhere is not given out again."""

import json
from pathlib import Path

import pytest

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, skip, submit
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Slot, Study, TaskPreparation
from annotation.studies.lifecycle import prepare
from annotation.studies.study_progress import progress_of_study
from config.background.claiming import run_waiting
from files.reading import import_study
from files.writing import export_study
from tests.conftest import make_person

pytestmark = [pytest.mark.postgresql, pytest.mark.django_db]
FORM = {"q-follows": ["true"], "q-how_well": ["4"]}


def answer(study, person):
    task = next_assignment(study, rater_for(study, person))
    submit(task, Submission(FORM, 0, 1))
    return task


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def again(study, tmp_path):
    """Export the study and import it under another name; returns that study."""

    def made(slug="again", change=lambda text: text):
        export_study(study, tmp_path / "first")
        text = (tmp_path / "first" / "study.yaml").read_text()
        (tmp_path / "first" / "study.yaml").write_text(text.replace(f"slug: {study.slug}\n", f"slug: {slug}\n"))
        lines = tmp_path / "first" / "annotations.jsonl"
        lines.write_text(change(lines.read_text()) if lines.exists() else "")
        import_study(tmp_path / "first")
        return Study.objects.get(slug=slug)

    return made


def test_an_exported_live_study_is_not_given_out_again(study, rater, stranger, again, tmp_path):
    add_member(study, stranger, "annotator", None)
    done = [answer(study, rater), answer(study, rater), answer(study, stranger)]
    skip(next_assignment(study, rater_for(study, rater)), Submission({}, 0, 1), "broken")
    copy = again()
    assert prepare(copy, 60)
    filled = Slot.objects.filter(study=copy, state="filled")
    assert {(slot.task.item.key, slot.task.key, slot.holder.name) for slot in filled.select_related("holder")} == {
        (task.task.item.key, task.task.key, task.rater.name) for task in done
    }
    assert Slot.objects.filter(study=copy).count() == Slot.objects.filter(study=study).count()
    progress = progress_of_study(copy)
    assert (progress.filled, progress.imported_answers) == (3, 0)
    export_study(copy, tmp_path / "second")
    first, second = files(tmp_path / "first"), files(tmp_path / "second")
    assert {
        name for name in first if name not in ("manifest.json", "CITATION.cff") and first[name] != second.get(name)
    } == set()
    assert prepare(copy, 60)
    assert Slot.objects.filter(study=copy, state="filled").count() == 3


def test_a_place_shows_the_order_that_its_rater_saw(study, rater, again):
    task = answer(study, rater)
    copy = again()
    prepare(copy, 60)
    slot = Slot.objects.get(study=copy, state="filled")
    assert slot.order == task.order
    others = Slot.objects.filter(task=slot.task).exclude(pk=slot.pk)
    assert {one.number for one in others} | {slot.number} == set(range(study.redundancy))


def test_surplus_answers_and_skips_fill_no_places(study, rater, again):
    answer(study, rater)
    copy = again(change=lambda text: json.dumps({**json.loads(text), "surplus": True}))
    assert Annotation.objects.get(rater__study=copy).surplus
    prepare(copy, 60)
    assert not Slot.objects.filter(study=copy, state="filled").exists()
    assert progress_of_study(copy).imported_answers == 1


def test_more_answers_than_places_fill_all_of_them(study, rater, stranger, again):
    add_member(study, stranger, "annotator", None)
    first = answer(study, rater).task
    while answer(study, stranger).task != first:
        pass
    copy = again()
    Study.objects.filter(pk=copy.pk).update(redundancy=1)
    copy.refresh_from_db()
    prepare(copy, 60)
    slots = Slot.objects.filter(task__key=first.key, task__item__key=first.item.key, study=copy)
    assert [slot.state for slot in slots] == ["filled"]


def test_answers_that_come_to_a_live_study_take_open_places_from_workers(study, rater, owner, again, tmp_path):
    other = make_person("other")
    add_member(study, other, "annotator", None)
    copy = again()
    prepare(copy, 60)
    copy.refresh_from_db()
    Study.objects.filter(pk=copy.pk).update(status="live")
    answer(study, rater)
    export_study(study, tmp_path / "later")
    text = (tmp_path / "later" / "study.yaml").read_text()
    (tmp_path / "later" / "study.yaml").write_text(text.replace(f"slug: {study.slug}\n", f"slug: {copy.slug}\n"))
    import_study(tmp_path / "later")
    assert TaskPreparation.objects.filter(study=copy).count() == 1
    run_waiting()
    assert Slot.objects.filter(study=copy, state="filled").count() == 1
    assert not Slot.objects.filter(study=study, state="filled", holder__study=copy).exists()


def test_a_draft_whose_plan_changes_gets_its_places_again(study, rater, again):
    answer(study, rater)
    copy = again()
    prepare(copy, 60)
    Study.objects.filter(pk=copy.pk).update(redundancy=4, planned_through=0)
    copy.refresh_from_db()
    prepare(copy, 60)
    slots = Slot.objects.filter(study=copy)
    assert slots.count() == 2 * Slot.objects.filter(study=study).count()
    assert slots.filter(state="filled").count() == 1
