"""What somebody who sees all counts of a questionnaire, and sees them again later, can compute about single people."""

import itertools
from collections import defaultdict

import pytest

from annotation.members.membership import rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Annotation, Study, Task
from annotation.studies.lifecycle import close
from config.model_fields import canonical_json
from parts.way_in.background_counts import CountedPeople, background_of, counts_of_step
from parts.way_in.entry_step import steps_of
from parts.way_in.models import PersonalReply
from parts.way_in.small_cells import LEAST
from tests.conftest import make_person
from tests.parts.way_in.way_in_study import BACKGROUND, study_with_steps

CHOICES = ("18-24", "25-34", "35+")
TWO = {**BACKGROUND, "questions": [*BACKGROUND["questions"], {"key": "b", "text": "B?", "choices": ["x", "y"]}]}
SEVERAL = {**BACKGROUND, "questions": [{**BACKGROUND["questions"][0], "multiple": True}]}


@pytest.fixture
def step(owner, rater):
    return lambda body: steps_of(study_with_steps(owner, rater, [body]))[0]


def shown(step, answers, *, is_final=True):
    """What is shown of people with these replies, each of them {question: value}, as text."""
    replies = defaultdict(dict)
    for person, given in enumerate(answers):
        for question, value in given.items():
            replies[question][person] = value
    counted = CountedPeople(dict.fromkeys(range(len(answers)), 1), is_final)
    return canonical_json([len(answers), counts_of_step(step, replies, counted)])


def world(counts, question="age"):
    """People who gave each of the choices so often; the last number is of people without an answer."""
    given = [{question: choice} for choice, count in zip(CHOICES, counts, strict=False) for _ in range(count)]
    return given + [{}] * counts[-1]


@pytest.mark.thorough
def test_no_small_group_follows_from_groups_totals_and_the_number_of_replies(step):
    asked, worlds = step(BACKGROUND), defaultdict(list)
    for counts in itertools.product(range(9), repeat=4):
        worlds[shown(asked, world(counts))].append(counts)
    told = [
        (text, one)
        for text, possible in worlds.items()
        if sum(possible[0]) >= 2 * LEAST
        for one in zip(*possible, strict=True)
        if len(set(one)) == 1 and one[0] < LEAST
    ]
    assert told == []


def test_who_left_out_a_single_question_does_not_follow_from_two_questions(step):
    asked = step(TWO)
    people = [{"age": "35+", "b": "x"}] * 10 + [{"age": "25-34", "b": "y"}] * 6 + [{}] * 6
    assert '"replied":16' in shown(asked, people)
    assert '"replied":null' in shown(asked, [*people, {"age": "35+"}])


def test_who_chose_something_else_does_not_follow_from_several_answers(step):
    asked = step(SEVERAL)
    people = [{"age": ["18-24", "35+"]}] * 9 + [{"age": ["25-34"]}] + [{}] * 6
    assert [line["people"] for line in told(asked, people)] == [None, None, None, 6]
    people += [{"age": ["25-34"]}] * 5
    assert [line["people"] for line in told(asked, people)] == [9, 6, 9, 6]


def told(asked, people):
    replies = {"age": {number: one["age"] for number, one in enumerate(people) if one}}
    counted = CountedPeople(dict.fromkeys(range(len(people)), 1), True)
    return counts_of_step(asked, replies, counted)["questions"][0]["cells"]


def test_what_one_more_person_has_said_does_not_follow_from_what_is_shown_before_and_after(step):
    """Five people are counted at once: before and after them, the last may have given any answer, or none."""
    asked, last = step(BACKGROUND), defaultdict(set)
    later = {
        one: shown(asked, world(one), is_final=False)
        for one in itertools.product(range(16), repeat=4)
        if sum(one) == 15
    }
    sizes = [one for one in itertools.product(range(11), repeat=4) if sum(one) == 10]
    for before in sizes:
        first = shown(asked, world(before), is_final=False)
        for new in (one for one in itertools.product(range(6), repeat=4) if sum(one) == 5):
            after = tuple(map(sum, zip(before, new, strict=True)))
            last[first, later[after]] |= {place for place, count in enumerate(new) if count}
    assert [pair for pair, answers in last.items() if len(answers) < 2] == []


def join(study, number, age):
    """Somebody with an answer to a task and, perhaps, to the questionnaire."""
    person = make_person(f"person-{number}")
    one = rater_for(study, person)
    task = Task.objects.filter(item__study=study).first()
    Annotation.objects.create(
        task=task, rater=one, revision=1, status="submitted", answers={}, shown=[0], protocol_version=1
    )
    if age:
        PersonalReply.objects.create(
            study=study, person=person, step="background", question="age", value=age, given_at=one.created_at
        )
    return one


def test_counts_stay_until_five_more_came_and_are_exact_only_after_the_end(owner, rater):
    study = study_with_steps(owner, rater, [BACKGROUND])
    for number in range(17):
        join(study, number, "18-24" if number % 2 else "35+")
    before = background_of(study)
    assert (before["people"], before["final"]) == (15, False)
    for number in (17, 18):
        join(study, number, None)
        assert background_of(study) == before
    join(study, 19, "35+")
    assert background_of(study)["people"] == 20
    gone = join(study, 20, "35+")
    close(study, owner)
    study.refresh_from_db()
    assert (background_of(study)["people"], background_of(study)["final"]) == (21, True)
    erase_rater(gone, None, keep_answers=False)
    assert (background_of(study)["people"], background_of(study)["final"]) == (20, False)


def test_a_study_that_was_opened_again_has_no_exact_counts(owner, rater):
    study = study_with_steps(owner, rater, [BACKGROUND])
    for number in range(11):
        join(study, number, "35+")
    final = []
    for _ in range(2):
        Study.objects.update(status="live")
        close(study, owner)
        study.refresh_from_db()
        final.append(background_of(study)["final"])
    assert final == [True, False]
