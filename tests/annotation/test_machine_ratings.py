"""The writer of machines' ratings: many rows, and the same rows again."""

import pytest
from django.db import IntegrityError, transaction

from annotation.answers import Unit
from annotation.machine_ratings import (
    COLUMNS,
    STEP,
    MachineRating,
    MachineRatingRefusedError,
    MachineRatingWriter,
    write_machine_ratings,
)
from annotation.machine_shapes import checked_answer
from annotation.models import JudgeRun, Output, PendingImport, Rater, Rating
from annotation.protocols import protocols
from annotation.studies.locking import ImportPendingError
from files.reading import import_study
from tests.files.reading.conftest import folder  # noqa: F401

pytestmark = [pytest.mark.quick, pytest.mark.postgresql, pytest.mark.django_db]


@pytest.fixture
def judge(make_study):
    """A function that returns a rating by a judge of the n-th output of a study of two items."""
    study = make_study()
    rater = Rater.objects.create(study=study, name="llm_eval/m", kind="model")
    question = study.questions.get(key="how_well")
    outputs = list(Output.objects.order_by("pk"))

    def rated(number, value=4.5, **more):
        output = outputs[number]
        answer = checked_answer(question, protocols()[study.protocol], Unit(output=output.key), value)
        said = {"run": "run-1", "replicate": 0, "seconds": 1, **more}
        return MachineRating(answer, rater.pk, output.item_id, output.pk, **said)

    rated.study, rated.rater = study, rater
    return rated


def test_a_run_that_writes_its_rows_again_adds_only_what_is_new(judge):
    first = [judge(number) for number in range(3)]
    assert write_machine_ratings(judge.study, first) == 3
    assert write_machine_ratings(judge.study, [*first, judge(3), judge(3)]) == 1
    assert write_machine_ratings(judge.study, [judge(0, replicate=1), judge(0, run="run-2")]) == 2
    one = Rating.objects.get(output=first[0].output, run="run-1", replicate=0)
    assert (one.level, one.number, one.value, one.off_scale) == ("interval", 4.5, 4.5, False)


def test_a_run_cannot_say_something_else_about_the_same_unit(judge):
    write_machine_ratings(judge.study, [judge(0)])
    with pytest.raises(MachineRatingRefusedError, match="another answer needs another run or replicate"):
        write_machine_ratings(judge.study, [judge(1), judge(0, 2.5)])
    assert Rating.objects.count() == 1
    with pytest.raises(ValueError, match="names no run"):
        write_machine_ratings(judge.study, [judge(0, run="")])


def test_a_run_waits_for_an_import_that_is_being_completed(judge):
    judge.study.pending_import = PendingImport.objects.create(slug="study", moved_at=judge.study.created_at)
    judge.study.save()
    with pytest.raises(ImportPendingError):
        write_machine_ratings(judge.study, [judge(0)])


def test_thousands_of_rows_take_few_statements(judge, django_assert_max_num_queries):
    many = [judge(0, replicate=number) for number in range(STEP + 1)]
    with django_assert_max_num_queries(30):
        assert write_machine_ratings(judge.study, many) == STEP + 1
    assert write_machine_ratings(judge.study, many) == 0


def test_the_database_refuses_the_same_rating_twice(judge):
    writer = MachineRatingWriter(judge.study)
    compared = writer.compare([judge(0)])
    writer.insert(compared)
    with pytest.raises(IntegrityError), transaction.atomic():
        writer.insert(compared)


def test_all_columns_but_those_of_peoples_answers_are_written():
    columns = {field.column for field in Rating._meta.local_concrete_fields}
    assert columns - set(COLUMNS) == {"annotation_id", "protocol_version", "third_rater"}


def test_the_results_of_a_finished_run_are_kept(judge):
    run = JudgeRun.objects.create(rater=judge.rater, name="run-1", configuration={"seed": 1}, status="running")
    JudgeRun.objects.filter(pk=run.pk).update(tokens_in=5)
    JudgeRun.objects.filter(pk=run.pk).update(status="finished", tokens_in=6)
    other = JudgeRun.objects.create(rater=judge.rater, name="run-2", configuration={"seed": 2})
    JudgeRun.objects.filter(pk=run.pk).update(replaced_by=other)
    for change in ({"tokens_in": 7}, {"status": "running"}, {"name": "run-3"}, {"configuration": {}}):
        with pytest.raises(IntegrityError, match="annotation_judgerun is frozen"), transaction.atomic():
            JudgeRun.objects.filter(pk=run.pk).update(**change)
    with pytest.raises(IntegrityError, match="is kept"), transaction.atomic():
        run.delete()


def test_scores_and_a_run_that_wrote_them_meet_in_one_row(folder):  # noqa: F811
    line = {
        "item": "harbour", "output": "north", "rater": "judge", "rater_kind": "model", "question": "how_well",
        "value": 4.5, "run": "run-1",
    }  # fmt: skip
    study = import_study(folder(scores=[line])).study
    output, question = Output.objects.get(key="north"), study.questions.get(key="how_well")
    answer = checked_answer(question, protocols()["rating"], Unit(output="north"), 4.5)
    rating = MachineRating(answer, Rater.objects.get(name="judge").pk, output.item_id, output.pk, run="run-1")
    assert write_machine_ratings(study, [rating]) == 0
