"""Pages of routing: an annotator's topics, the kind words of full groups, and how places fill up."""

import json

import pytest
from django.urls import reverse

from annotation.desk.statements import desk_row_of
from annotation.desk.task_page import progress_of
from annotation.models import Assignment, Rater, Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, prepare
from annotation.studies.queries import work_in
from files.import_problems import ImportRefusedError
from files.reading import import_study
from files.writing import export_study
from parts.routing.fill_table import count_lanes
from tests.parts.routing.routed_study import TOPICS, answer, make_rater, make_routed_study, source

pytestmark = [pytest.mark.quick, pytest.mark.django_db]
TOPIC_RULE = {"topics": {"names": list(TOPICS), "mode": "require"}}
ONE_GERMAN = {"groups": [{**source("country"), "quotas": {"DE": {"raters": 1, "most": 3}}}]}


def start(client, study):
    return client.post(reverse("annotation:next_task", args=[study.slug]))["Location"]


def test_an_annotator_chooses_topics_before_the_first_task_and_may_change_them(tmp_path, owner, client):
    study = make_routed_study(tmp_path, owner, TOPIC_RULE)
    rater = make_rater(study, "ann")
    client.force_login(rater.person)
    address = reverse("routing:own_topics", args=[study.slug])
    assert start(client, study) == address
    page = client.get(address).content.decode()
    assert all(f'value="{topic}"' in page for topic in TOPICS)
    refused = client.post(address, {"topic": ["alchemy"]})
    assert refused.status_code == 422
    assert "Choose at least one topic." in refused.content.decode()
    desk = client.post(address, {"topic": ["law"]})["Location"]
    assert client.get(desk).status_code == 200
    rater.refresh_from_db()
    assert rater.topics == ["law"]
    assert 'value="law" checked' in client.get(address).content.decode()


def test_a_full_group_is_told_kindly_and_may_look_again(tmp_path, owner, client):
    study = make_routed_study(tmp_path, owner, ONE_GERMAN)
    ann, bob = make_rater(study, "ann", country="DE"), make_rater(study, "bob", country="DE")
    assert answer(ann) is not None
    client.force_login(bob.person)
    address = reverse("routing:own_topics", args=[study.slug])
    assert start(client, study) == address
    page = client.get(address).content.decode()
    assert "we have enough for now" in page
    assert "says nothing about you or your work" in page
    assert "Look again" in page


def test_a_full_group_is_told_before_it_does_the_other_steps(tmp_path, owner, client):
    study = make_routed_study(tmp_path, owner, ONE_GERMAN)
    ann, bob = make_rater(study, "ann", country="DE"), make_rater(study, "bob", country="DE")
    assert answer(ann) is not None
    Rater.objects.filter(pk=bob.pk).update(admitted=False)
    client.force_login(bob.person)
    page = client.get(reverse("way_in:way_in", args=[study.slug])).content.decode()
    assert "we have enough for now" in page


def test_a_group_with_all_its_answers_reads_that_there_are_enough(tmp_path, owner, client):
    study = make_routed_study(tmp_path, owner, ONE_GERMAN)
    ann = make_rater(study, "ann", country="DE")
    while answer(ann) is not None:
        pass
    work = work_in(ann.person, study)
    assert (work.done, work.left, work.state, work.is_enough) == (3, 0, "done", True)
    client.force_login(ann.person)
    assert start(client, study) == reverse("annotation:end", args=[study.slug])
    assert "has enough answers from you" in client.get(reverse("annotation:end", args=[study.slug])).content.decode()


def test_the_desk_counts_only_tasks_that_the_rater_can_get(tmp_path, owner, client):
    study = make_routed_study(tmp_path, owner, TOPIC_RULE)  # 3 of law, 3 without a topic
    rater = make_rater(study, "ann", ["law"])
    client.force_login(rater.person)
    client.get(start(client, study))
    progress = progress_of(desk_row_of(Assignment.objects.get(rater=rater).pk))
    assert (progress.done, progress.left) == (0, 6)
    assert work_in(rater.person, study).left == 6


def test_researchers_see_how_topics_seats_and_groups_fill_up(tmp_path, owner, client):
    routing = {
        **TOPIC_RULE, "most_share": 0.5, "each_task": {**source("native"), "seats": {"yes": 1}},
        "groups": [{**source("country"), "quotas": {"DE": {"most": 9, "least": 2, "raters": 4}}}],
    }  # fmt: skip
    study = make_routed_study(tmp_path, owner, routing)
    rater = make_rater(study, "ann", ["law"], country="DE", native="yes")
    assert [answer(rater), answer(rater)] == ["law", "law"]
    client.force_login(owner)
    response = client.get(reverse("routing:routing", args=[study.slug]))
    sections = {
        one.title: {row.name: dict(row.cells) for row in one.rows} for one in response.context["table"].sections
    }
    law = {"Places": 6, "Answered": 2, "In work": 0, "Open": 4, "Share answered": "33 %"}
    assert sections["Topics"]["law"] == law
    assert sections["Topics"]["no topic"]["Places"] == 6
    assert sections["Places of each task"]["yes"] == {"Places": 12, "Share answered": "10 %"}
    group = sections["Groups: country"]["DE"]
    assert group == {"State": "has its least", "At least": 2, "At most": 9, "Most raters": 4}
    assert sections["Raters"][rater.name] == {"Answers or in work": 2, "At most": 12}
    assert sum(count for _, _, count in count_lanes(study)["lanes"]) == 24


def test_the_section_is_exported_and_imports_with_the_same_bytes(tmp_path, owner):
    routing = {**TOPIC_RULE, **ONE_GERMAN, "each_task": {**source("native"), "seats": {"yes": 1}}, "most_share": 0.25}
    study = make_routed_study(tmp_path / "files", owner, routing)
    export_study(study, tmp_path / "one")
    path = tmp_path / "one" / "study.yaml"
    path.write_text(path.read_text().replace("slug: routed", "slug: again"))
    again = import_study(tmp_path / "one").study
    assert again.options["routing"] == routing
    export_study(again, tmp_path / "two")
    assert (tmp_path / "two" / "study.yaml").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("routing", "words"),
    [
        ({"topics": {"names": []}}, "routing.topics.names: must be a list"),
        ({"topics": {"names": ["a"], "mode": "maybe"}}, "routing.topics.mode: must be"),
        ({"topics": {"names": ["a"], "choose": False}}, "routing.topics: needs choose: true"),
        ({"most_share": 2}, "routing.most_share: must be a number"),
        ({"groups": [{"step": "about", "question": "country", "quotas": {"DE": {}}}]}, "must have at least one of"),
        ({"groups": [{"step": "a", "question": "b", "quotas": {"x": {"most": 1, "least": 2}}}]}, "not be above most"),
        ({"each_task": {"step": "about", "question": "native", "seats": {"yes": 0}}}, "must be a whole number from 1"),
        ({"more": 1}, "routing.more: unknown key"),
    ],
)
def test_a_wrong_section_is_refused_in_words(tmp_path, owner, routing, words):
    with pytest.raises(ImportRefusedError, match=words):
        make_routed_study(tmp_path, owner, routing)


@pytest.mark.parametrize(
    ("routing", "words"),
    [
        ({"groups": [{"step": "none", "question": "x", "quotas": {"a": {"most": 1}}}]}, "which is not there"),
        ({"groups": [{**source("country"), "quotas": {"FR": {"most": 1}}}]}, "does not offer"),
        ({"each_task": {**source("native"), "seats": {"yes": 2, "no": 1}}}, "asks for 3 raters per task"),
    ],
)
def test_a_study_whose_steps_lack_what_routing_asks_cannot_go_live(tmp_path, owner, routing, words):
    study = make_routed_study(tmp_path, owner, routing, live=False)
    with pytest.raises(StudyRefusedError, match=words):
        make_live(study, owner)


def test_a_draft_whose_routing_changes_gets_other_lanes(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, None, live=False)
    assert {lane for lane, _, _ in count_lanes(study)["lanes"]} == {0}
    body = json.loads((tmp_path / "study.json").read_text()) | {"routing": TOPIC_RULE}
    (tmp_path / "study.json").write_text(json.dumps(body))
    import_study(tmp_path / "study.json", replace_draft=True)
    study = Study.objects.get(pk=study.pk)
    assert prepare(study, 10)
    assert {lane for lane, _, _ in count_lanes(study)["lanes"]} == {1, 2, 3, 4}
