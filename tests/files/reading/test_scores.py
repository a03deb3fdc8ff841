"""Machines' answers in files: their shapes, their identity, and their way back out."""

import pytest

from annotation.models import Rating
from config.model_fields import canonical_json
from files.reading import import_study
from files.writing import export_study
from tests.files.reading.conftest import ITEM, STUDY, only_problem, problems_of
from tests.files.writing.conftest import bytes_of, empty_the_database, objects_of

pytestmark = pytest.mark.django_db

KINDS = """  - {key: kind, type: category, choices: [news, mail, "tie"]}
"""
JUDGE = {"item": "harbour", "rater": "judge", "rater_kind": "model"}
SCORE = {**JUDGE, "output": "north", "question": "how_well", "value": 4.333333}
CHOICE = {**JUDGE, "outputs": ["south", "north"], "rater": "chooser", "question": "follows", "value": "north"}
RANKING = {**JUDGE, "rater": "ranker", "question": "how_well", "value": {"north": 1, "south": 1}}
LABEL = {**JUDGE, "rater": "sorter", "question": "kind", "value": "news"}
FULL = {
    **SCORE, "rater": "agents", "explanation": "So.", "shown": ["south", "north"], "seconds": 0.5,
    "submitted_at": "2026-03-01T12:00:00.000007Z", "guidelines_version": 1, "run": "r1", "replicate": 0,
    "distribution": {"4": 0.5}, "missing": 0.0625, "outcome": "majority", "prompt_digest": "ab" * 32,
    "metadata": {"round": 2},
}  # fmt: skip
RUN = {
    "id": "r1", "rater": "agents", "rater_kind": "model", "configuration": {"model": "campus/m", "temperature": 0.1},
    "status": "finished", "counts": {"answered": 1}, "tokens_in": 3000000000, "tokens_out": 4, "price": 12,
    "started_at": "2026-03-01T12:00:00.000001Z", "ended_at": "2026-03-01T12:01:00.000000Z",
}  # fmt: skip


def shapes():
    columns = ("rater__name", "level", "output__key", "other_output__key", "value", "number")
    return {name: tuple(row) for name, *row in Rating.objects.values_list(*columns)}


def test_a_machine_answers_in_four_shapes_each_with_its_unit_and_level(folder):
    import_study(folder(STUDY + KINDS, scores=[SCORE, CHOICE, RANKING, LABEL]))
    assert shapes() == {
        "judge": ("interval", "north", None, 4.333333, 4.333333),
        "chooser": ("choice", "south", "north", "north", None),
        "ranker": ("rank", None, None, {"north": 1, "south": 1}, None),
        "sorter": ("nominal", None, None, "news", None),
    }


@pytest.mark.parametrize(
    ("line", "field", "reason"),
    [
        ({**SCORE, "value": "four"}, "value", "must be a finite number"),
        ({**SCORE, "question": "kind", "value": True}, "value", "must be a finite number"),
        ({**SCORE, "output": None}, "output", "is missing: name the output for a score, or two as outputs"),
        ({**SCORE, "question": "comment"}, "value", "must be text"),
        ({**SCORE, "outputs": ["north", "south"]}, "output", "must be left out, because the line has outputs"),
        ({**CHOICE, "value": "west"}, "value", "must be one of the outputs compared"),
        ({**CHOICE, "value": 1}, "value", "must be one of the outputs compared"),
        ({**CHOICE, "outputs": ["north", "west"]}, "output", "is not an output of item"),
        ({**CHOICE, "outputs": ["north"]}, "outputs", "must be a list of two output ids"),
        ({**CHOICE, "outputs": ["north", "north"]}, "outputs", "names the same output twice"),
        ({**CHOICE, "shown": ["north"]}, "shown", "must list the two outputs compared"),
        ({**CHOICE, "question": "comment"}, "outputs", "a question for a text cannot be answered by a choice"),
        ({**RANKING, "value": {"north": 1, "south": 3}}, "value", "leaves out a rank"),
        ({**RANKING, "value": {"north": 2, "south": 3}}, "value", "leaves out a rank"),
        ({**RANKING, "value": {"north": 1, "south": 1.5}}, "value", "must give a rank for each output"),
        ({**RANKING, "value": {}}, "value", "must give a rank for each output"),
        ({**RANKING, "value": {"north": 1, "west": 2}}, "value", "which is not an output of the item"),
        ({**RANKING, "value": {"north": 1}, "shown": ["north", "south"]}, "value", "leaves out 'south'"),
        ({**LABEL, "value": "post"}, "value", "must be one of: news, mail"),
        ({**LABEL, "question": "follows"}, "output", "is missing: name the output for a score"),
        ({**LABEL, "question": "how_well", "output": "north"}, "value", "must be a finite number"),
        ({**SCORE, "missing": 1.5}, "missing", "must be a number from 0 to 1"),
        ({**SCORE, "outcome": "settled"}, "outcome", "must be one of disagreement, majority, unanimous"),
        ({**SCORE, "prompt_digest": "a" * 65}, "prompt_digest", "must have at most 64 characters"),
        ({**SCORE, "rater_kind": "human", "value": 4, "missing": 0.5}, '"missing"', "unknown key"),
        ({**CHOICE, "rater_kind": "human"}, '"outputs"', "unknown key"),
    ],
)
def test_a_line_that_has_no_shape_is_refused_with_its_reason(folder, line, field, reason):
    found = only_problem(folder(STUDY + KINDS, scores=[line]))
    assert found[:2] == (1, field)
    assert reason in found[2]


def test_a_rater_keeps_to_one_shape_per_question(folder):
    ranked = {**RANKING, "rater": "judge"}
    other = {**ranked, "question": "follows"}
    found = only_problem(folder(scores=[SCORE, other, ranked]))
    assert found[:2] == (3, "value")
    assert "this rater answers this question with scores of single outputs, not rankings" in found[2]
    import_study(folder(scores=[SCORE]))
    assert problems_of(folder(scores=[ranked]))[0][2] == found[2]
    import_study(folder(scores=[other]))


def test_nothing_that_a_run_a_replicate_or_an_order_tells_apart_is_taken_for_a_repeat(folder):
    apart = [
        CHOICE,
        {**CHOICE, "outputs": ["north", "south"]},
        {**CHOICE, "run": "r1"},
        {**CHOICE, "run": "r1", "replicate": 1},
        {**CHOICE, "run": "r2"},
        {**CHOICE, "rater": "other"},
    ]
    assert import_study(folder(scores=apart)).added["scores"] == len(apart)
    same = {**CHOICE, "outputs": ["north", "south"], "shown": ["south", "north"]}
    assert import_study(folder(scores=[*reversed(apart), same])).added["scores"] == 1
    assert import_study(folder(scores=[*reversed(apart), same])).added["scores"] == 0


def test_a_run_says_one_thing_about_a_unit(folder):
    line = {**SCORE, "run": "r1"}
    import_study(folder(scores=[line, line]))
    assert Rating.objects.count() == 1
    [(number, field, reason)] = problems_of(folder(scores=[{**SCORE, "run": "r2"}, {**line, "value": 1}]))
    assert (number, field) == (2, "value")
    assert "another answer needs another run or replicate" in reason
    assert problems_of(folder(scores=[{**line, "seconds": 3}]))


def test_answers_without_a_run_are_told_apart_by_their_order_in_the_file(folder):
    import_study(folder(scores=[SCORE, {**SCORE, "value": 2}, SCORE]))
    assert list(Rating.objects.order_by("ordinal").values_list("number", flat=True)) == [4.333333, 2.0, 4.333333]
    assert import_study(folder(scores=[{**SCORE, "value": 2}, SCORE, SCORE])).added["scores"] == 0
    assert problems_of(folder(scores=[{**SCORE, "value": 3}]))


def test_scores_that_a_machines_annotations_gave_are_recognised(folder, tmp_path):
    said = {
        "item": "harbour", "outputs": ["north"], "rater": "judge", "rater_kind": "model", "status": "submitted",
        "answers": {"follows": 0.75, "how_well": 2.5},
    }  # fmt: skip
    annotations = [{**said, "revision": 1, "answers": {"follows": 0.5}}, {**said, "revision": 2}]
    study = import_study(folder(annotations=annotations, scores=[{**SCORE, "rater": "other"}])).study
    assert Rating.objects.filter(rater__name="judge").values_list("level").distinct().get() == ("interval",)
    export_study(study, tmp_path / "one")
    assert not any(import_study(tmp_path / "one").added.values())
    empty_the_database()
    export_study(import_study(tmp_path / "one").study, tmp_path / "two")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_scores_of_every_shape_and_runs_come_back_with_the_same_bytes(folder, tmp_path, form):
    runs = [{**RUN, "id": "r0", "replaced_by": {"rater": "agents", "id": "r1"}}, RUN]
    more = [{**CHOICE, "outputs": ["north", "south"], "run": name, "value": "tie"} for name in ("r10", "r9")]
    scores = [FULL, {**FULL, "replicate": 1}, SCORE, CHOICE, *more, RANKING, LABEL, {**LABEL, "question": "comment",
              "output": "north", "value": "Because."}]  # fmt: skip
    study = import_study(folder(STUDY + KINDS, scores=scores, runs=runs)).study
    export_study(study, tmp_path / "one", form)
    export_study(study, tmp_path / "lines")
    lines = objects_of(tmp_path / "lines" / "scores.jsonl")
    assert sorted(lines, key=canonical_json) == sorted(scores, key=canonical_json)
    assert objects_of(tmp_path / "lines" / "runs.jsonl") == runs
    assert not any(import_study(tmp_path / "one").added.values())
    empty_the_database()
    again = import_study(tmp_path / "one").study
    export_study(again, tmp_path / "two", form)
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        ({"id": None}, "id", "must be text"),
        ({"rater_kind": None}, "rater_kind", "must be model or metric"),
        ({"configuration": None}, "configuration", "is missing"),
        ({"status": "done"}, "status", "must be one of finished, out_of_budget, planned, running, stopped"),
        ({"counts": {"answered": -1}}, "counts.answered", "must be a whole number"),
        ({"price": 0.5}, "price", "must be a whole number"),
        ({"replaced_by": "r0"}, "replaced_by", "must be an object"),
        ({"replaced_by": {"id": "r0"}}, "replaced_by", 'must be {"rater", "id"}'),
        ({"replaced_by": {"rater": "agents", "id": "r1"}}, "replaced_by", "must name another run"),
        ({"replaced_by": {"rater": "agents", "id": "r7"}}, "replaced_by", "must name another run"),
        ({"model": "m"}, '"model"', "unknown key"),
    ],
)
def test_a_run_that_fits_nothing_is_refused(folder, change, field, reason):
    found = only_problem(folder(runs=[{**RUN, **change}]))
    assert found[:2] == (1, field)
    assert reason in found[2]


def test_runs_are_named_once_and_do_not_replace_each_other_in_a_circle(folder):
    assert only_problem(folder(runs=[RUN, RUN])) == (2, "id", '"r1" of this rater is in line 1')
    first = {**RUN, "id": "r0", "replaced_by": {"rater": "agents", "id": "r1"}}
    circle = [first, {**RUN, "replaced_by": {"rater": "agents", "id": "r0"}}]
    assert only_problem(folder(runs=circle)) == (1, "replaced_by", "goes round in a circle")
    import_study(folder(runs=[first, RUN]))
    assert "exists with different content" in problems_of(folder(runs=[first, {**RUN, "price": 13}]))[0][2]


def test_an_output_called_tie_cannot_be_compared(folder):
    item = {**ITEM, "outputs": [*ITEM["outputs"], {"id": "tie", "text": "Never."}]}
    line = {**CHOICE, "outputs": ["north", "tie"]}
    assert 'an output called "tie" cannot be compared' in only_problem(folder(items=[item], scores=[line]))[2]
