"""MT-bench (FastChat): judgments by people and by models, of pairs and of single answers, and the files of texts.

A judgment of a pair by a model has two games, in which the answers change places. In which order people saw two
answers is not in any file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.questions.preference import TIE
from files.import_problems import FieldInvalidError, quoted
from parts.other_tools.findings import (
    HUMAN,
    MODEL,
    AnswerKind,
    Findings,
    FoundAnswer,
    FoundRecord,
    moment_text,
)
from parts.other_tools.other_tool import OtherTool
from parts.other_tools.tool_files import Body, ToolFile, ToolRecord, identifier, needed, optional

WINNER, SCORE = "winner", "score"
GAMES = ("g1", "g2")
FAILED = "error"
SIDES, MODELS = ("model_a", "model_b"), ("model_1", "model_2")
TIES = (TIE, "tie (inconsistent)", "tie (bothbad)", "inconsistent")
SCALE = (1, 10)
MODEL_JUDGE = "gpt"
"""How the name of a judge begins that is a model in a file which otherwise has people, such as gpt4_pair."""


@dataclass
class BenchTexts:
    """The turns of the questions and of the models' answers, by question."""

    questions: dict[str, list[str]] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)
    answers: dict[str, dict[str, list[str]]] = field(default_factory=dict)


class MTBench(OtherTool):
    key = "mt-bench"
    label = "MT-bench (judgments, question.jsonl, model_answer)"

    def recognises(self, file: ToolFile) -> bool:
        first = file.first
        return "question_id" in first and any(
            keys <= first.keys()
            for keys in (
                {*SIDES, WINNER},
                {*MODELS, "g1_winner"},
                {"model", SCORE, "turn"},
                {"model_id", "choices"},
                {"turns", "category"},
            )
        )

    def is_settings(self, file: ToolFile) -> bool:
        return "turns" in file.first or "choices" in file.first

    def read(self, file: ToolFile, found: Findings) -> None:
        for record in file.records:
            with file.problems_of(record):
                if "choices" in record.body:
                    _read_answer(record.body, found)
                elif "turns" in record.body:
                    _read_question(record.body, found)
                else:
                    _Judgment(file, record, found).read()


def _read_question(body: Body, found: Findings) -> None:
    texts, key = found.of_tool(BenchTexts), identifier(body.get("question_id"), "question_id")
    texts.questions[key] = _texts(body.get("turns"), "turns")
    if isinstance(body.get("category"), str):
        texts.categories[key] = body["category"]


def _read_answer(body: Body, found: Findings) -> None:
    key = identifier(body.get("question_id"), "question_id")
    model = identifier(body.get("model_id"), "model_id")
    choices = needed(body, "choices", list, "a list")
    if not choices or not isinstance(choices[0], dict):
        raise FieldInvalidError("choices", "must have an answer")
    answers = found.of_tool(BenchTexts).answers.setdefault(key, {})
    answers[model] = _texts(choices[0].get("turns"), "choices.0.turns")


def _texts(value: Any, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise FieldInvalidError(place, "must be a list of texts")
    return value


class _Judgment:
    """A line with the judgment of one pair, or of one answer, after a turn."""

    def __init__(self, file: ToolFile, record: ToolRecord, found: Findings) -> None:
        self.file, self.record, self.found, self.body = file, record, found, record.body
        self.question = identifier(self.body.get("question_id"), "question_id")
        self.turn = optional(self.body, "turn", int, "a whole number") or 1
        if not 1 <= self.turn <= 100:
            raise FieldInvalidError("turn", "must be 1 or more")
        self.item = f"{self.question}-turn-{self.turn}"

    def read(self) -> None:
        if "g1_winner" in self.body:
            self._games()
        elif WINNER in self.body:
            self._comparison()
        else:
            self._score()

    def _comparison(self) -> None:
        """One decision about two answers, as people's files have it."""
        pair = self._pair(SIDES)
        winner = self.body.get(WINNER)
        if pair is None or winner == FAILED:
            self.found.left_out["judgments without a result"] += int(winner == FAILED)
            return
        if winner == "tie (inconsistent)":
            self.found.left_out["ties of two games that contradict each other"] += 1
        better = self._better(winner, SIDES, pair, WINNER)
        rater, kind = self._judge()
        self._add(WINNER, AnswerKind.PAIR, better, WINNER, rater, kind, pair=pair, is_order_known=False)

    def _games(self) -> None:
        """Two games of a model, the second with the answers in the other order."""
        pair = self._pair(MODELS)
        if pair is None:
            return
        rater, kind = self._judge()
        for game, shown in zip(GAMES, (pair, pair[::-1]), strict=True):
            winner = self.body.get(f"{game}_winner")
            if winner == FAILED or winner is None:
                self.found.left_out["judgments without a result"] += 1
                continue
            better = self._better(winner, MODELS, pair, f"{game}_winner")
            reason = self.body.get(f"{game}_judgment")
            self._add(
                WINNER,
                AnswerKind.PAIR,
                better,
                f"{game}_winner",
                rater,
                kind,
                pair=shown,
                explanation=reason if isinstance(reason, str) else None,
            )

    def _score(self) -> None:
        model = identifier(self.body.get("model"), "model")
        score = needed(self.body, SCORE, (int, float), "a number")
        self._item({model: self.body.get("conversation")})
        if score == -1:
            self.found.left_out["judgments without a result"] += 1
            return
        rater, kind = self._judge()
        shape = AnswerKind.STEP if isinstance(score, int) else AnswerKind.NUMBER
        self.found.scales[SCORE] = SCALE
        reason = self.body.get("judgment")
        self._add(
            SCORE,
            shape,
            score,
            SCORE,
            rater,
            kind,
            about=model,
            explanation=reason if isinstance(reason, str) else None,
        )

    def _pair(self, keys: tuple[str, str]) -> tuple[str, str] | None:
        """The two models; None for a model compared with itself."""
        one, other = (identifier(self.body.get(key), key) for key in keys)
        if one == other:
            self.found.left_out["comparisons of a model with itself"] += 1
            return None
        self._item({one: self.body.get("conversation_a"), other: self.body.get("conversation_b")})
        return one, other

    def _better(self, winner: Any, names: tuple[str, str], pair: tuple[str, str], place: str) -> str:
        if winner in names:
            return pair[names.index(winner)]
        if winner in TIES:
            return TIE
        raise FieldInvalidError(place, f"must be {names[0]}, {names[1]} or tie, not {quoted(winner)}")

    def _judge(self) -> tuple[str, str]:
        """Who judged: a model, listed with the name of its prompt, or a person."""
        judge = self.body.get("judge")
        if isinstance(judge, list) and judge:
            return identifier(judge[0], "judge.0"), MODEL
        name = identifier(judge, "judge")
        return name, MODEL if name.startswith(MODEL_JUDGE) else HUMAN

    def _item(self, conversations: Mapping[str, Any]) -> None:
        """Add the item with the answers of models, from conversations or from the files of answers."""
        known = self.found.of_tool(BenchTexts)
        instruction, outputs = self._instruction(known.questions.get(self.question, [])), {}
        for model, conversation in conversations.items():
            turns = known.answers.get(self.question, {}).get(model)
            if conversation is not None:
                asked, outputs[model] = self._said(conversation)
                instruction = instruction or asked
            elif turns is not None and len(turns) >= self.turn:
                outputs[model] = self._answers(known.questions.get(self.question, []), turns)
            else:
                reason = (
                    f"has no text of {quoted(model)}: give question.jsonl and the model's file of model_answer, too"
                )
                raise FieldInvalidError("", reason)
        category = known.categories.get(self.question)
        more = {"category": category} if category else {}
        metadata = {"question_id": self.body["question_id"], "turn": self.turn, **more}
        self.found.add_record(FoundRecord(self.item, {}, metadata, outputs, instruction), "conversation")

    def _instruction(self, turns: list[str]) -> str:
        return turns[0] if turns else ""

    def _answers(self, asked: list[str], turns: list[str]) -> str:
        """What a model answered up to the turn: its first answer alone, or with what was asked between."""
        parts = [turns[0]]
        for place in range(1, self.turn):
            parts += [f"User:\n{asked[place] if place < len(asked) else ''}", f"Assistant:\n{turns[place]}"]
        return "\n\n".join(parts)

    def _said(self, conversation: Any) -> tuple[str, str]:
        """The first question of a conversation, and what was answered up to the turn."""
        by_role: dict[str, list[str]] = {"user": [], "assistant": []}
        for place, one in enumerate(conversation if isinstance(conversation, list) else [None]):
            if (
                not isinstance(one, dict)
                or one.get("role") not in list(by_role)
                or not isinstance(one.get("content"), str)
            ):
                reason = "must be an object with a role, user or assistant, and a text as content"
                raise FieldInvalidError(f"conversation.{place}", reason)
            by_role[one["role"]].append(one["content"])
        if len(by_role["assistant"]) < self.turn:
            raise FieldInvalidError("turn", f"is {self.turn}, but the conversation has fewer answers")
        return self._instruction(by_role["user"]), self._answers(by_role["user"], by_role["assistant"])

    def _add(
        self, question: str, kind: AnswerKind, value: Any, place: str, rater: str, rater_kind: str, **more: Any
    ) -> None:
        name = ".".join(filter(None, (self.record.name, place)))
        at = moment_text(self.body.get("tstamp"), "tstamp")
        judge = self.body.get("judge")
        prompt = {"prompt": judge[1]} if isinstance(judge, list) and len(judge) > 1 else {}
        self.found.answers.append(
            FoundAnswer(
                self.file.name,
                self.record.line,
                name,
                self.item,
                rater,
                question,
                kind,
                value,
                rater_kind=rater_kind,
                submitted_at=at,
                metadata=prompt,
                **more,
            )
        )


TOOL = MTBench()
