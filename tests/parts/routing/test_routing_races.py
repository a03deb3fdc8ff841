"""Raters who claim at the same time never take more than a quota; plans of the statements, and how many there are."""

from contextlib import ExitStack

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.desk.assigning import next_assignment
from annotation.desk.statements import KEPT, seen_items
from annotation.desk.submitting import Submission, submit
from annotation.models import Slot
from parts.routing.claims import first_sql, lanes_of
from parts.routing.models import QuotaMember, RoutingQuota
from parts.routing.quotas import wrong_counts
from tests.parts.routing.routed_study import FORM, TOPICS, make_rater, make_routed_study, source
from tests.processes import child, finished, said, tell

WORK = """
from annotation.desk.assigning import BusyError, next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Rater, Study
rater = Rater.objects.get(pk=int(sys.argv[1]))
study = Study.objects.get(pk=rater.study_id)
print("ready", flush=True)
sys.stdin.readline()
done = 0
while True:
    try:
        assignment = next_assignment(study, rater)
    except BusyError:
        continue
    if assignment is None:
        break
    submit(assignment, Submission({"q-good": ["true"]}, revision=0))
    done += 1
print(done, flush=True)
"""
JOIN = """
from annotation.models import Rater
from parts.routing.raters import route
rater = Rater.objects.get(pk=int(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(int(route(rater.study, rater)), flush=True)
"""
ROUTING = {
    "topics": {"names": list(TOPICS), "choose": True, "most": 4}, "most_share": 0.2,
    "groups": [{**source("country"), "quotas": {"DE": {"most": 17}, "AT": {"least": 30}}}],
}  # fmt: skip


def race(code, raters):
    """What the processes say that run `code` for these raters at once."""
    with ExitStack() as stack:
        children = [stack.enter_context(child(code, rater.pk)) for rater in raters]
        for one in children:
            assert said(one) == "ready"
        for one in children:
            tell(one)
        return [int(finished(one)) for one in children]


@pytest.mark.django_db(transaction=True)
def test_claims_at_once_fill_a_quota_exactly_and_never_more(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, ROUTING, items=30)  # 60 places: 12 per rater, 4 of a topic
    topics = [["law"], ["biology"], ["law", "music"], []]
    raters = [make_rater(study, f"p{n}", topics[n % 4], country="DE") for n in range(4)]
    done = race(WORK, raters)
    assert sum(done) == 17
    assert RoutingQuota.objects.get(study=study, key="about.country=DE").taken == 17
    assert Slot.objects.filter(study=study, holder__isnull=False).count() == 17
    assert max(done) <= 12
    for quota in RoutingQuota.objects.filter(study=study).exclude(rater=None):
        assert quota.taken <= quota.most
    assert wrong_counts(study) == []


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_two_raters_who_join_at_once_do_not_share_a_last_place(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"DE": {"raters": 2}}}]}
    study = make_routed_study(tmp_path, owner, routing)
    raters = [make_rater(study, f"p{n}", country="DE") for n in range(4)]
    assert sorted(race(JOIN, raters)) == [0, 0, 1, 1]
    assert QuotaMember.objects.count() == 2


@pytest.fixture
def at_work(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, ROUTING, items=40, redundancy=2)
    rater = make_rater(study, "ann", ["law"], country="DE")
    submit(next_assignment(study, rater), Submission(FORM, revision=0))
    return study, rater


@pytest.mark.django_db
def test_a_routed_claim_takes_four_statements_more_and_an_unrouted_one_none(at_work, tmp_path, owner):
    study, rater = at_work
    plain_study = make_routed_study(tmp_path / "plain", owner, None, slug="plain")
    plain = make_rater(plain_study, "bob")
    submit(next_assignment(plain_study, plain), Submission(FORM, revision=0))
    counts = []
    for one, by in ((study, rater), (plain_study, plain)):
        with CaptureQueriesContext(connection) as captured:
            assert next_assignment(one, by) is not None
        counts.append([query["sql"] for query in captured.captured_queries])
    routed, unrouted = counts
    # Whether the rater has lanes, the lock of the study's counts, the lanes; the place was remembered before.
    assert len(routed) <= len(unrouted) + 4, routed
    assert not any("routing" in sql or "routed" in sql or "quota" in sql for sql in unrouted)


@pytest.mark.django_db
def test_a_claim_reads_the_index_of_lanes(at_work):
    study, rater = at_work
    lanes = lanes_of(rater.pk)
    given = []
    for lane in lanes.lanes:
        given += [study.pk, lane, 0, lane, 2**63 - 1, rater.pk, rater.pk, *seen_items(study, rater)]
    sql = first_sql(connection.vendor, len(lanes.lanes), False, KEPT[None])
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE")
            cursor.execute("SET LOCAL enable_seqscan = off")
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} {sql}", [*given, rater.pk, rater.pk, *seen_items(study, rater)])
        plan = "\n".join(str(row) for row in cursor.fetchall())
    assert plan.count("slot_open_in_lane") >= len(lanes.lanes), plan
    assert "SCAN o" not in plan
    assert "slot_open_in_order" not in plan
    assert "USE TEMP B-TREE" not in plan
    # It begins at the place that the rater has come to, not at the lane's first.
    range_read = "lane=? AND place>? AND place<?" if connection.vendor == "sqlite" else "(ROW(lane, place) >= ROW("
    assert plan.count(range_read) >= len(lanes.lanes), plan
    assert "lane>?" not in plan
    assert "(lane > 0)" not in plan
