"""Asks a study's rules about a rater: a rule may pause a rater or ask a researcher, who answers its notice.

A rule never excludes anybody. Rules about checks are asked whenever the rater has answered another check, those about
their own tasks after every few of them. Each rule gives at most one notice that no researcher has answered yet.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.auditing import record
from accounts.models import Person
from annotation.members.standing import DecidedMeanwhileError, excluded, go_on, locked_rater, pause_of, stop
from annotation.models import Annotation, Rater, Study
from annotation.studies.locking import lock_rater
from config.database_clock import database_now
from config.model_fields import canonical_json
from parts.checks.answered import AnsweredCheck, answered_checks
from parts.checks.conduct import FIGURES, conduct_of, own_answers
from parts.checks.models import CheckLook, RaterNotice
from parts.checks.settings import CheckRule, checks_of

PAUSE = "pause"
STEP = 5
"""After so many answers to tasks, rules about them are asked again."""


def raters_to_judge(study: Study) -> list[Rater]:
    """The raters of a study with answers that no rule has been asked about, if it has rules."""
    rules = _rules(study)
    if not rules:
        return []
    answers = Annotation.objects.filter(rater=OuterRef("pk"), is_current=True)
    newer = Q(Exists(answers.filter(task__item__pool="copies", pk__gt=OuterRef("check_look__judged_through"))))
    if any(rule.figure in FIGURES for rule in rules):
        own = answers.filter(
            task__item__pool="main", status="submitted", pk__gt=OuterRef("check_look__conduct_through")
        )
        newer |= Q(Exists(own[STEP - 1 : STEP]))
    people = Rater.objects.filter(study=study, person__isnull=False, check_look__isnull=False)
    return list(people.filter(newer).select_related("study").order_by("pk"))


def judge_rater(rater: Rater) -> list[RaterNotice]:
    """Ask the rules about a rater, and write a notice for each that they have newly met."""
    conduct, through = _of_conduct(rater)
    with transaction.atomic():
        rater = lock_rater(rater.pk, "study")
        look = CheckLook.objects.get(rater=rater)
        answers = list(answered_checks(rater.study, rater))
        new = {one.check.kind for one in answers if one.annotation > look.judged_through}
        met = [
            _met(rater, rule, *figure_of(answers, rule.figure)) for rule in _rules(rater.study) if rule.figure in new
        ]
        notices = [one for one in (*met, *(_met(rater, *one) for one in conduct)) if one is not None]
        judged = max((one.annotation for one in answers), default=0)
        CheckLook.objects.filter(pk=look.pk).update(
            judged_through=max(look.judged_through, judged), conduct_through=max(look.conduct_through, through)
        )
        for notice in notices:
            _write(rater, notice)
        return notices


def _rules(study: Study) -> Sequence[CheckRule]:
    checks = checks_of(study)
    return checks.rules if checks else ()


def _as_stored(rule: CheckRule) -> dict[str, Any]:
    """The rule as the study file and its notices have it."""
    return rule.model_dump(exclude_none=True)


def _of_conduct(rater: Rater) -> tuple[list[tuple[CheckRule, int, float]], int]:
    """The rules about the rater's own tasks, each with its figure, and the last answer that was looked at.

    What a researcher has answered a notice about is not asked again: only later answers count then.
    """
    rules = [rule for rule in _rules(rater.study) if rule.figure in FIGURES]
    last = own_answers(rater).order_by("-pk").values_list("pk", flat=True).first() if rules else None
    if last is None:
        return [], 0
    answered = {
        canonical_json(one.rule): one.answered_at
        for one in RaterNotice.objects.filter(rater=rater, answered_at__isnull=False).order_by("answered_at")
    }
    since = [answered.get(canonical_json(_as_stored(rule))) for rule in rules]
    return [(rule, *conduct_of(rater, rule.figure, at)) for rule, at in zip(rules, since, strict=True)], last


def figure_of(answers: Iterable[AnsweredCheck], kind: str) -> tuple[int, float]:
    """How many checks of a kind count, and the mean of what they count for; 0 of none."""
    shares = [one.share for one in answers if one.check.kind == kind and one.share is not None]
    return len(shares), sum(shares) / len(shares) if shares else 0.0


def _met(rater: Rater, rule: CheckRule, number: int, share: float) -> RaterNotice | None:
    """A notice if the rater's figure meets the rule, and nobody has yet to answer the same notice."""
    if number < rule.of or not rule.is_met(share):
        return None
    waiting = RaterNotice.objects.filter(rater=rater, answered_at=None)
    if any(one.rule == _as_stored(rule) for one in waiting):
        return None
    return RaterNotice(rater=rater, rule=_as_stored(rule), share=share, number=number, paused=rule.do == PAUSE)


def _write(rater: Rater, notice: RaterNotice) -> None:
    notice.save()
    if notice.paused:
        stop(rater)
    record(
        "rater paused" if notice.paused else "rater noticed", rater.name, actor=None, about=rater.person,
        study=rater.study.slug, new={"rule": notice.rule, "share": notice.share, "checks": notice.number},
    )  # fmt: skip


def answer_notice(notice: RaterNotice, outcome: str, person: Person, *, resume: bool) -> None:
    """Keep what a researcher did about a notice; `resume` gives the rater work again, unless a researcher stopped them.

    Raises DecidedMeanwhileError and StudyArchivedError.
    """
    with transaction.atomic():
        study, rater = locked_rater(notice.rater)
        open_now = RaterNotice.objects.filter(pk=notice.pk, answered_at=None)
        if not open_now.update(answered_at=database_now(), answered_by=person, outcome=outcome):
            raise DecidedMeanwhileError
        resumed = resume and not excluded(study).filter(rater=rater).exists() and pause_of(rater) is None
        if resumed:
            go_on(rater)
        new = {"outcome": outcome, "resumed": resumed}
        record("rater notice answered", rater.name, actor=person, about=rater.person, study=study.slug, new=new)


def open_notices(study: Study | OuterRef) -> QuerySet[RaterNotice]:
    """The notices that no researcher has answered, the newest first."""
    return RaterNotice.objects.filter(rater__study=study, answered_at=None).select_related("rater").order_by("-pk")


def asks_about(rater: OuterRef | Rater) -> Q:
    """Whether a rule has paused a rater, and no researcher has answered it."""
    return Q(Exists(RaterNotice.objects.filter(rater=rater, paused=True, answered_at=None)))
