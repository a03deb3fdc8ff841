"""Items of other pools than the main one have no tasks, no units for judges, and no part in any figure."""

import pytest

from annotation.models import Output, Rater, Rating, Slot, Task
from annotation.pools import in_main_pool, main_items
from annotation.studies.batches import batches_of, items_in
from annotation.studies.lifecycle import StudyRefusedError, make_live, prepare
from annotation.studies.planning import is_planned, planning_progress
from files.reading import import_study
from files.writing import export_study
from judges.configuration import RunConfiguration
from judges.units import output_units, planned_units, some_units
from reports.figures.agreement_report import agreement_report
from reports.figures.meta_evaluation_report import meta_evaluation
from reports.figures.rows.rater_shares import rater_shares
from tests.conftest import add_item
from tests.files.writing.conftest import item, objects_of, write_study

pytestmark = pytest.mark.django_db
OTHERS = ("training", "qualification", "attention")
KINDS = frozenset({"human", "model"})


def rate(study, shift=0):
    """People and a model answer two questions about all outputs that have no answers yet."""
    scale, text = study.questions.get(key="how_well"), study.questions.get(key="comment")
    for name, kind in (("ann", "human"), ("bob", "human"), ("judge", "model")):
        rater, _ = Rater.objects.get_or_create(study=study, name=name, kind=kind)
        for number, output in enumerate(Output.objects.exclude(ratings__rater=rater).order_by("pk")):
            value = 1 + (number * 2 + shift + (name == "bob")) % 5
            common = {"study": study, "rater": rater, "item": output.item, "output": output, "guidelines_version": 1}
            Rating.objects.create(question=scale, level="interval", value=value, number=value, **common)
            Rating.objects.create(question=text, level="text", value=f"{name} {number}", **common)


def figures(study):
    return (
        agreement_report(study, KINDS, categories=True, replicates=20),
        agreement_report(study, guidelines="all", replicates=20),
        rater_shares(study, KINDS),
        meta_evaluation(study, replicates=20),
    )


def test_no_figure_changes_when_items_of_other_pools_are_rated(make_study):
    study = make_study(items=4)
    rate(study)
    before = figures(study)
    assert before[0]["items"] == 4
    assert before[0]["questions"]["how_well"]["ratings"] == 36
    for pool in OTHERS:
        add_item(study, pool, pool=pool, categories=["another"])
    rate(study, shift=3)
    assert Rating.objects.filter(study=study).count() == 3 * 2 * 3 * (4 + len(OTHERS))
    assert figures(study) == before
    add_item(study, "late")
    rate(study, shift=2)
    assert figures(study)[0]["questions"]["how_well"]["ratings"] == 45


def test_only_items_of_the_main_pool_get_tasks_and_belong_to_batches(make_study):
    study = make_study(items=0, options={"batch_size": 2})
    for number in range(6):
        add_item(study, f"item-{number}", pool="main" if number % 2 else OTHERS[number // 2])
    assert planning_progress(study) == (0, 3)
    assert not is_planned(study)
    assert prepare(study, 60)
    assert planning_progress(study) == (3, 3)
    keys = [f"item-{number}" for number in (1, 3, 5)]
    assert sorted(Task.objects.values_list("item__key", flat=True).distinct()) == keys
    assert sorted(Slot.objects.values_list("item__key", flat=True).distinct()) == keys
    assert batches_of(study) == 2
    assert [[one.key for one in items_in(study, batch).order_by("pk")] for batch in (0, 1)] == [keys[:2], keys[2:]]
    add_item(study, "item-6", pool="training")
    study.refresh_from_db()
    assert is_planned(study)
    make_live(study, None)


def test_a_study_whose_items_are_all_in_other_pools_does_not_go_live(make_study):
    study = make_study(items=0)
    add_item(study, "first", pool="training")
    with pytest.raises(StudyRefusedError, match="has no items yet"):
        make_live(study, None)


def test_judges_and_metrics_get_no_units_of_other_pools(make_study):
    study = make_study(items=0)
    for number in range(6):
        add_item(study, f"item-{number}", pool="main" if number % 2 else OTHERS[number // 2])
    configuration = RunConfiguration("llm_eval", "campus/small", ("how_well",), {"reference": "none"})
    main = set(main_items(study).values_list("pk", flat=True))
    assert len(main) == 3
    assert {unit.item for unit in planned_units(study, configuration)} == main
    assert {unit.item for unit in output_units(study)} == main
    few, about = some_units(study, configuration, 1, 2)
    assert {unit.item for unit in few} <= main
    assert about == 9


def test_rows_are_told_apart_whichever_way_leads_to_their_item(make_study):
    study = make_study(items=1)
    add_item(study, "other", pool="attention")
    outputs = Output.objects.filter(in_main_pool(study), item__study=study)
    assert set(outputs.values_list("item__key", flat=True)) == {"item-0"}
    assert not Output.objects.filter(in_main_pool(study), item__key="other").exists()


def test_answers_about_items_of_other_pools_are_still_imported_and_exported(tmp_path):
    rating = {"item": "harbour", "output": "north", "rater": "ann", "question": "how_well", "value": 3}
    done = {
        "item": "harbour", "outputs": ["north"], "rater": "zoe", "revision": 1, "status": "submitted",
        "answers": {"follows": True, "how_well": 4},
    }  # fmt: skip
    given = write_study(tmp_path / "in", [item(pool="qualification")], [rating], annotations=[done])
    study = import_study(given).study
    export_study(study, tmp_path / "out")
    assert len(objects_of(tmp_path / "out" / "annotations.jsonl")) == 1
    assert {line["rater"] for line in objects_of(tmp_path / "out" / "ratings.jsonl")} == {"ann", "zoe"}
    assert agreement_report(study, guidelines="all", replicates=10)["questions"]["how_well"]["ratings"] == 0
    assert rater_shares(study, KINDS) == []
    assert not any(import_study(tmp_path / "out").added.values())
