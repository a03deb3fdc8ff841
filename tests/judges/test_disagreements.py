"""Where a judge and people disagree: the rule for each shape, and the search over a run of any size."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from annotation.models import Item, Output, Question, Rater, Rating
from judges import disagreements
from judges.disagreements import PeopleComparison, PersonAnswer, compare, find_disagreement, people_s_answers
from judges.judgment_list import value_words
from judges.models import Judgment, RunWork
from judges.run_states import start_run
from tests.judges.scripted_judges import configured

A, B, C = "k-a", "k-b", "k-c"
LIKERT = Question(pk=1, key="quality", type="likert", spec={"min": 1, "max": 5})
BINARY = Question(pk=2, key="follows", type="binary", spec={})
LABELS = Question(pk=3, key="kind", type="category", spec={"choices": ["fast", "slow"]})


def said(value, *outputs, number=None):
    return PersonAnswer("rater-one", outputs, value, float(value) if number is None and type(value) is int else number,
                        "", None)  # fmt: skip


def judged(value, order=(A,), **more):
    fields = {"outcome": "valid", "reading": {"value": value}, "order": list(order), **more}
    return Judgment(question_id=1, item_id=1, output_id=1, other_output_id=2 if len(order) == 2 else None, **fields)


@pytest.mark.parametrize(
    ("question", "value", "people", "expected"),
    [
        (LIKERT, 4, [4, 4], PeopleComparison(4.0, False)),
        (LIKERT, 4.4, [4, 3], PeopleComparison(3.5, False)),
        (LIKERT, 4.5, [4, 3], PeopleComparison(3.5, True)),
        (LIKERT, 2, [3], PeopleComparison(3.0, True)),
        (LIKERT, 0.7, [3], PeopleComparison(3.0, None)),
        (LIKERT, 3, [], PeopleComparison()),
        (BINARY, 0.7, [1, 1], PeopleComparison(1.0, False)),
        (BINARY, 0.4, [1, 1], PeopleComparison(1.0, True)),
    ],
)
def test_a_score_disagrees_from_one_step_off_people_s_mean(question, value, people, expected):
    assert compare(question, judged(value), [said(one, A) for one in people]) == expected


@pytest.mark.parametrize(
    ("value", "people", "expected"),
    [
        (A, [A, A, B], PeopleComparison(A, False)),
        (B, [A, A, B], PeopleComparison(A, True)),
        ("tie", ["tie", "tie", A], PeopleComparison("tie", False)),
        (A, [A, B], PeopleComparison()),
        (A, [], PeopleComparison()),
    ],
)
def test_a_choice_disagrees_with_another_majority(value, people, expected):
    assert compare(LIKERT, judged(value, (A, B)), [said(one, B, A) for one in people]) == expected


def test_a_choice_is_held_against_mean_scores_or_ranks_where_people_gave_those():
    scores = [said(4, A), said(2, B), said(2, A), said(5, B)]
    assert compare(LIKERT, judged(A, (A, B)), scores) == PeopleComparison(B, True)
    assert compare(LIKERT, judged("tie", (A, B)), [said(4, A), said(4, B)]) == PeopleComparison("tie", False)
    ranks = [said({A: 1, B: 2, C: 3}), said({A: 1, B: 3, C: 2})]
    assert compare(LIKERT, judged(A, (B, A)), ranks) == PeopleComparison(A, False)
    assert compare(LIKERT, judged(A, (A, B)), [said(4, A)]) == PeopleComparison(), "B has no score"


def test_a_ranking_disagrees_if_another_output_is_best():
    people = [said({A: 1, B: 2, C: 3}), said({A: 1, B: 3, C: 2})]
    assert compare(LIKERT, judged({A: 1, B: 3, C: 2}, (A, B, C)), people) == PeopleComparison({A: 1, B: 2, C: 2}, False)
    assert compare(LIKERT, judged({A: 2, B: 1, C: 2}, (A, B, C)), people).differs
    assert compare(LIKERT, judged({A: 1, B: 1, C: 2}, (A, B, C)), people).differs
    assert compare(LIKERT, judged({A: 1, "k-d": 2}, (A, "k-d")), people) == PeopleComparison()


def test_a_label_disagrees_with_another_majority():
    people = [said("fast"), said("fast"), said("slow")]
    assert compare(LABELS, judged("slow", ()), people) == PeopleComparison("fast", True)
    assert compare(LABELS, judged("fast", ()), people) == PeopleComparison("fast", False)
    assert compare(LABELS, judged("fast", ()), people[1:]) == PeopleComparison()


def test_a_judgment_without_a_value_is_not_compared():
    assert compare(LIKERT, judged(3, outcome="invalid", reading=None), [said(1, A)]) == PeopleComparison()
    assert compare(None, judged("fast"), [said("slow")]) == PeopleComparison()


@pytest.fixture
def long_run(study, owner, model, quality):
    """A run of 60 judgments, of which only 5 and 50 disagree with people's answers, which every unit has."""
    run = start_run(study, configured(study), owner)
    RunWork.objects.filter(run=run).update(status="done", ended_at=timezone.now())
    item, human = Item.objects.filter(study=study).first(), Rater.objects.create(study=study, name="annotator-one")
    rows = [Output(item=item, position=10 + n, key=f"k-{n}", text="It sails.", digest="d") for n in range(60)]
    outputs = Output.objects.bulk_create(rows)
    for place, output in enumerate(outputs):
        Rating.objects.create(
            study=study, question=quality, rater=human, item=item, output=output, level="interval", number=3, value=3
        )
        value = 5 if place in (5, 50) else 3
        Judgment.objects.create(
            run=run, place=place, question=quality, item=item, output=output, order=[output.key], status="done",
            outcome="valid", reading={"value": value}, ended_at=timezone.now(),
        )  # fmt: skip
    return run


def place_of(search):
    return None if search.found is None else Judgment.objects.get(pk=search.found).place


@pytest.mark.django_db
def test_the_next_disagreement_is_found_in_bounded_steps(long_run, study, monkeypatch):
    monkeypatch.setattr(disagreements, "AT_ONCE", 8)
    assert place_of(find_disagreement(study, long_run, -1)) == 5
    assert place_of(find_disagreement(study, long_run, 5)) == 50
    assert place_of(find_disagreement(study, long_run, 50, backwards=True)) == 5
    assert find_disagreement(study, long_run, 50).over
    assert find_disagreement(study, long_run, 5, backwards=True).over
    monkeypatch.setattr(disagreements, "MOST_STEPS", 3)
    with CaptureQueriesContext(connection) as queries:
        search = find_disagreement(study, long_run, 5)
    assert (search.found, search.at, search.over) == (None, 29, False)
    assert len(queries) == 1 + 2 * 3
    assert place_of(find_disagreement(study, long_run, search.at)) == 50


@pytest.mark.django_db
def test_machines_answers_and_earlier_revisions_are_nobody_s(long_run, study):
    machine = Rater.objects.create(study=study, name="another-judge", kind="model")
    others = {"rater": machine}, {"rater": Rater.objects.get(name="annotator-one"), "is_current": False}
    for key, other in zip(("k-7", "k-8"), others, strict=True):
        output = Output.objects.get(key=key)
        fields = {"question_id": Judgment.objects.first().question_id, "item": output.item, "output": output}
        Rating.objects.create(study=study, level="interval", number=0, value=0, **fields, **other)
    judgments = list(Judgment.objects.filter(place__in=(7, 8)))
    answers = people_s_answers(study, judgments)
    assert [[one.value for one in answers[judgment.pk]] for judgment in judgments] == [[3], [3]]


def named(best, worst):
    return said({"best": best, "worst": worst})


@pytest.mark.parametrize(
    ("value", "people", "expected"),
    [
        ({A: 1, B: 2, "C": 3}, [named(A, "C"), named(A, B)], PeopleComparison({A: 1, B: 2, "C": 2}, False)),
        ({A: 1, B: 2, "C": 3}, [named(B, "C")], PeopleComparison({A: 2, B: 1, "C": 3}, True)),
        ({A: 1, B: 2}, [named("C", "D")], PeopleComparison()),
    ],
)
def test_a_ranking_is_compared_with_the_best_and_the_worst_that_people_named(value, people, expected):
    assert compare(LIKERT, judged(value, (A, B)), people) == expected


@pytest.mark.parametrize(
    ("value", "people", "expected"),
    [
        (A, [named(A, "C"), named("C", B)], PeopleComparison(A, False)),
        (B, [named(A, B)], PeopleComparison(A, True)),
        (B, [named("C", "D")], PeopleComparison()),
    ],
)
def test_a_choice_is_compared_with_what_best_and_worst_imply(value, people, expected):
    assert compare(LIKERT, judged(value, (A, B)), people) == expected


@pytest.mark.parametrize(("value", "differs"), [(59.9, False), (60, True), (100.5, None)])
def test_a_score_on_a_slider_disagrees_from_a_tenth_of_the_scale(value, differs):
    slider = Question(pk=1, key="s", type="slider", spec={})
    assert compare(slider, judged(value), [said(50, A)]).differs is differs


def test_the_best_and_the_worst_are_said_in_words():
    assert value_words({"best": A, "worst": B}) == f"best {A}, worst {B}"
