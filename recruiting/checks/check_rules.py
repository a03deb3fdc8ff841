"""Asks a study's rules about a rater's answers to checks: a rule may pause a rater or ask a researcher.

A rule never excludes anybody. It is asked whenever the rater has answered another check, and each rule gives at most
one notice that no researcher has answered yet.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from accounts.auditing import record
from annotation.models import Annotation, Rater, Study
from annotation.studies.check_draws import checks_of
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from recruiting.checks.answered_checks import AnsweredCheck, answered_checks
from recruiting.checks.check_tables import CheckLook, RaterNotice

PAUSE = "pause"


def raters_to_judge(study: Study) -> list[Rater]:
    """The raters of a study with answers to checks that no rule has been asked about, if it has rules."""
    if not (checks_of(study) or {}).get("rules"):
        return []
    newer = Annotation.objects.filter(
        rater=OuterRef("pk"), is_current=True, task__item__pool="check", pk__gt=OuterRef("check_look__judged_through")
    )
    people = Rater.objects.filter(study=study, person__isnull=False, check_look__isnull=False)
    return list(people.filter(Exists(newer)).order_by("pk"))


def judge_rater(rater: Rater) -> list[RaterNotice]:
    """Ask the rules about a rater, and write a notice for each that they have newly met."""
    with transaction.atomic():
        rater = lock_rater(rater.pk, "study")
        look = CheckLook.objects.get(rater=rater)
        answers = list(answered_checks(rater.study, rater))
        new = [one for one in answers if one.annotation > look.judged_through]
        if not new:
            return []
        rules = (checks_of(rater.study) or {}).get("rules", [])
        notices = [notice for rule in rules if (notice := _met(rater, rule, answers, new)) is not None]
        CheckLook.objects.filter(pk=look.pk).update(judged_through=max(one.annotation for one in answers))
        for notice in notices:
            _write(rater, notice)
        return notices


def figure_of(answers: Iterable[AnsweredCheck], kind: str) -> tuple[int, float]:
    """How many checks of a kind count, and the mean of what they count for; 0 of none."""
    shares = [one.share for one in answers if one.check.kind == kind and one.share is not None]
    return len(shares), sum(shares) / len(shares) if shares else 0.0


def _met(
    rater: Rater, rule: Mapping[str, Any], answers: list[AnsweredCheck], new: list[AnsweredCheck]
) -> RaterNotice | None:
    """A notice if the rater meets the rule by a new answer, and nobody has yet to answer the same notice."""
    if not any(one.check.kind == rule["figure"] for one in new):
        return None
    number, share = figure_of(answers, rule["figure"])
    if number < rule["of"] or share >= rule["below"]:
        return None
    waiting = RaterNotice.objects.filter(rater=rater, answered_at=None)
    if any(one.rule == rule for one in waiting):
        return None
    return RaterNotice(rater=rater, rule=dict(rule), share=share, number=number, paused=rule["do"] == PAUSE)


def _write(rater: Rater, notice: RaterNotice) -> None:
    notice.save()
    if notice.paused and rater.paused_at is None:
        rater.paused_at = database_now()
        Rater.objects.filter(pk=rater.pk).update(paused_at=rater.paused_at)
    record(
        "rater paused" if notice.paused else "rater noticed", rater.name, actor=None, about=rater.person,
        study=rater.study.slug, new={"rule": notice.rule, "share": notice.share, "checks": notice.number},
    )  # fmt: skip
