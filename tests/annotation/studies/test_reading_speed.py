"""Answers that came faster than anybody reads are counted, in every script, and shown with their numbers."""

import pytest

from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Item, Output, Task
from annotation.studies.planning import plan_chunk
from annotation.studies.reading_speed import FASTEST, Octets, count_hasty
from annotation.studies.study_overview import overview_of
from tests.annotation.studies.test_pace_counts import count_requested
from tests.conftest import make_person, rater_of

pytestmark = pytest.mark.postgresql
ENGLISH = "ferry sails at nine and " * 180
CHINESE = "今天天气很好我们坐船去岛上" * 70


@pytest.fixture
def answered(study, rater):
    """A function that stores answers of a rater, each (task, seconds, ...), to the study's tasks with long texts."""

    def answer(task, seconds, person=rater, revision=1, status="submitted", current=True):
        who = rater_for(study, person)
        return Annotation.objects.create(
            task=task,
            rater=who,
            revision=revision,
            status=status,
            is_current=current,
            shown=[0],
            protocol_version=1,
            seconds=seconds,
        )

    return answer


def long_tasks(study, document, output="It sails at nine.", key="long"):
    item = Item.objects.create(study=study, key=key, digest=key, document=document, instruction="")
    for position in range(2):
        Output.objects.create(item=item, position=position, key=f"system{position}", text=output, digest="x")
    while plan_chunk(study):
        pass
    return list(Task.objects.filter(item=item).order_by("pk"))


@pytest.mark.parametrize("document", [ENGLISH, CHINESE])
def test_nine_hundred_words_in_a_third_of_a_second_are_found_in_every_script(study, rater, answered, document):
    task, *_ = long_tasks(study, document)
    answered(task, 0.3)
    figures = count_hasty(study)
    [[key, hasty]] = figures.items()
    assert key == str(rater_of(study, rater).pk)
    assert (hasty["answers"], hasty["timed"], hasty["seconds"]) == (1, 1, 0.3)
    assert hasty["words"] == (904 if document is ENGLISH else 914)


def test_a_reader_of_the_threshold_is_not_found_and_one_just_faster_is(study, answered):
    task, other, *_ = long_tasks(study, ENGLISH)
    answered(task, 60 * 904 / FASTEST)
    assert count_hasty(study) == {}
    answered(other, 60 * 4 / FASTEST - 0.01)
    [hasty] = count_hasty(study).values()
    assert (hasty["answers"], hasty["timed"], hasty["words"]) == (1, 2, 4)


def test_the_document_is_read_once_by_each_rater(study, answered):
    first, second, *_ = long_tasks(study, ENGLISH)
    answered(first, 240.0)
    answered(second, 5.0)
    assert count_hasty(study) == {}
    another = make_person("another")
    add_member(study, another, "annotator", None)
    answered(second, 5.0, person=another)
    [hasty] = count_hasty(study).values()
    assert hasty["words"] == 904


def test_an_answer_that_was_changed_took_the_time_of_all_its_revisions(study, answered):
    task, *_ = long_tasks(study, ENGLISH)
    answered(task, 240.0, current=False)
    answered(task, 1.0, revision=2)
    assert count_hasty(study) == {}


@pytest.mark.parametrize("kind", ["skipped", "untimed", "withdrawn later", "machine"])
def test_what_is_no_timed_answer_of_a_person_does_not_count(study, rater, answered, kind):
    task, *_ = long_tasks(study, ENGLISH)
    answered(
        task,
        None if kind == "untimed" else 0.1,
        status="skipped" if kind == "skipped" else "submitted",
        current=kind != "withdrawn later",
    )
    if kind == "machine":
        own = rater_of(study, rater)
        own.kind, own.person = "model", None
        own.save()
    assert count_hasty(study) == {}


@pytest.mark.parametrize("text", ["", "Ferry", "e\u0301tude", CHINESE, "🚢"])
def test_the_bytes_of_a_text_are_those_of_utf_8_on_both_databases(study, text):
    long_tasks(study, text)
    assert Item.objects.values_list(Octets("document"), flat=True).get(key="long") == len(text.encode())


def test_what_needs_attention_names_raters_with_their_numbers(client, study, owner, rater, answered):
    task, other, *_ = long_tasks(study, ENGLISH)
    answered(task, 0.3)
    answered(other, 9.0)
    client.force_login(owner)
    page = " ".join(client.get("/studies/study/").content.decode().split())
    assert "1 answer sent faster than anybody reads</a>, at more than 1,000 words per minute" in page
    assert f"{rater_of(study, rater).name}</bdi> 1 of 2 (904 words in 0.3 s)." in page
    rows = " ".join(client.get("/studies/study/progress/").content.decode().split())
    assert '1 of 2<span class="below">904 words in 0.3 s' in rows


def test_a_study_whose_raters_read_needs_none(client, study, owner, answered):
    task, *_ = long_tasks(study, ENGLISH)
    answered(task, 200.0)
    client.force_login(owner)
    assert "faster than anybody reads" not in client.get("/studies/study/").content.decode()


def test_a_large_study_shows_what_workers_counted(study, rater, answered, monkeypatch):
    task, *_ = long_tasks(study, ENGLISH)
    answered(task, 0.3)
    monkeypatch.setattr("annotation.studies.kept_counts.MOST_AT_ONCE", 0)
    assert not any(one.hasty.answers for one in overview_of(study).contributions())
    assert count_requested() == 1
    assert [one.hasty.answers for one in overview_of(study).contributions() if one.rater] == [1]
