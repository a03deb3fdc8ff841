"""Rules about a rater's own tasks: agreement with the others, time, and same forms."""

import pytest

from annotation.models import Annotation, RaterExclusion, Study
from config.database_clock import database_now
from config.erasure import open_erasure
from parts.checks.background.check_upkeep import look_after_checks
from parts.checks.conduct import FIGURES, conduct_of
from parts.checks.models import CheckLook, RaterNotice
from parts.checks.rules import judge_rater, raters_to_judge
from reports.kept.kept_reports import compute_here
from tests.parts.stopping.stop_studies import annotator, answer, stopping_study

pytestmark = pytest.mark.django_db
VALUES = {"ann": "123454321234", "bob": "123454321232", "cyd": "333333333333"}


def worked_study(rules, values=VALUES):
    """A study with checks and these rules, in which each rater has given these values to the items in their order."""
    study, owner = stopping_study(None, items=max(map(len, values.values())), redundancy=3)
    Study.objects.filter(pk=study.pk).update(
        recruiting={"checks": {"first": 9000, "gold": {"share": 0.1}, "rules": rules}}
    )
    study.refresh_from_db()
    keys = sorted(study.items.values_list("key", flat=True))
    raters = {}
    for name, own in values.items():
        rater = raters[name] = annotator(study, name)
        CheckLook.objects.create(rater=rater, given=rater.given)
        for _ in own:
            assert answer(study, rater, {key: own[place % len(own)] for place, key in enumerate(keys)})
    return study, owner, raters


def test_rules_ask_about_the_figures_of_the_report():
    study, _, raters = worked_study([])
    rows = {row["pk"]: row for row in compute_here(study, "rater_checks", {})["raters"]}
    for rater in raters.values():
        for figure in FIGURES:
            told = rows[rater.pk][figure]
            assert conduct_of(rater, figure, None) == (told["n"], pytest.approx(told["value"])), figure
    assert rows[raters["cyd"].pk]["in_a_row"]["value"] == 12
    assert rows[raters["cyd"].pk]["agrees"]["value"] < rows[raters["ann"].pk]["agrees"]["value"]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("rule", "paused"),
    [
        ({"figure": "in_a_row", "above": 8, "of": 10, "do": "pause"}, True),
        ({"figure": "same_forms", "above": 0.9, "of": 10, "do": "ask"}, False),
        ({"figure": "agrees", "below": 0.7, "of": 20, "do": "ask"}, False),
    ],
)
def test_who_always_answers_the_same_is_found_once_and_excluded_by_nobody(rule, paused):
    study, _, raters = worked_study([rule, {**rule, "of": 500}])
    look_after_checks()
    look_after_checks()
    [notice] = RaterNotice.objects.all()
    assert (notice.rater, notice.rule, notice.paused) == (raters["cyd"], rule, paused)
    raters["cyd"].refresh_from_db()
    assert (raters["cyd"].paused_at is not None) == paused
    assert not RaterExclusion.objects.exists()
    assert raters_to_judge(study) == []


def test_who_is_much_faster_than_the_others_is_found():
    _, _, raters = worked_study([{"figure": "time", "below": 0.3, "of": 10, "do": "ask"}])
    with open_erasure("everything"):
        Annotation.objects.update(seconds=40)
        Annotation.objects.filter(rater=raters["cyd"]).update(seconds=4)
    assert {name: len(judge_rater(rater)) for name, rater in raters.items()} == {"ann": 0, "bob": 0, "cyd": 1}
    notice = RaterNotice.objects.get()
    assert (notice.number, notice.share) == (12, pytest.approx(0.1))


def test_an_answered_notice_comes_again_only_for_later_answers():
    rule = {"figure": "same_forms", "above": 0.9, "of": 6, "do": "ask"}
    study, owner, raters = worked_study([rule], {"cyd": "3333333", "dan": "12345123451234"})
    cyd = raters["cyd"]
    assert len(judge_rater(cyd)) == 1
    RaterNotice.objects.update(answered_at=database_now(), answered_by=owner, outcome="They may.")
    for _ in range(5):
        answer(study, cyd, "3")
    assert cyd in raters_to_judge(study)
    assert judge_rater(cyd) == []
    for _ in range(2):
        answer(study, cyd, "3")
    [again] = judge_rater(cyd)
    assert (again.number, again.share) == (7, 1)
