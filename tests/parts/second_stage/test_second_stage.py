"""The second stage: who gets which item, what they see of the first answers, and what their answers become."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.members.data_download import own_data
from annotation.members.membership import add_member, rater_for
from annotation.members.rater_erasure import erase_rater
from annotation.models import Adjudication, Assignment, Membership, Rater, Reviewer, Slot, Study
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import work_in
from annotation.studies.slot_steps import add_rater, reserve_slot
from annotation.studies.steered_items import ItemStepRefusedError
from files.reading import import_study
from files.writing import export_study
from parts.second_stage.case_answers import CaseSheet
from parts.second_stage.case_claims import claim_case
from parts.second_stage.disputed_units import disputed_items
from parts.second_stage.models import SecondStageCase
from parts.second_stage.settings import set_stage
from tests.conftest import SYSTEMS, make_person

pytestmark = pytest.mark.quick
ADDRESS = "/studies/study/final-answers/"


def answer_all(study, person, **form):
    """Answer all tasks of the study as this person."""
    rater = rater_for(study, person)
    while assignment := next_assignment(study, rater):
        submit(assignment, Submission(form=form, revision=0, guidelines_version=1))


@pytest.fixture
def judge(study, rater, owner):
    """A third annotator, who decides; two others have answered differently to one question."""
    second, third = make_person("SECOND-PERSON"), make_person("judge")
    for person in (second, third):
        add_member(study, person, "annotator", None)
    answer_all(study, rater, **{"q-follows": ["true"], "q-how_well": ["2"]})
    answer_all(study, second, **{"q-follows": ["true"], "q-how_well": ["4"]})
    set_stage(study, None, owner, on=True)
    rater_for(study, third)
    return third


@pytest.fixture
def desk(client, judge):
    client.force_login(judge)
    return client


def given(page, value="5", reason="It names the hour."):
    """The form of a page, with one value for all questions."""
    fields = page.context["fields"]
    return {"seen": page.context["seen"], "reason": reason, **{field["name"]: value for field in fields}}


def test_an_annotator_decides_what_the_first_ones_disagree_about(desk, study, judge):
    assert "you decide where annotators disagree" in desk.get("/").content.decode()
    page = desk.get(ADDRESS)
    text = page.content.decode()
    assert page.status_code == 200
    assert [field["question"].key for field in page.context["fields"]] == ["how_well"] * 3
    assert "Rater A" in text
    assert "Rater B" in text
    names = [*SYSTEMS, *Rater.objects.values_list("name", flat=True), "SECOND-PERSON", "CANARY"]
    assert not [name for name in names if name in text]
    assert desk.post(ADDRESS, given(page, reason=" ")).status_code == 422
    assert desk.post(ADDRESS, given(page, value="9")).status_code == 422
    assert desk.post(ADDRESS, given(page) | {"seen": "older"}).status_code == 409
    assert not Adjudication.objects.exists()
    assert desk.post(ADDRESS, given(page)).status_code == 302
    rows = Adjudication.objects.filter(item=page.context["item"])
    assert rows.count() == 3
    assert set(rows.values_list("value", "reason", "by__name")) == {
        (5, "It names the hour.", rater_for(study, judge).name)
    }
    assert Reviewer.objects.get().person is None
    told = "".join(own_data(judge))
    assert "It names the hour." in told
    assert not [name for name in SYSTEMS if name in told]
    again = desk.get(ADDRESS)
    assert again.context["item"] != page.context["item"]
    desk.post(ADDRESS, given(again))
    assert "Nothing to decide now" in desk.get(ADDRESS).content.decode()
    assert disputed_items(study).count() == 0


def test_nobody_decides_an_item_that_they_rated_or_saw_as_a_task(study, rater, judge):
    assert claim_case(study, rater_for(study, rater)) is None
    seen = make_person("seen")
    add_member(study, seen, "annotator", None)
    theirs = rater_for(study, seen)
    for item in study.items.all():
        Assignment.objects.create(rater=theirs, task=item.tasks.first(), order=[0], created_at=timezone.now())
    assert claim_case(study, theirs) is None
    assert claim_case(study, rater_for(study, judge)) is not None


@pytest.mark.parametrize("off", [False, True])
def test_nobody_gets_a_task_of_an_item_that_they_decided(desk, study, judge, owner, off):
    desk.get(ADDRESS)
    case = SecondStageCase.objects.get()
    desk.post(ADDRESS, given(desk.get(ADDRESS)))
    decided, mine = case.item, rater_for(study, judge)
    if off:
        set_stage(study, None, owner, on=False)
    study.refresh_from_db()
    for slot in Slot.objects.filter(study=study, number=0):
        slot.pk, slot.number, slot.state, slot.holder, slot.lease_until = None, 2, "open", None, None
        slot.save()
    others = study.items.exclude(pk=decided.pk)
    assert work_in(judge, study).left == Slot.objects.filter(state="open", item__in=others).count()
    with pytest.raises(ItemStepRefusedError):
        reserve_slot(Slot.objects.filter(item=decided, state="open").first(), mine, 1, "", owner)
    answer_all(study, judge, **{"q-follows": ["true"], "q-how_well": ["2"]})
    got = Assignment.objects.filter(rater=mine).values_list("task__item", flat=True)
    assert set(got) == set(others.values_list("pk", flat=True))
    newcomer = make_person("newcomer")
    add_member(study, newcomer, "annotator", None)
    answer_all(study, newcomer, **{"q-follows": ["true"], "q-how_well": ["2"]})
    assert set(Assignment.objects.filter(rater__person=newcomer).values_list("task__item", flat=True)) == {decided.pk}


@pytest.mark.parametrize("fate", ["held", "taken over", "off"])
def test_nobody_gets_a_task_of_an_item_whose_first_answers_they_were_shown(desk, study, judge, owner, fate):
    desk.get(ADDRESS)
    shown, mine = SecondStageCase.objects.get().item, rater_for(study, judge)
    if fate == "taken over":
        other = make_person("other")
        add_member(study, other, "annotator", None)
        SecondStageCase.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        assert claim_case(study, rater_for(study, other)).item == shown
    elif fate == "off":
        set_stage(study, None, owner, on=False)
    for item in study.items.all():
        add_rater(item, "", owner)
    others = study.items.exclude(pk=shown.pk)
    study.refresh_from_db()
    assert work_in(judge, study).left == Slot.objects.filter(state="open", item__in=others).count()
    with pytest.raises(ItemStepRefusedError):
        reserve_slot(Slot.objects.filter(item=shown, state="open").first(), mine, 1, "", owner)
    answer_all(study, judge, **{"q-follows": ["true"], "q-how_well": ["2"]})
    got = set(Assignment.objects.filter(rater=mine).values_list("task__item", flat=True))
    assert got == set(others.values_list("pk", flat=True))
    assert work_in(judge, study).state == "done"


def test_only_the_named_raters_decide(client, study, rater, judge, owner):
    set_stage(study, [rater_for(study, rater).name], owner, on=True)
    client.force_login(judge)
    assert client.get(ADDRESS).status_code == 404
    assert "you decide" not in client.get("/").content.decode()
    set_stage(study, [rater_for(study, judge).name], owner, on=True)
    assert client.get(ADDRESS).status_code == 200
    Rater.objects.filter(person=judge).update(paused_at=timezone.now())
    assert client.get(ADDRESS).status_code == 404
    set_stage(study, None, owner, on=False)
    assert client.get(ADDRESS).status_code == 404


def test_an_item_waits_until_all_first_answers_are_there(study, rater, owner, client):
    judge = make_person("judge")
    add_member(study, judge, "annotator", None)
    set_stage(study, None, owner, on=True)
    answer_all(study, rater, **{"q-follows": ["true"], "q-how_well": ["2"]})
    assert claim_case(study, rater_for(study, judge)) is None


def test_a_lease_that_is_over_lets_another_take_the_item_and_the_first_comes_too_late(desk, study, judge):
    page = desk.get(ADDRESS)
    other = make_person("other")
    add_member(study, other, "annotator", None)
    SecondStageCase.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    taken = claim_case(study, rater_for(study, other))
    assert taken.item_id == page.context["item"].pk
    assert desk.post(ADDRESS, given(page)).status_code == 409  # the form is of an item that they lost
    assert not Adjudication.objects.filter(item=taken.item).exists()


def test_a_researcher_comes_first_and_last(desk, study, judge, owner):
    page = desk.get(ADDRESS)
    item = page.context["item"]
    question = study.questions.get(key="how_well")
    adjudicate(item, question, Unit(SYSTEMS[0]), 3, "I decide.", owner, number=0)
    assert desk.get(ADDRESS).context["item"] != item  # a researcher has begun, so it is theirs
    other = desk.get(ADDRESS)
    desk.post(ADDRESS, given(other))
    last = Adjudication.objects.get(item=other.context["item"], output__key=SYSTEMS[0])
    adjudicate(other.context["item"], question, Unit(SYSTEMS[0]), 1, "No.", owner, number=last.number)
    assert Adjudication.objects.get(item=other.context["item"], output__key=SYSTEMS[0], is_current=True).value == 1


def test_researchers_declare_who_decides_on_a_page(study, judge, rater, owner):
    office = Client()
    office.force_login(owner)
    page = office.get("/studies/study/second-stage/")
    assert (page.context["waiting"], page.context["on"]) == (2, True)
    name = rater_for(study, rater).name
    office.post("/studies/study/second-stage/", {"who": "some", "rater": [name, "nobody"]})
    study.refresh_from_db()
    assert study.options["adjudication"] == {"by": "annotators", "raters": [name]}
    office.post("/studies/study/second-stage/", {"who": "some"})
    study.refresh_from_db()
    assert study.options["adjudication"]["raters"] == [name]
    office.post("/studies/study/second-stage/", {"who": "none"})
    study.refresh_from_db()
    assert "adjudication" not in study.options


def test_the_section_and_final_answers_are_exported_and_imported_with_the_same_bytes(desk, study, judge, tmp_path):
    desk.post(ADDRESS, given(desk.get(ADDRESS)))
    export_study(study, tmp_path / "one")
    lines = [json.loads(line) for line in (tmp_path / "one" / "adjudications.jsonl").read_text().splitlines()]
    assert {line["reviewer"] for line in lines} == {rater_for(study, judge).name}
    Study.objects.filter(pk=study.pk).update(slug="first")
    again = import_study(tmp_path / "one").study
    assert again.options["adjudication"] == {"by": "annotators"}
    export_study(again, tmp_path / "two")
    for name in ("study.yaml", "adjudications.jsonl"):
        one, two = (tmp_path / folder / name for folder in ("one", "two"))
        if one.exists():
            assert one.read_bytes() == two.read_bytes(), name


@pytest.mark.parametrize("section", [
    [], {}, {"by": "researchers"}, {"by": "annotators", "raters": []}, {"by": "annotators", "raters": ["a", "a"]},
    {"by": "annotators", "raters": [1]}, {"by": "annotators", "who": "x"},
])  # fmt: skip
def test_a_wrong_section_is_refused(tmp_path, section, db):
    body = {"slug": "s", "protocol": "rating", "redundancy": 2, "questions": [{"key": "good", "type": "binary"}],
            "adjudication": section}  # fmt: skip
    (tmp_path / "study.json").write_text(json.dumps(body))
    with pytest.raises(Exception, match="adjudication"):
        import_study(tmp_path)


def test_final_answers_go_with_the_answers_of_who_gave_them(desk, study, judge, owner):
    page = desk.get(ADDRESS)
    item, question = page.context["item"], study.questions.get(key="how_well")
    adjudicate(item, question, Unit(SYSTEMS[0]), 3, "First.", owner, number=0)
    adjudicate(item, question, Unit(SYSTEMS[0]), None, "Not yet.", owner, number=1)
    page = desk.get(ADDRESS)
    assert page.context["item"] == item
    desk.post(ADDRESS, given(page))
    assert Adjudication.objects.get(item=item, output__key=SYSTEMS[0], is_current=True).number == 3
    name = rater_for(study, judge).name
    erase_rater(rater_for(study, judge), None, keep_answers=False)
    assert not Adjudication.objects.filter(by__name=name).exists()
    assert not Reviewer.objects.filter(name=name).exists()
    assert Adjudication.objects.get(item=item, output__key=SYSTEMS[0], is_current=True).number == 2
    assert not SecondStageCase.objects.exists()


def pairwise_study(tmp_path, owner):
    """A live pairwise study of one item, with answers of two people who saw the pair in opposite orders."""
    body = {"slug": "study", "protocol": "pairwise", "redundancy": 2, "guidelines": "Read.",
            "questions": [{"key": "better", "type": "preference", "text": "Which?", "allow_tie": True}],
            "adjudication": {"by": "annotators"}}  # fmt: skip
    (tmp_path / "study.json").write_text(json.dumps(body))
    outputs = [{"id": name, "text": f"At {place}."} for place, name in enumerate(("SYSTEM-NORTH", "SYSTEM-SOUTH"))]
    items = [{"id": f"i{n}", "document": "Nine.", "instruction": "When?", "outputs": outputs} for n in range(2)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))
    study = import_study(tmp_path).study
    Membership.objects.create(study=study, person=owner, role="owner")
    while plan_chunk(study):
        pass
    Study.objects.update(status="live")
    study.refresh_from_db()
    return study


def test_pairs_shown_in_opposite_orders_are_one_unit_and_choices_name_no_system(client, tmp_path, owner):
    study = pairwise_study(tmp_path, owner)
    people = [make_person(f"person-{number}") for number in range(3)]
    for person in people:
        add_member(study, person, "annotator", None)
    for person in people[:2]:  # both choose the output shown first, which is another one for each of them
        answer_all(study, person, **{"q-better": ["A"]})
    differ = disputed_items(study).count()
    client.force_login(people[2])
    for _ in range(differ):
        page = client.get(ADDRESS)
        text = page.content.decode()
        assert "SYSTEM" not in text
        [field] = page.context["fields"]
        assert {words for _, words in field["given"]} == {"Output A", "Output B"}
        letter = field["choices"][0]["label"].removeprefix("Output ")
        chosen = page.context["outputs"]["AB".index(letter)].key
        assert client.post(ADDRESS, given(page, value=field["choices"][0]["value"])).status_code == 302
        assert Adjudication.objects.get(item=page.context["item"]).value == chosen
    assert differ == 2


def test_disagreements_come_in_the_order_of_letters_not_of_the_file(desk, study):
    """In the order of the file, the first question of each item would be about the same system."""
    page = desk.get(ADDRESS)
    assert [field["about"] for field in page.context["fields"]] == [["A"], ["B"], ["C"]]


def test_a_page_whose_letters_would_mean_other_outputs_is_not_taken(desk, study):
    page = desk.get(ADDRESS)
    item = page.context["item"]
    raters = [rater for rater in Rater.objects.all() if CaseSheet.of(item, rater).sheet.keys]

    def letters():
        item.refresh_from_db()
        item.study.refresh_from_db()
        return [tuple(CaseSheet.of(item, rater).sheet.keys) for rater in raters]

    before = letters()
    for secret in "abcdefgh":  # some draw the same order for everybody
        Study.objects.filter(pk=study.pk).update(code_secret=secret)
        if all(one != other for one, other in zip(letters(), before, strict=True)):
            break
    assert all(one != other for one, other in zip(letters(), before, strict=True))
    assert desk.post(ADDRESS, given(page)).status_code == 409
