"""Topics, shares, quotas and seats: who is given which task, and never more than a quota."""

import pytest

from annotation.desk.assigning import next_assignment, release_held_by
from annotation.desk.submitting import Submission, skip, submit, undo
from annotation.members.rater_erasure import erase_rater
from annotation.models import Rater, Reviewer, Slot, Study
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.studies.batches import release_next
from parts.checks.preparing import prepare_checks
from parts.routing.claims import RoutingSearch, tasks_ahead
from parts.routing.models import RoutedRater, RoutingQuota
from parts.routing.quotas import wrong_counts
from parts.routing.raters import TopicsInvalidError, choose_topics, is_full_for
from tests.parts.routing.routed_study import FORM, TOPICS, answer, make_rater, make_routed_study, source, taken_by

pytestmark = pytest.mark.django_db
PREFERRED = {"topics": {"names": list(TOPICS)}}
REQUIRED = {"topics": {"names": list(TOPICS), "mode": "require"}}


def all_of(rater):
    found = []
    while (topic := answer(rater)) is not None:
        found.append(topic)
    return found


def test_own_topics_come_first_then_items_without_one_then_others(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, PREFERRED)
    found = all_of(make_rater(study, "ann", ["music", "law"]))
    assert sorted(found[:6]) == ["law"] * 3 + ["music"] * 3
    assert found[6:9] == ["", "", ""]
    assert found[9:] == ["biology"] * 3


def test_required_topics_are_all_that_a_rater_gets(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, REQUIRED)
    assert sorted(all_of(make_rater(study, "ann", ["music"]))) == ["", "", "", "music", "music", "music"]


def test_a_declared_field_is_a_topic(tmp_path, owner):
    routing = {"topics": {"names": list(TOPICS), "mode": "require", "from": source("field")}}
    study = make_routed_study(tmp_path, owner, routing)
    assert all_of(make_rater(study, "ann", field="biology"))[:3] == ["biology"] * 3
    assert set(all_of(make_rater(study, "bob", field="none"))) == {""}


def test_nobody_gets_a_task_before_choosing_and_a_required_choice_is_not_empty(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, REQUIRED)
    rater = make_rater(study, "ann")
    assert next_assignment(study, rater) is None
    with pytest.raises(TopicsInvalidError):
        choose_topics(rater, ["alchemy"])
    choose_topics(rater, ["law"])
    assert answer(rater) == "law"
    choose_topics(rater, ["biology"])
    assert answer(rater) == "biology"


def test_a_place_that_is_given_back_is_found_again(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, REQUIRED, redundancy=1)
    ann, bob = make_rater(study, "ann", ["law"]), make_rater(study, "bob", ["law"])
    held = next_assignment(study, ann)
    assert len(all_of(bob)) == 5
    release_held_by(study, ann, "gone")
    assert next_assignment(study, bob).task == held.task


def test_a_rater_gives_at_most_their_share(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, {"most_share": 0.2})  # 24 places: at most 4
    ann = make_rater(study, "ann")
    assert len(all_of(ann)) == 4
    assert taken_by(ann) == 4
    assert wrong_counts(study) == []


def test_a_rater_gives_at_most_so_many_answers_per_topic(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, {"topics": {**PREFERRED["topics"], "most": 2}})
    found = all_of(make_rater(study, "ann", ["law"]))
    assert sorted(found) == ["", "", "", *["biology"] * 2, *["law"] * 2, *["music"] * 2]
    assert found[:2] == ["law", "law"]


def test_the_answers_of_a_group_stop_at_its_quota_and_a_place_given_back_is_free_again(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"DE": {"most": 5}}}]}
    study = make_routed_study(tmp_path, owner, routing)
    ann, bob, cyd = (make_rater(study, name, country=c) for name, c in (("ann", "DE"), ("bob", "DE"), ("cyd", "AT")))
    for _ in range(2):
        assert answer(ann) is not None
        assert answer(bob) is not None
    last = next_assignment(study, ann)
    assert last is not None
    assert next_assignment(study, bob) is None
    assert answer(cyd) is not None
    release_held_by(study, ann, "gone")
    assert answer(bob) is not None
    assert answer(bob) is None
    assert wrong_counts(study) == []


def test_answers_that_a_group_needs_at_least_wait_for_it(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"CH": {"least": 6}}}]}
    study = make_routed_study(tmp_path, owner, routing)  # 24 places: 18 for others
    others = [make_rater(study, name, country=c) for name, c in (("ann", "DE"), ("bob", "AT"))]
    assert sum(len(all_of(rater)) for rater in others) == 18
    assert len(all_of(make_rater(study, "cyd", country="CH"))) >= 1
    assert wrong_counts(study) == []


def test_each_task_has_its_raters_of_each_answer(tmp_path, owner):
    routing = {"each_task": {**source("native"), "seats": {"yes": 1, "no": 1}}}
    study = make_routed_study(tmp_path, owner, routing, redundancy=3)
    natives = [make_rater(study, name, native="yes") for name in ("ann", "bob")]
    other = make_rater(study, "cyd", native="no")
    while sum(answer(rater) is not None for rater in (*natives, other)):
        pass
    for item in study.items.all():
        said = [
            slot.holder.person.personal_replies.get().value
            for slot in Slot.objects.filter(item=item, holder__isnull=False)
        ]
        assert sorted(said) == ["no", "yes", "yes"]


def test_a_group_has_at_most_so_many_raters_until_one_leaves(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"DE": {"raters": 1}}}]}
    study = make_routed_study(tmp_path, owner, routing)
    ann, bob = make_rater(study, "ann", country="DE"), make_rater(study, "bob", country="DE")
    assert answer(ann) is not None
    assert is_full_for(study, bob)
    assert answer(bob) is None
    assert not RoutedRater.objects.filter(rater=bob).exists()
    erase_rater(ann, ann.person, keep_answers=False)
    assert not is_full_for(study, bob)
    assert answer(bob) is not None


def test_erased_answers_are_counted_no_more(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"DE": {"most": 3}}}], "most_share": 0.5}
    study = make_routed_study(tmp_path, owner, routing)
    ann, bob = make_rater(study, "ann", country="DE"), make_rater(study, "bob", country="DE")
    assert len(all_of(ann)) == 3
    assert answer(bob) is None
    erase_rater(ann, ann.person, keep_answers=False)
    assert wrong_counts(study) == []
    assert len(all_of(bob)) == 3
    assert RoutingQuota.objects.get(study=study, rater=None, key="about.country=DE").taken == 3


def test_kept_answers_of_somebody_who_left_stay_counted_and_are_no_inconsistency(tmp_path, owner):
    routing = {"groups": [{**source("country"), "quotas": {"DE": {"most": 3}}}], "most_share": 0.5}
    study = make_routed_study(tmp_path, owner, routing)
    ann, bob = make_rater(study, "ann", country="DE"), make_rater(study, "bob", country="DE")
    assert len(all_of(ann)) == 3
    erase_rater(ann, ann.person, keep_answers=True)
    quota = RoutingQuota.objects.get(study=study, rater=None, key="about.country=DE")
    assert quota.taken == 3
    assert wrong_counts(study) == []
    assert answer(bob) is None
    RoutingQuota.objects.filter(pk=quota.pk).update(taken=4)
    assert wrong_counts(study) == ["about.country=DE: 4 counted, 0 taken"]
    RoutingQuota.objects.filter(pk=quota.pk).update(taken=3, most=9)
    assert answer(bob) is not None
    assert wrong_counts(study) == []
    RoutingQuota.objects.filter(pk=quota.pk).update(taken=0)
    assert wrong_counts(study) == ["about.country=DE: 0 counted, 1 taken"]


def test_lanes_leave_out_items_that_the_rater_decided(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, PREFERRED, items=8, redundancy=1)
    ann = make_rater(study, "ann", ["law"])
    by, question = Reviewer.objects.create(study=study, name=ann.name), study.questions.get()
    decided = study.items.first()
    adjudicate(decided, question, Unit("north"), True, "It is.", owner, number=0, by=by)
    assert RoutingSearch().ensure_ready(study, ann)
    assert tasks_ahead(study, ann, 50) == (7, False)
    assert len(all_of(ann)) == 7
    assert Slot.objects.get(item=decided).holder is None


def test_new_batches_begin_with_own_topics_again(tmp_path, owner):
    study = make_routed_study(tmp_path, owner, PREFERRED, items=16, redundancy=1, batch_size=8)
    ann = make_rater(study, "ann", ["law"])
    assert all_of(ann)[:2] == ["law", "law"]
    release_next(Study.objects.get(pk=study.pk), owner, unfinished=[])
    assert all_of(ann)[:2] == ["law", "law"]


def test_hidden_checks_come_among_routed_tasks_and_count_in_no_quota(tmp_path, owner):
    checks = {"first": 1, "repeats": {"share": 0.5, "after": 1}}
    study = make_routed_study(tmp_path, owner, {"most_share": 0.5}, redundancy=1, checks=checks)  # at most 6
    ann = make_rater(study, "ann")
    Rater.objects.filter(pk=ann.pk).update(name="rater-ann")  # by which checks are drawn
    answered, skipped = 0, set()
    while (assignment := next_assignment(study, ann)) is not None:
        pool = assignment.task.item.pool
        if pool not in skipped:  # what is skipped and taken back is held again, whether it is a check or not
            skipped.add(pool)
            skip(assignment, Submission({}, 0), "Unclear.")
            undo(assignment, Submission({}, 1))
            assert Slot.objects.filter(task=assignment.task, holder=ann, state="held").exists(), pool
            assert submit(assignment, Submission(FORM, 2)).surplus is False, pool
        else:
            answer(ann)
        answered += 1
        ann.refresh_from_db()
        prepare_checks(ann)
    assert skipped == {"main", "copies"}
    assert Slot.objects.filter(holder=ann, study=study).count() == 6
    assert answered > 6
    assert wrong_counts(study) == []
