"""How an attempt at a qualification came out, rule by rule."""

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.models import Item, Question, Study
from annotation.protocols import protocols
from parts.way_in.gold_checks import alpha_against_gold, gold_of, is_numeric, is_right, pairs_of
from parts.way_in.models import PracticeAnswer, StepPassage


def checks_of(
    study: Study, questions: Sequence[Question], item: Item, shown: Sequence[str], answers: Mapping[str, Any],
    rules: Sequence[Mapping[str, Any]],
) -> dict[str, bool]:  # fmt: skip
    """Return {question: whether the answer is right} for the questions that the item has gold for."""
    per, gold, found = protocols()[study.protocol].asks_per, item.gold or {}, {}
    rule_of = {rule["question"]: rule for rule in rules}
    for question in questions:
        right = gold_of(question, gold, shown, per)
        if right is not None:
            found[question.key] = is_right(question, answers.get(question.key), right, rule_of.get(question.key, {}))
    return found


def rule_results(rules: Sequence[Mapping[str, Any]], passage: StepPassage) -> list[dict[str, Any]]:
    """Return for each rule: its question, right answers of how many, alpha if it asks for it, and whether it is met.

    Without `least` and `alpha` all answers must be right. Alpha that is undefined meets no rule unless all are right.
    """
    study = passage.rater.study
    questions = {question.key: question for question in study.questions.order_by("position")}
    answers = list(PracticeAnswer.objects.filter(passage=passage).select_related("item").order_by("number"))
    return [
        _result(study, questions[rule["question"]], rule, answers) for rule in rules if rule["question"] in questions
    ]


def _result(
    study: Study, question: Question, rule: Mapping[str, Any], answers: Sequence[PracticeAnswer]
) -> dict[str, Any]:
    per, pairs, right, of = protocols()[study.protocol].asks_per, [], 0, 0
    for answer in answers:
        gold = gold_of(question, answer.item.gold or {}, answer.shown, per)
        if gold is None:
            continue
        given = answer.answers.get(question.key)
        of, right = of + 1, right + is_right(question, given, gold, rule)
        pairs += pairs_of(given, gold)
    result: dict[str, Any] = {"question": question.key, "right": right, "of": of}
    met = of > 0
    if rule.get("alpha") is not None:
        alpha = alpha_against_gold(pairs, is_numeric(question))
        result["alpha"] = alpha
        met = met and (right == of if alpha is None else alpha >= rule["alpha"])
    if rule.get("least") is not None or rule.get("alpha") is None:
        met = met and right >= (of if rule.get("least") is None else rule["least"])
    return {**result, "met": met}
