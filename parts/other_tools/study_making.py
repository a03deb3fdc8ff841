"""Makes a study from what another tool's files say: items, questions, and lines of ratings and scores."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.protocols.listwise import PROTOCOL as LISTS
from annotation.protocols.pairwise import PROTOCOL as PAIRS
from annotation.protocols.rating import PROTOCOL as SINGLE
from annotation.questions.best_worst import QUESTION_TYPE as BEST_WORST
from annotation.questions.preference import QUESTION_TYPE as PREFERENCE
from annotation.questions.rank import QUESTION_TYPE as RANK
from annotation.questions.spans import QUESTION_TYPE as SPANS
from annotation.questions.text import QUESTION_TYPE as TEXT
from config.text_validation import TextRefusedError, check_id, given
from files.import_problems import FieldInvalidError, FileProblems, quoted
from files.reading.study_file import StudyFile
from parts.other_tools.conversion_choices import OUTPUTS, SHOWS, AskedChoice
from parts.other_tools.field_roles import ItemParts, parts_of
from parts.other_tools.findings import HUMAN, AnswerKind, Findings, FoundAnswer
from parts.other_tools.found_answers import answers_by_question, fields_named, settle_texts
from parts.other_tools.question_plans import (
    QuestionPlan,
    QuestionUnclearError,
    plan_of_study,
    planned,
    values_of,
)
from parts.other_tools.shown_example import ShownExample, example_of

PAIRWISE, LISTWISE, RATING = PAIRS.key, LISTS.key, SINGLE.key
COMPARING = frozenset({AnswerKind.PAIR, AnswerKind.RANKING, AnswerKind.EXTREMES})
NOTE = {"key": "note", "type": TEXT.key, "text": "Anything to add?", "required": False, "per": "output"}
"""What a study of lists asks if nothing else is about each output; to mark spans is not enough."""
COMPARE = (RANK.key, PREFERENCE.key, SPANS.key, BEST_WORST.key)
"""Types of questions that are asked about all texts of a record at once."""
UNKNOWN_ORDER: list[str] = []
Line = dict[str, Any]


@dataclass
class MadeStudy:
    """The body of a study file, the lines of the tables, and what was understood."""

    body: dict[str, Any]
    items: list[Line] = field(default_factory=list)
    ratings: list[Line] = field(default_factory=list)
    scores: list[Line] = field(default_factory=list)
    plans: list[QuestionPlan] = field(default_factory=list)
    example: ShownExample | None = None


@dataclass(frozen=True)
class UnitNames:
    """What names a unit in a line, and the outputs that it has."""

    line: Line
    outputs: Sequence[str]


class StudyMaker:
    """Makes the study of some findings. `problems` are those of the files, by name."""

    def __init__(self, found: Findings, study: StudyFile | None, problems: Mapping[str, FileProblems]) -> None:
        self.found, self.study, self.problems = found, study, problems
        settle_texts(found)
        kinds = {answer.kind for answer in found.answers}
        self.protocol = study.protocol.key if study is not None else _protocol(kinds)
        self.one_output = not kinds & COMPARING
        self.parts: dict[str, ItemParts] = {}

    def make(self, slug: str) -> MadeStudy:
        """Return the study; what does not fit becomes a problem of its file."""
        made = MadeStudy({"slug": slug, "title": slug, "protocol": self.protocol})
        made.items = list(self._items(fields_named(self.found)))
        raters: dict[tuple[Any, ...], set[str]] = defaultdict(set)
        of_output = [answer for answer in self.found.answers if self._is_judged(answer)]
        by_question = answers_by_question(self.found, of_output, self.problems, self.protocol == PAIRWISE)
        for name, answers in by_question.items():
            plan = self._plan(name, answers)
            if plan is None:
                continue
            made.plans.append(plan)
            for answer in answers:
                for line in self._lines(plan, answer):
                    (made.ratings if answer.rater_kind == HUMAN else made.scores).append(line)
                    if answer.rater_kind == HUMAN:
                        raters[plan.key, answer.record, answer.about, answer.pair].add(answer.rater)
        made.body |= {
            "redundancy": min(max(map(len, raters.values()), default=1), 1000),
            "questions": [dict(plan.body) for plan in made.plans],
        }
        if self.protocol == LISTWISE and made.plans and not any(map(_is_of_outputs, made.plans)):
            made.body["questions"].append(NOTE)
        made.example = example_of(by_question, self.parts)
        return made

    def _is_judged(self, answer: FoundAnswer) -> bool:
        """Whether an answer is about an output, or about none by itself; one about another text is counted."""
        parts = self.parts.get(answer.record)
        if answer.about is None or parts is None or answer.about in parts.outputs:
            return True
        self.found.left_out[f"answers about {answer.about!r}, which is not judged"] += 1
        return False

    def _items(self, judged: set[str]) -> Iterator[Line]:
        for record in self.found.records.values():
            parts = parts_of(record, self.found.told.roles, judged, self.one_output)
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
        about = [self._output(answer) is not None for answer in fits]
        if any(answer.about for answer in fits) and not all(about) and plan.type != SPANS.key:
            reason = "is about one text in some answers and about all texts in others"
            self.problems[first.file].add(first.line, f"question {quoted(name)}", reason)
            return None
        per = "output" if all(about) else "task"
        own = {"per": per} if plan.type not in COMPARE else {}
        return QuestionPlan(plan.key, plan.type, {**plan.body, **own})

    def _fits(self, answer: FoundAnswer) -> bool:
        kind = answer.kind
        if kind is AnswerKind.PAIR:
            return self.protocol == PAIRWISE
        if kind in (AnswerKind.RANKING, AnswerKind.EXTREMES):
            return self.protocol == LISTWISE
        return kind is not AnswerKind.SPANS or self.protocol == LISTWISE

    def _output(self, answer: FoundAnswer) -> str | None:
        """The output that an answer is about, if it is about one."""
        parts = self.parts.get(answer.record)
        names = list(parts.outputs) if parts else []
        if answer.about is not None:
            return answer.about
        return names[0] if len(names) == 1 else None

    def _lines(self, plan: QuestionPlan, answer: FoundAnswer) -> Iterator[Line]:
        parts = self.parts.get(answer.record)
        if parts is None or (self.study is None and not self._fits(answer)):
            return  # both are reported or counted already
        problems = self.problems[answer.file]
        try:
            check_id(answer.rater, "rater")
            unit = self._unit(plan, answer, parts)
            if unit is None:
                return
            for value in values_of(plan, answer, {key: parts.outputs[key] for key in unit.outputs}, self.found):
                yield self._line(plan, answer, unit.line, value)
        except (FieldInvalidError, TextRefusedError) as problem:
            problems.add(answer.line, answer.place, problem.reason)

    def _unit(self, plan: QuestionPlan, answer: FoundAnswer, parts: ItemParts) -> UnitNames | None:
        """The unit of an answer; None if a person has to say which it is."""
        names, output = list(parts.outputs), self._output(answer)
        if self.protocol == RATING or (plan.body.get("per") == "output" and plan.type not in COMPARE):
            if output is None:
                self._ask_text(answer, names)
                return None
            return UnitNames({"output": output}, [output])
        if self.protocol == PAIRWISE:
            pair = answer.pair or (tuple(names) if len(names) == 2 else None)
            if pair is None:
                reason = f"compares two texts, but the record has {len(names)}: name the two fields"
                self.found.ask(AskedChoice(OUTPUTS, "", tuple(names), reason, answer.file, answer.line, answer.place))
                return None
            shown = list(pair) if answer.pair and answer.is_order_known else UNKNOWN_ORDER
            return UnitNames({"outputs": list(pair), "shown": shown}, list(pair))
        if self.protocol == LISTWISE:
            if output is None and plan.type == SPANS.key:
                self._ask_text(answer, names)
                return None
            return UnitNames({}, names if output is None else [output])
        raise FieldInvalidError("", f"cannot be moved into a study of the protocol {self.protocol}")

    def _ask_text(self, answer: FoundAnswer, names: Sequence[str]) -> None:
        """Ask which text the question of an answer is about."""
        reason = f"is about one of {len(names)} texts: name the field that is judged"
        place = (answer.file, answer.line, answer.place)
        self.found.ask(AskedChoice(SHOWS, answer.question, tuple(names), reason, *place))

    def _line(self, plan: QuestionPlan, answer: FoundAnswer, unit: Line, value: Any) -> Line:
        return given(
            {
                "item": answer.record,
                **unit,
                "rater": answer.rater,
                "rater_kind": None if answer.rater_kind == HUMAN else answer.rater_kind,
                "question": plan.key,
                "value": value,
                "distribution": answer.distribution,
                "explanation": answer.explanation,
                "seconds": answer.seconds,
                "submitted_at": answer.submitted_at,
                "metadata": given({"place": answer.order, **answer.metadata}) or None,
            }
        )


def _is_of_outputs(plan: QuestionPlan) -> bool:
    """Whether a study of lists may have this question alone."""
    return plan.type in (RANK.key, BEST_WORST.key) or plan.body.get("per") == "output"


def _protocol(kinds: set[AnswerKind]) -> str:
    if AnswerKind.PAIR in kinds:
        return PAIRWISE
    return LISTWISE if kinds & {AnswerKind.RANKING, AnswerKind.EXTREMES, AnswerKind.SPANS} else RATING
