"""The recruiting of HREF and InstruSum, from the template to the first task, through the pages."""

import json
import re
from itertools import pairwise

import pytest
from django.test import Client

from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Assignment, Batch, SpotCheck, Study
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.lifecycle import make_live, prepare
from files.reading import import_study
from managing.building.template_library import study_templates
from parts.way_in.models import StepPassage
from parts.way_in.step_kinds.consent import PLACEHOLDER
from tests.parts.way_in.way_in_study import CONSENT, Walk, with_own_words

NAMES = ("one", "two", "three", "four", "five")


@pytest.fixture
def walk(client, owner, rater, tmp_path):
    def begin(template, lines, **changes):
        body = {**with_own_words(study_templates()[template].body), "slug": "ferries", **changes}
        (tmp_path / "study.json").write_text(json.dumps(body), encoding="utf-8")
        (tmp_path / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        study = import_study(tmp_path, owner=owner).study
        add_member(study, rater, "annotator", None)
        while not prepare(study, 10):
            pass
        make_live(study, None)
        client.force_login(rater)
        return Walk(client, study)

    return begin


def line(key, names, pool="main", **more):
    outputs = [{"id": name, "text": f"Text {key} {name}"} for name in names]
    return {"id": key, "instruction": "Do it.", "document": "D", "outputs": outputs, "pool": pool, **more}


def letters(page):
    """The letter of each output on a task's page, by its name in the text."""
    shown = {output["text"].split()[-1]: output["letter"] for output in page.context["desk"]["outputs"]}
    assert "gold" not in page.content.decode().lower()
    return shown


@pytest.mark.parametrize("template", ["href_recruiting", "instrusum_recruiting", "kiwi_recruiting"])
def test_a_template_s_consent_says_what_to_write_by_the_words_that_are_looked_for(template):
    [consent] = [one for one in study_templates()[template].body["recruiting"]["steps"] if one["kind"] == "consent"]
    words = " ".join(str(value) for value in consent.values())
    assert words.count(PLACEHOLDER) == len(re.findall("say here", words, re.IGNORECASE)) > 0


@pytest.mark.parametrize("place", ["text", "privacy", "retention"])
def test_a_study_goes_live_only_with_words_of_its_own(walk, owner, place):
    declared = {"steps": [{**CONSENT, place: "It is voluntary. Say here\n who is responsible."}]}
    items = [line("main-1", NAMES[:2])]
    with pytest.raises(StudyRefusedError, match="sentence of its template"):
        walk("href_recruiting", items, recruiting=declared)
    study = Study.objects.get()
    assert not study.is_live
    page = Client()
    page.force_login(owner)
    assert "sentence of its template" in page.get("/studies/ferries/").content.decode()
    Study.objects.update(recruiting={"steps": [CONSENT]})
    make_live(Study.objects.get(), owner)
    assert Study.objects.get().is_live


@pytest.mark.thorough
def test_href_screens_then_nine_of_ten_then_tasks(walk, rater):
    items = [line("main-1", NAMES[:2])]
    items += [line(f"test-{n}", NAMES[:2], "qualification", gold={"better": "two"}) for n in range(10)]
    way = walk("href_recruiting", items)
    way.consent()
    way.post("screen", **{"reply-native": "yes", "reply-country": "Canada", "reply-degree": "Master's"})
    way.post("test")
    for number in range(10):
        page = way.client.get("/studies/ferries/way-in/task/")
        better = letters(page)["one" if number == 3 else "two"]
        assert way.answer({"q-better": better}).status_code == 302
    passage = StepPassage.objects.get(step="test")
    assert passage.result["rules"] == [{"question": "better", "right": 9, "of": 10, "met": True}]
    assert (passage.outcome, rater_for(way.study, rater).admitted) == ("passed", True)
    assert re.fullmatch(r"/work/[0-9a-f-]{36}/", way.next()["Location"])


def instrusum_items(main):
    gold = {
        "overall": dict(zip(NAMES, range(1, 6), strict=True)),
        "factual": dict(zip(NAMES, range(1, 6), strict=True)),
    }
    items = [line(f"main-{n}", NAMES) for n in range(main)]
    items += [line(f"train-{n}", NAMES, "training", gold=gold, feedback="Because.") for n in range(2)]
    return items + [line(f"test-{n}", NAMES, "qualification", gold=gold) for n in range(6)]


def test_instrusum_has_two_rounds_and_batches(walk, rater):
    way = walk("instrusum_recruiting", instrusum_items(1))
    way.consent()
    for step, count in (("training", 2), ("round-1", 3), ("round-2", 3)):
        way.post(step)
        for number in range(count):
            page = way.client.get("/studies/ferries/way-in/task/")
            response = way.answer(ranked(letters(page)))
            assert response.status_code == 302, response.context["desk"]["errors"]
            if step == "training":
                page = way.client.get(f"/studies/ferries/way-in/task/{number + 1}/").content.decode()
                assert "Because." in page
                assert page.count("not compared") == 4  # questions without gold
                way.client.post(f"/studies/ferries/way-in/task/{number + 1}/")
    used = [one.tasks for one in StepPassage.objects.filter(step__startswith="round").order_by("pk")]
    assert all(one[0] != other[0] for one, other in pairwise(used[0] + used[1]))
    assert rater_for(way.study, rater).admitted
    assert way.next().status_code == 302
    assert Assignment.objects.filter(rater__person=rater).count() == 1


@pytest.mark.thorough
def test_instrusum_gives_feedback_between_its_batches(walk, rater, owner):
    declared = study_templates()["instrusum_recruiting"].body["options"]
    assert {"batch_size", "spot_check_share"} <= declared.keys()
    options = {**declared, "batch_size": 1, "spot_check_share": 1}
    way = walk("instrusum_recruiting", instrusum_items(2), options=options, redundancy=1)
    way.consent()
    for step, count in (("training", 2), ("round-1", 3), ("round-2", 3)):
        way.post(step)
        for number in range(count):
            page = way.client.get("/studies/ferries/way-in/task/")
            assert way.answer(ranked(letters(page))).status_code == 302
            if step == "training":
                way.client.post(f"/studies/ferries/way-in/task/{number + 1}/")
    desk, office = way.client, Client()
    office.force_login(owner)

    assert next_answered(desk) == "/studies/ferries/end/"
    assert "This batch is done" in desk.get("/studies/ferries/end/").content.decode()
    office.post("/studies/ferries/review/release/")
    assert Batch.objects.count() == 1  # its answers have not been checked
    [answer] = Annotation.objects.filter(rater__study=way.study)
    sample = office.get("/studies/ferries/review/checks/").content.decode()
    assert "main-0" in sample
    form = {"answer": answer.pk, "verdict": "problem", "note": "Rank the facts, not the style.", "number": 0}
    assert office.post("/studies/ferries/review/checks/", form).status_code == 302
    assert office.post("/studies/ferries/review/release/").status_code == 302
    assert Batch.objects.count() == 2

    assert way.next()["Location"] == "/studies/ferries/notes/"  # feedback comes before the next task
    page = desk.get("/studies/ferries/notes/")
    assert "Rank the facts, not the style." in page.content.decode()
    desk.post("/studies/ferries/notes/", {"note": [SpotCheck.objects.get().pk]})
    thread = f"/studies/ferries/my-messages/{answer_key(answer)}/"
    assert "Rank the facts" in desk.get(thread).content.decode()
    assert desk.post(thread, {"text": "I will."}).status_code == 302
    inbox = office.get("/studies/ferries/messages/").content.decode()
    assert "I will." in inbox
    assert next_answered(desk) == "/studies/ferries/end/"
    answered = Annotation.objects.filter(rater__person=rater, status="submitted").order_by("pk")
    assert [one.task.item.key for one in answered] == ["main-0", "main-1"]


def answer_key(answer):
    return Assignment.objects.get(rater=answer.rater, task=answer.task).key


def next_answered(desk):
    """Answer the next task on the desk, and return where that leads."""
    desk.post("/studies/ferries/begin/", {"version": 1})
    page = desk.post("/studies/ferries/next/")["Location"]
    form = ranked(letters(desk.get(page)))
    desk.post(f"{page}submit/", {**form, "revision": "0"})
    return desk.post("/studies/ferries/next/")["Location"]


def ranked(letter_of):
    """The form that ranks the outputs as gold does, with no errors marked."""
    form = {
        f"q-{question}-{letter_of[name]}": str(place)
        for question in ("overall", "missing", "irrelevant", "factual")
        for place, name in enumerate(NAMES, 1)
    }
    return form | {
        "q-errors": json.dumps({"spans": [], "none": [*letter_of.values()]}),
        "q-reason": "One is best of all of them, " + "as it says what was asked for, and no more.",
    }
