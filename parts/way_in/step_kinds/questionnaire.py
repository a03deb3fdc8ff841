"""A background questionnaire: optional questions about the person, reported in aggregate only (riSum, Table 6)."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from random import Random
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_noop

from annotation.models import Rater, Study
from files.import_problems import FieldInvalidError
from parts.way_in.entry_step import DeclaredIn, EntryStep, EntryStepKind
from parts.way_in.passing import PASSED, begin, end
from parts.way_in.personal_questions import keep_replies, question_problems, read_replies
from parts.way_in.step_fields import INTRO, StepField
from parts.way_in.step_kinds.screen import intro_problems
from parts.way_in.synthetic_replies import synthetic_replies

QUESTIONS_HELP = "YAML, one block per question: key, text, choices, and multiple: true for several answers."


class QuestionnaireStep(EntryStepKind):
    key = "questionnaire"
    label = gettext_noop("About you")
    about = "People may answer questions about themselves; researchers see counts of groups, never single answers."
    spec_keys = frozenset({"intro", "questions"})
    fields = (
        INTRO,
        StepField(
            "questions", "Questions", QUESTIONS_HELP, kind="yaml", required=True,
        ),
    )  # fmt: skip
    asks_people = True

    def problems(self, body: Mapping[str, Any], place: str, within: DeclaredIn) -> Iterator[FieldInvalidError]:
        yield from intro_problems(body, place)
        found = list(question_problems(body, place))
        yield from found
        if not found:
            for question in body["questions"]:
                if not question.get("choices"):
                    here = f"{place}: question {question['key']}"
                    yield FieldInvalidError(here, "needs choices, because answers are only counted")

    def context(self, step: EntryStep, study: Study, form: QueryDict | None) -> dict[str, Any]:
        return {"intro": step.option("intro", "")}

    def synthetic_form(self, step: EntryStep, accuracy: float, random: Random) -> dict[str, Any]:
        return synthetic_replies(step.body["questions"], 0.0, random)

    def take(self, step: EntryStep, rater: Rater, form: QueryDict, now: datetime) -> None:
        keep_replies(rater, step.key, read_replies(step.body["questions"], form, required=False), now)
        end(begin(rater, step.key, now), PASSED, now, actor=rater.person)


ENTRY_STEP = QuestionnaireStep()
