"""Blinding: what researchers of a blinded study see in place of systems' names, until it is unblinded.

The option `blind_researchers` blinds a study. Everything that people who run it read then calls a system by its code:
pages, the admin, the API, exports, reports. A code is made from the name with a secret of the study, so it is the same
everywhere, says nothing about the name, and sorts by chance. What is known about systems (families, models, which is
the baseline) is hidden as well. Unblinding is an event that cannot be undone.
"""

import hashlib
import hmac
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.members.pseudonyms import named_row
from annotation.models import Output, Reviewer, Study, Unblinding
from annotation.models.study import random_secret
from annotation.questions import question_types
from annotation.questions.preference import TIE
from annotation.studies.corrections import StudyRefusedError
from annotation.studies.locking import lock_study
from config.database_clock import database_now

OPTION = "blind_researchers"
LETTERS, DIGITS = "BCDFGHJKLMNPQRSTVWXZ", "23456789"
PAIRS = 3
"""A code has this many letters, each followed by a digit."""
HIDDEN = "hidden until unblinding"
NAMING_OPTIONS = ("pairs", "models")
"""Options of protocols whose values name systems."""
NAMING_LEVELS = frozenset({"choice", "rank", "extremes", "span"})
"""Levels of measurement whose values name outputs."""


class StudyBlindedError(PermissionDenied):
    """The page would name models that write outputs, and the study is blinded."""

    page = "blinded"

    def __init__(self) -> None:
        super().__init__(
            "This page names models that write outputs. A blinded study hides them until an owner unblinds it in its"
            " settings."
        )


def is_blind(study: Study) -> bool:
    """Whether the people who run the study must not see systems' names now. A query only if the option is set."""
    return study.options.get(OPTION) is True and not hasattr(study, "unblinding")


@dataclass(frozen=True)
class Names:
    """How systems are called: by their own names, or, given a study's secret, by codes."""

    secret: str = ""

    @property
    def are_codes(self) -> bool:
        return bool(self.secret)

    def shown(self, name: Any) -> Any:
        """What a system is called; anything but a text, such as None, stays as it is."""
        return code_of(self.secret, name) if self.secret and isinstance(name, str) and name else name

    def value(self, level: str, value: Any) -> Any:
        """A value of a level of measurement with the systems that it names called so; texts are never touched.

        A text that somebody has written and that happens to be a name must stay: its code would answer a guess.
        """
        return renamed(level, value, self.shown) if self.secret else value

    def shares(self, level: str, distribution: Any) -> Any:
        """A distribution over the answers of a level; of choices, with the systems that these name called so."""
        return self.value("rank", distribution) if level == "choice" else distribution

    def answers(self, answers: Any, levels: Mapping[str, str]) -> Any:
        """{question: value} with the systems that values name called so; `levels` are those of the questions.

        A mapping at any other level gives a value for each output.
        """
        if not self.secret or not isinstance(answers, Mapping):
            return answers
        return {key: self._answer(levels.get(key, ""), value) for key, value in answers.items()}

    def _answer(self, level: str, value: Any) -> Any:
        if level not in NAMING_LEVELS and isinstance(value, Mapping):
            return dict(sorted((self.shown(key), one) for key, one in value.items()))
        return self.value(level, value)

    def listed(self, names: Sequence[Any] | None) -> list[Any] | None:
        """A list of systems, called as they are shown, in its order."""
        return None if names is None else [self.shown(one) for one in names]

    def known(self, text: Any, systems: Collection[str]) -> Any:
        """What the program has written where a system's name may be, and another text, such as a task's variant."""
        return self.shown(text) if self.secret and isinstance(text, str) and text in systems else text

    def beneath(self, value: Any, keys: Collection[str], systems: Collection[str]) -> Any:
        """JSON in which values under some keys may name systems: these are called as they are shown, nothing else."""
        if not self.secret:
            return value
        if isinstance(value, Mapping):
            return {
                key: self._all(one, systems) if key in keys else self.beneath(one, keys, systems)
                for key, one in value.items()
            }
        return [self.beneath(one, keys, systems) for one in value] if isinstance(value, list | tuple) else value

    def _all(self, value: Any, systems: Collection[str]) -> Any:
        if isinstance(value, Mapping):
            return {self.known(key, systems): self._all(one, systems) for key, one in value.items()}
        if isinstance(value, list | tuple):
            return [self._all(one, systems) for one in value]
        return self.known(value, systems)


OWN_NAMES = Names()


def renamed(level: str, value: Any, call: Callable[[str], str]) -> Any:
    """A value of a level of measurement with the systems that it names called otherwise, in the order of these names.

    The order of the old names would tell how they sort.
    """
    match level:
        case "choice":
            return value if value == TIE or not isinstance(value, str) else call(value)
        case "rank" if isinstance(value, Mapping):
            return dict(sorted((key if key == TIE else call(key), rank) for key, rank in value.items()))
        case "extremes" if isinstance(value, Mapping):
            return {side: call(key) for side, key in value.items()}
        case "span" if isinstance(value, Mapping):
            spans = [{**one, "output": call(one["output"])} if "output" in one else one for one in value["spans"]]
            spans.sort(key=lambda one: (one.get("output", ""), one["start"], one["end"]))
            return {**value, "spans": spans, "none": sorted(map(call, value["none"]))}
    return value


@lru_cache(maxsize=4096)
def code_of(secret: str, name: str) -> str:
    """The code of a system, such as `System K3M7Q4`."""
    number = int.from_bytes(hmac.new(secret.encode(), name.encode(), hashlib.sha256).digest()[:8], "big")
    code = ""
    for _ in range(PAIRS):
        number, letter = divmod(number, len(LETTERS))
        number, digit = divmod(number, len(DIGITS))
        code += LETTERS[letter] + DIGITS[digit]
    return f"System {code}"


def names_of(study: Study) -> Names:
    """How the people who run the study see its systems called now."""
    return Names(study.code_secret) if is_blind(study) else OWN_NAMES


def drawing_names(study: Study) -> Names:
    """How draws that follow from a seed and the names of outputs name systems: so that no draw tells a name.

    As pages show them, and for a blinded study the same after unblinding, so that draws can be repeated.
    """
    return Names(study.code_secret) if study.options.get(OPTION) is True else OWN_NAMES


def shown_name(study: Study, name: str) -> str:
    """What the people who run the study see in place of a system's name."""
    shown: str = names_of(study).shown(name)
    return shown


def keep_codes(study: Study) -> None:
    """Call systems of a blinded study as its files do: by the codes that they had when they were exported."""
    Study.objects.filter(pk=study.pk).update(code_secret="")


def renew_codes(study: Study) -> None:
    """Give the systems of a blinded study other codes: somebody names its first ones, maybe for a second time.

    With the old secret, they could name systems whose codes they know from items that are gone.
    """
    study.code_secret = random_secret()
    Study.objects.filter(pk=study.pk).update(code_secret=study.code_secret)


def refuse_blinded(study: Study) -> None:
    """Raise StudyBlindedError if the study is blinded."""
    if is_blind(study):
        raise StudyBlindedError


def in_shown_order(study: Study, outputs: Iterable[Output]) -> list[Output]:
    """Outputs in the order in which researchers see them: as they are given, or by code while the study is blinded."""
    names = names_of(study)
    return sorted(outputs, key=lambda one: str(names.shown(one.key))) if names.are_codes else list(outputs)


def shown_outputs(study: Study, outputs: Iterable[Output]) -> list[Output]:
    """Copies of outputs as researchers see them, in their order there. They must not be saved."""
    names, found = names_of(study), []
    for output in in_shown_order(study, outputs):
        shown = copy(output)
        shown.key, shown.edited_from = names.shown(output.key), names.shown(output.edited_from)
        found.append(shown)
    return found


def systems_of(study: Study) -> frozenset[str]:
    """The names of a blinded study's systems; none of any other. Reads all its outputs: for exports and workers."""
    if not is_blind(study):
        return frozenset()
    keys = Output.objects.filter(item__study=study).order_by().values_list("key", flat=True).distinct()
    return frozenset(keys) | frozenset(study.systems) | frozenset(study.options.get("models", ()))


def answer_levels(study: Study) -> dict[str, str]:
    """The level of measurement of the answers to each question."""
    return {key: question_types()[kind].level or "" for key, kind in study.questions.values_list("key", "type")}


def shown_systems(study: Study) -> dict[str, dict[str, Any]]:
    """What the people who run the study may know about its systems: nothing while it is blinded."""
    systems: dict[str, dict[str, Any]] = {} if is_blind(study) else study.systems
    return systems


def shown_options(study: Study) -> dict[str, Any]:
    """The study's options with systems called as they are shown."""
    names = names_of(study)
    if not names.are_codes:
        return dict(study.options)
    return {key: _shown_option(names, key, value) for key, value in study.options.items()}


def exported_options(study: Study) -> dict[str, Any]:
    """The options as files have them: those of an unblinded study do not blind the study that is made from them."""
    options = shown_options(study)
    return {key: value for key, value in options.items() if key != OPTION} if _is_unblinded(study) else options


def with_past_blinding(study: Study, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a file for `study`, with the blinding that files leave out since it was unblinded."""
    return {**options, OPTION: True} if _is_unblinded(study) else dict(options)


def _is_unblinded(study: Study) -> bool:
    return study.options.get(OPTION) is True and hasattr(study, "unblinding")


def _shown_option(names: Names, key: str, value: Any) -> Any:
    if key not in NAMING_OPTIONS or isinstance(value, str):
        return value
    if isinstance(value, Mapping):  # {baseline: system} and {list: pairs}, whose keys are words of the option
        return {name: _every(names, one) for name, one in value.items()}
    return _every(names, value)


def _every(names: Names, value: Any) -> Any:
    """Systems in nested lists, called as they are shown."""
    return [_every(names, one) for one in value] if isinstance(value, list | tuple) else names.shown(value)


@dataclass(frozen=True)
class BlindingState:
    """Whether a study was made to be blinded, and how that ended, if it did."""

    is_blind: bool
    unblinding: Unblinding | None


def blinding_state(study: Study) -> BlindingState | None:
    """The blinding of a study; None for one that was never to be blinded."""
    if study.options.get(OPTION) is not True:
        return None
    return BlindingState(is_blind(study), getattr(study, "unblinding", None))


def unblinding_facts(study: Study) -> dict[str, Any] | None:
    """The blinding of a study as a report states it: whether it holds, and when and why it ended. None: no blinding.

    The person has their random name in files: a page that is not kept names them.
    """
    state = blinding_state(study)
    if state is None:
        return None
    event = state.unblinding
    if event is None:
        return {"blinded": True}
    by = Reviewer.objects.filter(study=study, person=event.by_id).values_list("name", flat=True).first()
    return {"blinded": False, "unblinded_at": event.at.isoformat(), "by": by, "reason": event.reason}


def unblind(study: Study, reason: str, actor: Person | None) -> Unblinding:
    """Show the study's systems by their names from now on, for a reason. Raises StudyRefusedError."""
    with transaction.atomic():
        now = lock_study(study.pk)
        if now.options.get(OPTION) is not True:
            raise StudyRefusedError("This study is not blinded.")
        if not reason.strip():
            raise StudyRefusedError("Say why the study is unblinded: its report states the reason.")
        if hasattr(now, "unblinding"):
            raise StudyRefusedError("The study was unblinded before.")
        event = Unblinding.objects.create(study=now, by=actor, at=database_now(), reason=reason.strip())
        if actor is not None:
            named_row(Reviewer, "reviewer", now, actor)
        record("study unblinded", study.slug, actor=actor, study=study.slug, new={"reason": event.reason})
    return event
