"""Makes a study from what another tool's files say: items, questions, and lines of ratings and scores."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.importing.import_problems import FieldInvalidError, FileProblems, quoted
from annotation.importing.other_tools.field_roles import FieldRoles, ItemParts, parts_of
from annotation.importing.other_tools.findings import HUMAN, AnswerKind, Findings, FoundAnswer
from annotation.importing.other_tools.question_plans import (
    QuestionPlan,
    QuestionUnclearError,
    plan_of_study,
    planned,
    values_of,
)
from annotation.importing.study_file import StudyFile
from annotation.protocols.listwise import PROTOCOL as LISTS
from annotation.protocols.pairwise import PROTOCOL as PAIRS
from annotation.protocols.rating import PROTOCOL as SINGLE
from annotation.questions.best_worst import QUESTION_TYPE as BEST_WORST
from annotation.questions.preference import QUESTION_TYPE as PREFERENCE
from annotation.questions.preference import TIE
from annotation.questions.rank import QUESTION_TYPE as RANK
from annotation.questions.spans import QUESTION_TYPE as SPANS
from annotation.questions.text import QUESTION_TYPE as TEXT
from config.text_validation import TextRefusedError, check_id, given

PAIRWISE, LISTWISE, RATING = PAIRS.key, LISTS.key, SINGLE.key
SIDES = ("left", "right")
COMPARING = frozenset({AnswerKind.PAIR, AnswerKind.RANKING})
NOTE = {"key": "note", "type": TEXT.key, "text": "Anything to add?", "required": False, "per": "output"}
"""A study that marks spans must also ask something about each output."""
COMPARE = (RANK.key, PREFERENCE.key, SPANS.key, BEST_WORST.key)
"""Types of questions that are asked about all texts of a record at once."""
Line = dict[str, Any]


@dataclass
class MadeStudy:
    """The body of a study file, the lines of the tables, and what was understood."""

    body: dict[str, Any]
    items: list[Line] = field(default_factory=list)
    ratings: list[Line] = field(default_factory=list)
    scores: list[Line] = field(default_factory=list)
    plans: list[QuestionPlan] = field(default_factory=list)


class StudyMaker:
    """Makes the study of some findings. `problems` are those of the files, by name."""

    def __init__(
        self, found: Findings, roles: FieldRoles, study: StudyFile | None, problems: Mapping[str, FileProblems]
    ) -> None:
        self.found, self.roles, self.study, self.problems = found, roles, study, problems
        self.by_question: dict[str, list[FoundAnswer]] = defaultdict(list)
        for answer in found.answers:
            self.by_question[answer.question].append(answer)
        self.protocol = self._protocol()
        self.one_output = not {answer.kind for answer in found.answers} & COMPARING
        self.parts: dict[str, ItemParts] = {}

    def make(self, slug: str) -> MadeStudy:
        """Return the study; what does not fit becomes a problem of its file."""
        made = MadeStudy({"slug": slug, "title": slug, "protocol": self.protocol})
        made.items = list(self._items())
        raters: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        for name, answers in self.by_question.items():
            plan = self._plan(name, answers)
            if plan is None:
                continue
            made.plans.append(plan)
            for answer in answers:
                for line in self._lines(plan, answer):
                    (made.ratings if answer.rater_kind == HUMAN else made.scores).append(line)
                    if answer.rater_kind == HUMAN:
                        raters[plan.key, answer.record, answer.about].add(answer.rater)
        made.body |= {
            "redundancy": min(max(map(len, raters.values()), default=1), 1000),
            "questions": [dict(plan.body) for plan in made.plans],
        }
        if made.plans and {plan.type for plan in made.plans} == {SPANS.key}:
            made.body["questions"].append(NOTE)
        return made

    def _protocol(self) -> str:
        if self.study is not None:
            return self.study.protocol.key
        kinds = {answer.kind for answer in self.found.answers}
        if AnswerKind.PAIR in kinds:
            return PAIRWISE
        return LISTWISE if kinds & {AnswerKind.RANKING, AnswerKind.SPANS} else RATING

    def _items(self) -> Iterator[Line]:
        for record in self.found.records.values():
            parts = parts_of(record, self.roles, self.one_output)
            if not parts.outputs:
                self._whole(f"record {record.id}", "has no text to judge: name its file of texts, or its field")
                continue
            try:
                for key in (record.id, *parts.outputs):
                    check_id(key, "id")
            except TextRefusedError as problem:
                self._whole(f"record {record.id[:60]}", problem.reason)
                continue
            self.parts[record.id] = parts
            metadata = {**record.metadata, **parts.others}
            yield given(
                {
                    "id": record.id,
                    "document": parts.document,
                    "instruction": parts.instruction,
                    "outputs": [{"id": name, "text": text} for name, text in parts.outputs.items()],
                    "metadata": metadata or None,
                }
            )

    def _whole(self, place: str, reason: str) -> None:
        next(iter(self.problems.values())).add(0, place, reason)

    def _plan(self, name: str, answers: Sequence[FoundAnswer]) -> QuestionPlan | None:
        """The question's plan; None if it has no counterpart here, which is counted, or is unclear, a problem."""
        first = answers[0]
        if self.study is not None:
            known = {question.key: question for question in self.study.questions}
            if name not in known:
                self.found.left_out[f"answers to {name!r}, which the study does not ask"] += len(answers)
                return None
            return plan_of_study(known[name])
        fits = [answer for answer in answers if self._fits(answer)]
        if len(fits) < len(answers):
            kind = next(answer for answer in answers if not self._fits(answer)).kind.value
            self.found.left_out[f"answers to {name!r} ({kind}), which {self.protocol} studies do not ask"] += len(
                answers
            ) - len(fits)
        if not fits:
            return None
        try:
            plan = planned(name, fits, self.found)
        except QuestionUnclearError as problem:
            self.problems[first.file].add(first.line, f"question {quoted(name)}", str(problem))
            return None
        if self.protocol == RATING:
            return plan
        per = "output" if all(self._output(answer) for answer in fits) else "task"
        own = {"per": per} if plan.type not in COMPARE else {}
        return QuestionPlan(plan.key, plan.type, {**plan.body, **own})

    def _fits(self, answer: FoundAnswer) -> bool:
        kind = answer.kind
        if kind is AnswerKind.PAIR:
            return self.protocol == PAIRWISE
        if kind is AnswerKind.RANKING:
            return self.protocol == LISTWISE
        return kind is not AnswerKind.SPANS or self.protocol == LISTWISE

    def _output(self, answer: FoundAnswer) -> str | None:
        """The output that an answer is about, if it is about one."""
        parts = self.parts.get(answer.record)
        names = list(parts.outputs) if parts else []
        if answer.about in names:
            return answer.about
        return names[0] if len(names) == 1 else None

    def _lines(self, plan: QuestionPlan, answer: FoundAnswer) -> Iterator[Line]:
        parts = self.parts.get(answer.record)
        if parts is None or (self.study is None and not self._fits(answer)):
            return  # both are reported or counted already
        problems = self.problems[answer.file]
        try:
            check_id(answer.rater, "rater")
            unit, about = self._unit(plan, answer, parts)
            for value in values_of(plan, about, {key: parts.outputs[key] for key in unit["texts"]}, self.found):
                yield self._line(plan, about, unit["line"], value)
        except (FieldInvalidError, TextRefusedError) as problem:
            problems.add(answer.line, answer.place, problem.reason)

    def _unit(self, plan: QuestionPlan, answer: FoundAnswer, parts: ItemParts) -> tuple[dict[str, Any], FoundAnswer]:
        """What names the unit in a line, and the outputs it is about; the answer, with outputs for sides."""
        names, output = list(parts.outputs), self._output(answer)
        if self.protocol == RATING or (plan.body.get("per") == "output" and plan.type not in COMPARE):
            if output is None:
                raise FieldInvalidError("", f"is about one of {len(names)} texts: name the field that is judged")
            return {"line": {"output": output}, "texts": [output]}, answer
        if self.protocol == PAIRWISE:
            pair = answer.pair or (tuple(names) if len(names) == 2 else None)
            if pair is None:
                raise FieldInvalidError("", f"compares two texts, but the record has {len(names)}: name the two fields")
            return {"line": {"outputs": list(pair)}, "texts": list(pair)}, _sided(answer, pair)
        if self.protocol == LISTWISE:
            if answer.kind is AnswerKind.RANKING and (strange := set(answer.value) - set(names)):
                raise FieldInvalidError("", f"ranks {quoted(min(strange))}, which is no text of the record")
            return {"line": {}, "texts": names if output is None else [output]}, answer
        raise FieldInvalidError("", f"cannot be moved into a study of the protocol {self.protocol}")

    def _line(self, plan: QuestionPlan, answer: FoundAnswer, unit: Line, value: Any) -> Line:
        return given(
            {
                "item": answer.record,
                **unit,
                "rater": answer.rater,
                "rater_kind": None if answer.rater_kind == HUMAN else answer.rater_kind,
                "question": plan.key,
                "value": value,
                "explanation": answer.explanation,
                "seconds": answer.seconds,
                "submitted_at": answer.submitted_at,
                "shown": list(answer.pair) if answer.pair and "outputs" in unit else None,
                "metadata": None if answer.order is None else {"place": answer.order},
            }
        )


def _sided(answer: FoundAnswer, pair: Sequence[str]) -> FoundAnswer:
    """An answer whose value is an output, for one that names a side."""
    if answer.kind is not AnswerKind.PAIR or answer.value == TIE or answer.pair is not None:
        return answer
    place = SIDES.index(answer.value)
    return FoundAnswer(**{**answer.__dict__, "value": pair[place]})
