"""`sample`: each attempt has some of a step's items, drawn for the person and the attempt."""

from itertools import chain

import pytest

from annotation.members.membership import rater_for
from annotation.models import Item
from files.entered.recruiting_settings import RecruitingRefusedError, digest
from files.reading import import_study
from files.writing import export_study
from parts.way_in.declaring import change_steps
from parts.way_in.entry_step import steps_of
from parts.way_in.models import StepPassage
from parts.way_in.practice_tasks import drawn_items
from tests.parts.way_in.way_in_study import QUALIFICATION, RIGHT, WRONG, Walk, add_practice, study_with_steps

pytestmark = pytest.mark.django_db
SAMPLED = {**QUALIFICATION, "items": 6, "sample": 2, "attempts": 4, "cooldown_hours": 0}


@pytest.fixture
def study(owner, rater):
    made = study_with_steps(owner, rater, [SAMPLED])
    for number in range(4, 8):
        add_practice(made, f"test-{number}", "qualification")
    return made


def drawn(**which):
    """The keys of the items of each attempt, in the order in which they come."""
    keys = dict(Item.objects.values_list("pk", "key"))
    return [[keys[task[0]] for task in one.tasks] for one in StepPassage.objects.filter(**which).order_by("pk")]


def test_attempts_draw_from_the_pool_of_the_step_and_repeat_nothing_before_all_were_had(client, rater, study):
    client.force_login(rater)
    walk = Walk(client, study)
    assert walk.page().context["items"] == 2
    for _ in range(3):
        assert walk.attempt("test", WRONG, WRONG) == "failed"
    first = drawn()
    assert [len(one) for one in first] == [2, 2, 2]
    assert sorted(chain(*first)) == [f"test-{number}" for number in range(6)]
    assert walk.attempt("test", RIGHT, RIGHT) == "passed"
    assert set(drawn()[3]) < {f"test-{number}" for number in range(6)}


def test_a_draw_is_of_the_seed_and_the_person(study, rater):
    def draw(name, seed):
        study.options, mine.name = {"seed": seed}, name
        return [item.key for item in drawn_items(study, steps_of(study)[0], mine)]

    mine = rater_for(study, rater)
    assert draw("ada", 1) == draw("ada", 1)
    assert len({tuple(draw(f"rater-{n}", 1)) for n in range(9)}) > 3
    assert len({tuple(draw("ada", n)) for n in range(9)}) > 3


def test_a_later_step_of_the_same_pool_draws_what_the_person_has_not_had(client, rater, owner):
    rounds = [
        {**QUALIFICATION, "key": f"round-{n}", "items": [f"test-{i}" for i in range(4)], "sample": 2} for n in (1, 2)
    ]
    study = study_with_steps(owner, rater, rounds)
    client.force_login(rater)
    walk = Walk(client, study)
    assert [walk.attempt(one["key"], RIGHT, RIGHT) for one in rounds] == ["passed", "passed"]
    assert sorted(chain(*drawn())) == ["test-0", "test-1", "test-2", "test-3"]


def test_it_is_exported_and_imported_with_the_same_bytes(study, tmp_path):
    export_study(study, tmp_path / "one")
    assert "sample: 2" in (tmp_path / "one" / "study.yaml").read_text()
    path = tmp_path / "one" / "study.yaml"
    path.write_text(path.read_text().replace("slug: study", "slug: again"))
    again = import_study(tmp_path / "one").study
    assert again.recruiting["steps"] == [SAMPLED]
    export_study(again, tmp_path / "two")
    assert (tmp_path / "two" / "study.yaml").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("sample", [0, 7, "2", True])
def test_a_sample_that_is_no_number_of_the_items_is_refused(study, owner, sample):
    with pytest.raises(RecruitingRefusedError, match="sample must be a whole number from 1 to 6"):
        change_steps(study, [{**SAMPLED, "sample": sample}], owner, seen=digest(study), reason="x")
