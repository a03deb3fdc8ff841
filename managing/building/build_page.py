"""What the page that builds a study shows."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse

from annotation.models import Study
from annotation.protocols import protocols
from annotation.questions import question_types
from config.model_fields import canonical_json
from files.import_problems import ImportProblem
from managing.building.field_texts import texts_of
from managing.building.placed_problems import place_problems
from managing.building.question_steps import StepTaken
from managing.building.spec_forms import SpecForm
from managing.building.study_form import ABOUT, ABOUT_FIELDS, OPTION, QuestionPart, questions_in

MORE = ("help", "required", "per", "when", "key", "type")
"""Keys of a question that its card folds away."""
FEW = 3
"""A study with this many questions shows all of them unfolded."""


def state_of_body(body: Mapping[str, Any]) -> str:
    """A short name of what a body says: another one means that the draft has been changed."""
    return hashlib.sha256(canonical_json(body).encode()).hexdigest()[:16]


class BuildPage:
    """The forms of a study's body, with problems beside their fields.

    `since` names the state of the draft that the page began with, `step` is the one just taken.
    """

    def __init__(
        self,
        study: Study,
        body: Mapping[str, Any],
        *,
        since: str,
        problems: Sequence[ImportProblem] | None = None,
        step: StepTaken | None = None,
        changed_meanwhile: bool = False,
    ) -> None:
        self.study, self.body, self.since = study, body, since
        self.step = step or StepTaken(dict(body))
        self.changed_meanwhile = changed_meanwhile
        self.is_checked = problems is not None
        self.address = reverse("managing:build", args=[study.slug])
        self.preview_address = reverse("managing:build_preview", args=[study.slug])
        protocol = protocols()[study.protocol]
        self.protocol = protocol
        self.about = SpecForm(ABOUT_FIELDS, texts_of(ABOUT_FIELDS, body, ABOUT), ABOUT, self.address)
        options = body.get("options") if isinstance(body.get("options"), dict) else {}
        fields = protocol.all_option_fields
        self.options = SpecForm(fields, texts_of(fields, options or {}, OPTION), OPTION, self.address)
        bodies = questions_in(body)
        self.questions = [
            QuestionPart(protocol, bodies[:number], one, self.address) for number, one in enumerate(bodies)
        ]
        if self.step.is_new and self.step.at is not None:
            self.questions[self.step.at].form.focus("text")
        self.general = place_problems(problems or (), self.about, self.options, self.questions)
        self.problem_count = len(problems or ())

    @property
    def is_unsaved(self) -> bool:
        """Whether the page shows something else than the draft that it began with."""
        return state_of_body(self.body) != self.since

    @property
    def types(self) -> list[tuple[str, str]]:
        """The types of questions that can be added."""
        return [(one.key, one.label or one.key) for one in question_types().values() if self.protocol.asks(one)]

    @property
    def cards(self) -> list[dict[str, Any]]:
        """The questions with whether each is unfolded, and whether it can move."""
        last, step = len(self.questions) - 1, self.step
        return [
            {
                "part": part,
                "is_open": last < FEW or part.number == step.at or bool(part.form.errors or part.general),
                "is_moved": part.number == step.at and not step.is_new,
                "is_first": part.number == 0,
                "is_last": part.number == last,
                "main": part.form.only("text", *part.own_keys),
                "more": part.form.only(*MORE),
                "has_more_errors": any(field.errors for field in part.form.only(*MORE)),
            }
            for part in self.questions
        ]  # fmt: skip
