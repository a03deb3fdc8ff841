"""The public link that a study file declares, `recruiting: public_link:`, and its changes on a page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.studies.corrections import refuse_archived
from annotation.studies.locking import lock_study
from config.model_fields import canonical_json
from files.import_problems import FieldInvalidError
from parts.crowds.attention_texts import BUILT_IN, AttentionText
from parts.crowds.checked_values import checked_list, checked_mapping, checked_minutes, checked_text

PUBLIC_LINK = "public_link"
KEYS = ("people", "open", "intro", "minutes", "attention")
TEXT_KEYS = ("text", "question", "choices", "answer")
MOST_PEOPLE, MOST_TEXTS, MOST_CHOICES = 1_000_000, 50, 20
LONGEST_INTRO, LONGEST_TEXT, LONGEST_CHOICE = 5000, 5000, 200


@dataclass(frozen=True)
class PublicLink:
    """What a study says of its public link."""

    body: Mapping[str, Any]

    @property
    def people(self) -> int:
        """How many people may come in by it."""
        return int(self.body["people"])

    @property
    def is_open(self) -> bool:
        return bool(self.body.get("open", True))

    @property
    def attention(self) -> tuple[AttentionText, ...]:
        """The texts of which a person reads one: the study's own, or the built-in ones."""
        own = self.body.get("attention")
        if not own:
            return BUILT_IN
        return tuple(AttentionText(one["text"], one["question"], tuple(one["choices"]), one["answer"]) for one in own)


def public_link_of(study: Study) -> PublicLink | None:
    """Return the public link that the study declares, or None."""
    body = study.recruiting.get(PUBLIC_LINK)
    return PublicLink(body) if body else None


def checked_link(value: Any, field: str) -> Mapping[str, Any]:
    """Return the settings of a public link. Raises FieldInvalidError."""
    body = checked_mapping(value, field, KEYS)
    if type(body.get("people")) is not int or not 0 <= body["people"] <= MOST_PEOPLE:
        raise FieldInvalidError(f"{field}.people", f"must be a whole number from 0 to {MOST_PEOPLE}")
    if type(body.get("open", True)) is not bool:
        raise FieldInvalidError(f"{field}.open", "must be true or false")
    checked_text(body, "intro", field, LONGEST_INTRO)
    checked_minutes(body, field)
    for number, one in enumerate(checked_list(body, "attention", field, MOST_TEXTS)):
        _check_attention(one, f"{field}.attention.{number}")
    return body


def _check_attention(value: Any, field: str) -> None:
    given = checked_mapping(value, field, TEXT_KEYS)
    for key in ("text", "question", "answer"):
        if key not in given:
            raise FieldInvalidError(f"{field}.{key}", "must be given")
        checked_text(given, key, field, LONGEST_TEXT)
    choices = checked_list(given, "choices", field, MOST_CHOICES)
    if not all(isinstance(one, str) and 0 < len(one.strip()) <= LONGEST_CHOICE for one in choices):
        raise FieldInvalidError(f"{field}.choices", "must be texts")
    if len(set(choices)) < max(3, len(choices)) or given["answer"] not in choices:
        raise FieldInvalidError(f"{field}.choices", "must be at least three different texts, the answer among them")


class LinkChangeRefusedError(Exception):
    """The link cannot be changed like this; the message is a sentence."""


def change_link(study: Study, changes: dict[str, Any], actor: Person) -> bool:
    """Make these keys the public link's, others stay; an empty text removes its key. False if nothing differs.

    How many people may come, and whether they may, is not a correction, so a locked study needs no reason.
    """
    with transaction.atomic():
        locked = lock_study(study.pk)
        refuse_archived(locked)
        old = locked.recruiting.get(PUBLIC_LINK) or {}
        body = {key: value for key, value in {**old, **changes}.items() if value != ""}
        try:
            checked_link(body, PUBLIC_LINK)
        except FieldInvalidError as problem:
            raise LinkChangeRefusedError(f"{problem.field} {problem.reason}.") from problem
        if canonical_json(old) == canonical_json(body):
            return False
        locked.recruiting = {**locked.recruiting, PUBLIC_LINK: body}
        locked.save(update_fields=["recruiting"])
        record(
            "public link changed", study.slug, actor=actor, study=study.slug, old={PUBLIC_LINK: old},
            new={PUBLIC_LINK: body},
        )  # fmt: skip
    study.recruiting = locked.recruiting
    return True
