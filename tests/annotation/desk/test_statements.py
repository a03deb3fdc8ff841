"""What the desk reads by hand-written statements is what Django's queries give, throughout random histories of work.

Compared are the task, its page, the counts of tasks, the rater's state, and which slots or checks a claim finds, also
in studies with routing and with hidden checks. What the statements write is covered by the tests of each step.
"""

import re
from datetime import timedelta
from random import Random

import pytest
from django.db import connection, transaction
from django.db.models import Avg, Q
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.auditing import identity_of
from annotation.desk.assigning import next_assignment, open_slots
from annotation.desk.drafting import save_draft
from annotation.desk.statements import (
    KEPT,
    count_tasks,
    desk_row,
    desk_row_of,
    first_open,
    held_slots,
    kept_slots,
    lock_state,
    task_row,
)
from annotation.desk.submitting import Effort, Submission, current_annotation, flag, sheet_of, skip, submit, undo
from annotation.members.membership import add_member, rater_for
from annotation.models import Annotation, Assignment, Guideline, Question, Rater, Slot, SpotCheck, Study
from annotation.protocols import protocols
from annotation.review.spot_checks import check
from annotation.studies.batches import FIRST, last_place, release_next
from annotation.studies.lifecycle import make_live, publish_guidelines
from annotation.studies.planning import plan_chunk
from annotation.studies.queries import unread_notes
from config.database_clock import database_now
from parts.checks.claiming import take_due_checks
from parts.checks.draws import checks_among, checks_of, drawn_kind
from parts.checks.models import DueCheck
from parts.checks.preparing import prepare_checks
from parts.routing.claims import first_in_lanes, lanes_of, routed_ahead
from parts.routing.models import RoutedRater
from parts.routing.plan import routing_of
from tests.conftest import add_item, make_person
from tests.query_plans import plan_of

pytestmark = pytest.mark.both
FORM = {"q-follows": ["true"], "q-how_well": ["4"], "q-comment": ['🚢 "so"']}
MOST, RECENT = 4, 3


ROUTING = {"topics": {"names": ["law", "music"], "choose": True, "most": 3}}
CHECKS = {"checks": {"first": 1, "repeats": {"share": 0.5, "after": 1}}}
STUDIES = {
    "together": ({}, {}),
    "apart": ({"same_raters": False}, {}),
    "batches": ({"batch_size": 2}, {}),
    "routed": ({"same_raters": False, "routing": ROUTING}, {}),
    "checked": ({"same_raters": False}, {"recruiting": CHECKS}),
}


@pytest.fixture(params=STUDIES)
def working(request, make_study, owner):
    """A live study of five items and its three annotators."""
    options, more = STUDIES[request.param]
    study = make_study("working", items=0, redundancy=2, options=options, **more)
    for n in range(5):
        add_item(study, f"item-{n}", categories=(["law"], ["music"], None)[n % 3])
    add_member(study, owner, "owner", None)
    people = [make_person(name) for name in ("ada", "ben", "cyn")]
    for person in people:
        add_member(study, person, "annotator", None)
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    make_live(study, owner)
    raters = [rater_for(study, person) for person in people]
    for rater, person, topics in zip(raters, people, (["law"], [], ["music", "law"]), strict=True):
        # Hidden checks are drawn from the name, and a pseudonym that is drawn may have none among the first claims.
        rater.name, rater.topics = person.username, topics
        rater.save()
    return study, raters


def step(random, study, rater, owner):
    """Something that happens: mostly to the rater's work, sometimes to the study."""
    now = timezone.now()
    prepare_checks(rater)
    assignment = next_assignment(study, rater)
    mine = list(Assignment.objects.filter(rater=rater).order_by("pk"))
    chosen = random.choice(mine) if mine else None
    revision = (current_annotation(chosen).revision if current_annotation(chosen) else 0) if chosen else 0
    match random.randrange(10):
        case 0 | 1 | 2 | 3 if assignment is not None:
            known = current_annotation(assignment)
            effort = Effort(random.uniform(1, 90), 1.0, {"step": 1})
            submit(assignment, Submission(FORM, known.revision if known else 0, 1, effort=effort))
        case 4 if chosen is not None:
            submit(chosen, Submission(FORM | {"q-how_well": ["2"]}, revision, 1))
        case 5 if chosen is not None:
            skip(chosen, Submission({}, revision), "not mine")
        case 6 if revision:
            undo(chosen, Submission({}, revision))
        case 7 if chosen is not None:
            flag(chosen, random.choice(["odd", ""]))
        case 8 if chosen is not None:
            save_draft(chosen, FORM, base_version=chosen.draft_version, revision=revision)
        case 9:
            Slot.objects.filter(state="held", holder=rater).update(lease_until=now - timedelta(seconds=1))
            answer = Annotation.objects.filter(status="submitted", is_current=True).order_by("pk").last()
            if answer is not None:
                number = answer.spot_checks.count()
                check(answer, "ok", random.choice(["", "look"]), owner, number=number)
            if study.options.get("batch_size") and random.random() < 0.3:
                release_next(study, owner, unfinished=[], anyway=True)
            publish_guidelines(study, f"Rules {random.random()}", owner)


def neighbour(assignment, **where):
    order = "-pk" if "pk__lt" in where else "pk"
    found = Assignment.objects.filter(rater=assignment.rater_id, **where).order_by(order).first()
    return found.key if found else None


def check_task(row, assignment):
    """The row has what Django's own queries find and an answer needs."""
    study = Study.objects.get(pk=assignment.rater.study_id)
    for name in ("rater", "task"):
        assert getattr(row.assignment, name) == getattr(assignment, name)
    for ours, theirs in ((row.assignment, assignment), (row.study, study), (row.rater, assignment.rater)):
        fields = [field.attname for field in theirs._meta.concrete_fields if field.attname in ours.__dict__]
        assert len(fields) > 8
        assert {name: getattr(ours, name) for name in fields} == {name: getattr(theirs, name) for name in fields}
    assert row.sheet == sheet_of(assignment)
    assert [question.__dict__ | {"_state": 0} for question in row.questions] == [
        question.__dict__ | {"_state": 0} for question in Question.objects.filter(study=study).order_by("position")
    ]
    outputs = assignment.task.task_outputs.order_by("position").values_list(
        "output", "output__key", "output__text", "output__turns"
    )
    assert [tuple(output) for output in row.outputs] == list(outputs)
    newest = Guideline.objects.filter(study=study).order_by("-number").first()
    assert row.guidelines_version == newest.number


def check_row(row, assignment):
    """The row has what Django's own queries find and a page needs."""
    check_task(row, assignment)
    study = Study.objects.get(pk=assignment.rater.study_id)
    assert row.slot == Slot.objects.filter(task=assignment.task, holder=assignment.rater).first()
    current = current_annotation(assignment)
    assert row.current == current
    if current is not None:
        assert (row.current.answers, row.current.submitted_at) == (current.answers, current.submitted_at)
    assert row.guidelines == Guideline.objects.get(study=study, number=row.guidelines_version).text
    assert row.previous == neighbour(assignment, pk__lt=assignment.pk)
    assert row.next == neighbour(assignment, pk__gt=assignment.pk)
    answered = Annotation.objects.filter(rater=assignment.rater, is_current=True, status__in=Annotation.ANSWERED)
    last = answered.exclude(task=assignment.task).order_by("-pk").first()
    assert (row.last is None) == (last is None)
    if last is not None:
        before = Assignment.objects.get(rater=assignment.rater, task=last.task_id)
        assert tuple(row.last) == (before.key, last.revision, last.status, last.submitted_at)
    assert row.last_place == last_place(study)


def check_counts(row, study, rater):
    submitted = Annotation.objects.filter(rater=rater, is_current=True, status="submitted")
    ahead = open_slots(study, rater)
    if rater.place is not None:
        ahead = ahead.filter(place__gte=rater.place)
    tasks = list(ahead.values_list("task", flat=True)[: MOST + 1])
    recent = submitted.order_by("-pk").values("visible_seconds")[:RECENT]
    counted, near = count_tasks(row.study, row.rater, row.last_place, MOST, RECENT), len(set(tasks[:MOST]))
    if routing_of(study) is not None:
        check_routed_counts(study, rater)
        near = counted.ahead  # of all lanes, which only `routed_ahead` tells apart
    elif checks_of(study) is not None:
        near += checks_among(study, rater, near, len(set(ahead.values_list("item", flat=True)[:MOST])))
    assert counted.done == submitted.count()
    assert counted.held == Slot.objects.filter(holder=rater, state="held").count()
    assert counted.ahead == near
    assert routing_of(study) is not None or counted.more == (len(tasks) > MOST)
    assert count_tasks(row.study, row.rater, row.last_place, MOST, RECENT, few=1) == counted  # as if after many answers
    assert counted.pace == pytest.approx(recent.aggregate(mean=Avg("visible_seconds"))["mean"])


def in_lanes(study, rater, lanes):
    """The open slots in these lanes, each from a place on, one lane after the other."""
    wanted = open_slots(study, rater)
    return [slot for lane, place in lanes for slot in wanted.filter(lane=lane, place__gte=place)]


def check_routed_counts(study, rater):
    mine = lanes_of(rater.pk)
    if mine is None:
        assert routed_ahead(study, rater, MOST) == (0, False)
        return
    slots = in_lanes(study, rater, mine.ahead(last_place(study), rater.place))
    assert routed_ahead(study, rater, MOST) == (len({slot.task_id for slot in slots[: MOST + 1]}), len(slots) > MOST)


def check_routed_claim(study, state, rater):
    """A claim finds the first slot in the rater's lanes, of those ahead or else of all."""
    mine = lanes_of(rater.pk)
    if mine is None:
        return
    ahead = in_lanes(study, rater, mine.ahead(last_place(study), rater.place))
    wanted = ahead or in_lanes(study, rater, mine.everywhere)
    listed, kept = kept_slots(study, rater)
    found = first_in_lanes(state, study, mine, together=False, kept=(KEPT[listed], kept))
    assert [slot.pk for slot in found] == [slot.pk for slot in wanted[:1]]
    both = [slot for slot in wanted if (slot.item_id, slot.number) == (wanted[0].item_id, wanted[0].number)]
    found = first_in_lanes(state, study, mine, together=True, kept=(KEPT[listed], kept))
    assert {slot.pk for slot in found} == {slot.pk for slot in both}


def check_due_checks(study, state, rater):
    """A claim finds the checks that are prepared for it, if it is drawn for one and there is a task; returns them."""
    ahead = open_slots(study, rater).filter(place__gte=FIRST if rater.place is None else rater.place)
    due = DueCheck.objects.filter(rater=rater, number=rater.given)
    drawn = drawn_kind(study, rater.name, rater.given) is not None
    wanted = {(one.task_id, one.slot_number) for one in due} if drawn and ahead.exists() else set()
    undo = transaction.savepoint()
    taken = take_due_checks(study, state, timezone.now() + timedelta(hours=1))
    transaction.savepoint_rollback(undo)
    assert {(slot.task_id, slot.number) for slot in taken} == wanted
    return wanted


def check_state(study, rater):
    now = timezone.now()
    with transaction.atomic():
        state = lock_state(rater.pk, study, now)
        held = Slot.objects.filter(holder=rater, state="held")
        assert (state.rater, state.status, state.holds) == (rater, "live", held.exists())
        assert {slot.pk for slot in held_slots(rater.pk)} == {slot.pk for slot in held}
        assert state.identity == identity_of(rater.person, study.slug).pk
        late = Slot.objects.filter(state="held", lease_until__lt=now)
        own = late.filter(Q(study=study) | Q(study=None, holder__study=study))  # its hidden checks, too
        assert state.expired == own.exists()
        assert state.unread == unread_notes(rater.person).exists()
        if routing_of(study) is not None:
            check_routed_claim(study, state, rater)
            return set()
        for place in {0, rater.place or 0}:
            wanted = open_slots(study, rater).filter(place__gte=place)
            first = wanted.first()
            assert [slot.pk for slot in first_open(state, study, place, together=False)] == (
                [first.pk] if first else []
            )
            both = wanted.filter(item=first.item_id, number=first.number) if first else Slot.objects.none()
            assert {slot.pk for slot in first_open(state, study, place, together=True)} == {slot.pk for slot in both}
        return check_due_checks(study, state, rater)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_the_statements_give_what_djangos_queries_give(working, owner, seed):
    study, raters = working
    random, compared, checks = Random(seed), 0, 0
    for _ in range(60 if seed else 16):
        step(random, study, random.choice(raters), owner)
        study.refresh_from_db()
        rater = Rater.objects.get(pk=random.choice(raters).pk)
        checks += len(check_state(study, rater))
        for assignment in (
            Assignment.objects.filter(rater=rater).select_related("rater", "task__item").order_by("?")[:2]
        ):
            row = desk_row(rater.person_id, assignment.key)
            check_row(row, assignment)
            check_row(desk_row_of(assignment.pk), assignment)
            check_task(task_row(rater.person_id, assignment.key), assignment)
            check_counts(row, study, rater)
            compared += 1
    assert compared > 12
    assert (checks > 0) == (checks_of(study) is not None)
    assert RoutedRater.objects.exists() == (routing_of(study) is not None)
    assert SpotCheck.objects.exists() or seed


def test_only_the_annotator_of_now_gets_the_row(study, rater, stranger, owner):
    assignment = next_assignment(study, rater_for(study, rater))
    assert desk_row(rater.pk, assignment.key) is not None
    assert task_row(rater.pk, assignment.key) is not None
    for person in (stranger, owner):
        assert desk_row(person.pk, assignment.key) is None
        assert task_row(person.pk, assignment.key) is None
    for change in ({"role": "researcher"}, {"role": "annotator", "active": False}):
        study.memberships.filter(person=rater).update(**change)
        assert desk_row(rater.pk, assignment.key) is None
        assert task_row(rater.pk, assignment.key) is None


def test_what_a_study_asks_is_never_older_than_the_database(study, rater):
    assignment = next_assignment(study, rater_for(study, rater))
    first = desk_row_of(assignment.pk)
    assert desk_row_of(assignment.pk).questions is first.questions  # parsed once
    study.questions.filter(key="how_well").update(spec={"min": 1, "max": 7})
    changed = desk_row_of(assignment.pk).questions
    assert [question.spec.get("max") for question in changed] == [None, 7, None]
    assert protocols()["rating"].read_form(FORM | {"q-how_well": ["7"]}, changed, first.sheet)["how_well"] == 7


def _way_to(plan, alias, above=()):
    """The nodes of a plan above the one that reads the table called `alias`."""
    if plan.get("Alias") == alias:
        return above
    ways = (_way_to(one, alias, (*above, plan)) for one in plan.get("Plans", ()))
    return next((way for way in ways if way is not None), None)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no plans from before a study had answers")
def test_a_plan_from_before_there_are_answers_looks_for_the_last_one_once(study, rater):
    assignment = next_assignment(study, rater_for(study, rater))
    with CaptureQueriesContext(connection) as sent:
        desk_row_of(assignment.pk)
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (FORMAT JSON) " + sent[-1]["sql"].replace("$1", str(assignment.pk)))
        plan = cursor.fetchone()[0][0]["Plan"]
    above = _way_to(plan, "y")
    assert above is not None
    scan = next(place for place, node in enumerate(above) if node.get("Alias") == "w")
    below = {node["Node Type"] for node in above[scan + 1 :]}
    assert below <= {"Limit", "Sort", "Incremental Sort"}  # a part of the scan that finds the one assignment, no join


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite keeps no plans from before a study had answers")
def test_a_claim_planned_before_there_are_answers_looks_for_those_to_each_open_slot(study, rater):
    with CaptureQueriesContext(connection) as sent:
        assert next_assignment(study, rater_for(study, rater)) is not None
    claim = next(query["sql"] for query in sent if "SKIP LOCKED" in query["sql"])
    values = ", ".join(["NULL"] * len(set(re.findall(r"\$\d+", claim))))
    with connection.cursor() as cursor:
        cursor.execute(f"PREPARE claim AS {claim}")
        cursor.execute(f"EXPLAIN (FORMAT JSON) EXECUTE claim({values})")
        plan = cursor.fetchone()[0][0]["Plan"]
        cursor.execute("DEALLOCATE claim")
    asked = [
        (above[-1]["Node Type"], above[-1]["Parent Relationship"])
        for alias in ("mine", "mine_1", "y", "y_1")
        if (above := _way_to(plan, alias))
    ]
    assert asked == 4 * [("Limit", "SubPlan")]  # a part of the search, and no join; it looks before and after it locks


@pytest.mark.skipif(connection.vendor != "sqlite", reason="with so few rows PostgreSQL reads them all")
def test_the_page_counts_answers_in_an_index_of_the_raters_own(study, rater):
    row = desk_row_of(next_assignment(study, rater_for(study, rater)).pk)
    with CaptureQueriesContext(connection) as sent:
        count_tasks(row.study, row.rater, row.last_place, MOST, RECENT)
    ways = re.findall(r"SEARCH y USING (?:COVERING )?INDEX (.*?)'", plan_of(sent[-1]["sql"]))
    assert ways.count("annotation_current (rater_id=? AND id>?)") == 2  # to count them, and for the pace of the last


@pytest.mark.skipif(connection.vendor != "sqlite", reason="with so few rows PostgreSQL reads them all")
def test_an_answer_looks_for_notes_to_read_among_unread_ones_alone(study, rater):
    of_study = rater_for(study, rater)
    with CaptureQueriesContext(connection) as sent, transaction.atomic():
        lock_state(of_study.pk, study, database_now())
    [state] = [query["sql"] for query in sent if "annotation_spotcheck" in query["sql"]]
    assert "SEARCH y USING INTEGER PRIMARY KEY" in plan_of(state)  # not by the rater, who may have many answers
