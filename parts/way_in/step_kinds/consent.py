"""Consent: a versioned text with a privacy notice and the study's retention, agreed to before anything is asked.

A text that changes is a new version, and everybody is asked again, also people who rate already.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from random import Random
from typing import Any

from django.db.models import Max
from django.http import QueryDict
from django.utils.translation import gettext, gettext_noop

from accounts.auditing import record
from annotation.models import Rater, Study
from annotation.studies.guideline_text import render
from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError, quoted
from parts.way_in.entry_step import DeclaredIn, EntryStep, EntryStepKind, Passages, RepliesInvalidError
from parts.way_in.models import Consent, ConsentVersion
from parts.way_in.step_fields import StepField

SHOWN = ("text", "privacy", "retention", "on_withdrawal")
PLACEHOLDER = "Say here who"
"""How a template's sentences begin that a study's own words have to replace."""
CHANGED = gettext_noop("The text has changed since you opened this page. Read it again, please.")
TICK = gettext_noop("Tick the box to agree, or leave the study.")


def digest_of(step: EntryStep) -> str:
    """Return the digest of everything that the page of a consent shows."""
    shown = [step.option(name, "") for name in SHOWN]
    return hashlib.sha256(canonical_json(shown).encode("utf-8", "surrogatepass")).hexdigest()


class ConsentStep(EntryStepKind):
    key = "consent"
    label = gettext_noop("Consent")
    about = "People read what the study is, what is kept and for how long, and agree or leave."
    spec_keys = frozenset(SHOWN)
    fields = (
        StepField("text", "What people agree to", "Markdown. A change is a new version: everybody is asked again.",
                  kind="prose", required=True),
        StepField("privacy", "Privacy notice", "Markdown: who keeps what, why, and whom to ask.", kind="prose"),
        StepField("retention", "How long data are kept", "Markdown. Say how long backups are kept, too.", kind="prose",
                  required=True),
        StepField("on_withdrawal", "When somebody leaves", kind="choice", choices=(
            ("erase", "Erase their answers, and ask others"), ("keep", "Keep their answers without a name"))),
    )  # fmt: skip

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        for name in ("text", "retention"):
            if not isinstance(body.get(name), str) or not body[name].strip():
                yield FieldInvalidError(place, f"{name} is missing: it must be text")
        if "privacy" in body and not isinstance(body["privacy"], str):
            yield FieldInvalidError(place, "privacy must be text")
        rule = body.get("on_withdrawal")
        if rule not in ConsentVersion.OnWithdrawal.values:
            yield FieldInvalidError(place, f"on_withdrawal must be keep or erase, not {quoted(rule)}")
        if any(one.get("kind") == self.key for one in within.before):
            yield FieldInvalidError(place, "is a second consent: a study has one")

    def live_problems(self, step: EntryStep) -> Iterator[str]:
        for field in self.fields:
            words = " ".join(str(step.option(field.name, "")).split())
            if PLACEHOLDER.casefold() in words.casefold():
                yield (
                    f"The step {step.title} still has a sentence of its template in *{field.label}*:"
                    f" “{PLACEHOLDER} …”. Write there what it asks for, on the page of steps."
                )

    def is_passed(self, step: EntryStep, passages: Passages) -> bool:
        return digest_of(step) in passages.agreed

    def has_changed(self, step: EntryStep, passages: Passages) -> bool:
        return bool(passages.agreed) and not self.is_passed(step, passages)

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        return {"digest": digest_of(step), **consent_texts(step.body)}

    def synthetic_form(self, step: EntryStep, accuracy: float, random: Random) -> dict[str, Any]:
        return {"digest": digest_of(step), "agree": "yes"}

    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        if form.get("digest") != digest_of(step):
            raise RepliesInvalidError({"": gettext(CHANGED)})
        if form.get("agree") != "yes":
            raise RepliesInvalidError({"agree": gettext(TICK)})
        version = _version(step, rater.study)
        if not Consent.objects.filter(rater=rater, version=version).exists():  # the rater is locked
            Consent.objects.create(rater=rater, version=version, agreed_at=now)
            subject = f"version {version.number} by {rater.name}"
            record(
                "consent given", subject, actor=rater.person, study=rater.study.slug, new={"version": version.number}
            )


def consent_texts(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a page shows of a consent: its Markdown as HTML, and the rule for withdrawal."""
    return {
        "text": render(body["text"]), "privacy": render(body.get("privacy") or ""),
        "retention": render(body["retention"]), "on_withdrawal": body["on_withdrawal"],
    }  # fmt: skip


def _version(step: EntryStep, study: Study) -> ConsentVersion:
    """Return the row of the step's present texts in the locked study, made if nobody has agreed to them before."""
    digest, versions = digest_of(step), ConsentVersion.objects.filter(study=study)
    there = versions.filter(digest=digest).first()
    if there is not None:
        return there
    number = (versions.aggregate(last=Max("number"))["last"] or 0) + 1
    texts = {name: step.option(name, "") for name in SHOWN}
    return ConsentVersion.objects.create(study=study, number=number, digest=digest, **texts)


ENTRY_STEP = ConsentStep()
