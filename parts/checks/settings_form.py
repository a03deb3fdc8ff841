"""The page of hidden checks: settings as fields, and posted fields as the part of the study file that they stand for.

Nothing is checked here. What a field does not say well reaches the validator of the file as it was typed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import QueryDict

from annotation.models import Question
from parts.checks.damaging import DAMAGES
from parts.checks.models import FIGURE_TITLES
from parts.checks.settings import ABOVE, ACTIONS, AFTER, FIRST_CLAIM, KINDS, MODELS

Settings = Mapping[str, Any]
ABOUT = {
    "gold": "A copy of an item of the pool attention, whose answer is known.",
    "twins": "A task that the rater has answered, with one output damaged. It should be found worse than before.",
    "repeats": "A task that the rater has answered, once more. The answers should be the same.",
}
DAMAGE_WORDS = {"shuffle": "sentences in another order", "other": "the output of another item", "cut": "cut short"}
RULE_WORDS = {"pause": "pause the rater", "ask": "ask a researcher"}
RULE = ("figure", "than", "of", "do")
"""The fields of a rule; `than` is its `below` or `above`, as its figure has it."""
NEW_RULE = {"figure": "gold", "below": 0.6, "of": 10, "do": "ask"}


def fields_of(checks: Settings | None, questions: Sequence[Question]) -> dict[str, Any]:
    """What the page shows of settings, which may be as wrong as somebody typed them."""
    given: Settings = checks or {}
    return {
        "first": given.get("first", ""), "usual_first": FIRST_CLAIM, "usual_after": AFTER,
        "kinds": [_kind(kind, given.get(kind), questions) for kind in KINDS],
        "tolerances": [
            {"key": one.key, "title": one.text or one.key, "value": given.get("tolerance", {}).get(one.key, "")}
            for one in questions
        ],
        "rules": [
            {**{name: rule.get(name, "") for name in RULE}, "than": than_of(rule), "number": number}
            for number, rule in enumerate(given.get("rules", ()))
        ],
        "figures": [
            (one, f"{title} is {'above' if one in ABOVE else 'below'}") for one, title in FIGURE_TITLES.items()
        ],
        "actions": [(action, RULE_WORDS[action]) for action in ACTIONS],
    }  # fmt: skip


def _kind(kind: str, given: Settings | None, questions: Sequence[Question]) -> dict[str, Any]:
    has, body = MODELS[kind].model_fields, given or {}
    damages = [(one, DAMAGE_WORDS.get(one, one), one in body.get("damage", ())) for one in DAMAGES]
    lower = [(one.key, one.text or one.key, one.key in body.get("lower_is_better", ())) for one in questions]
    telling = [(one.key, one.text or one.key, one.key in body.get("questions", ())) for one in questions]
    return {
        "key": kind, "title": FIGURE_TITLES[kind], "about": ABOUT[kind], "share": body.get("share", ""),
        "after": body.get("after", "") if "after" in has else None,
        "damages": damages if "damage" in has else [], "lower": lower if "lower_is_better" in has else [],
        "telling": telling if "questions" in has else [],
    }  # fmt: skip


def settings_in(form: QueryDict) -> dict[str, Any] | None:
    """The settings that a posted page stands for; None without any kind of check, which takes them out."""
    found: dict[str, Any] = {}
    if form.get("first", "").strip():
        found["first"] = _number(form.get("first", ""))
    for kind in KINDS:
        if form.get(f"{kind}-share", "").strip():
            found[kind] = _kind_in(form, kind)
    tolerance = {
        name.removeprefix("tolerance-"): _number(form.get(name, ""))
        for name in form
        if name.startswith("tolerance-") and form.get(name, "").strip()
    }
    found |= {"tolerance": tolerance} if tolerance else {}
    rules = rules_in(form)
    found |= {"rules": rules} if rules else {}
    return found or None


def _kind_in(form: QueryDict, kind: str) -> dict[str, Any]:
    body: dict[str, Any] = {"share": _number(form.get(f"{kind}-share", ""))}
    for name in MODELS[kind].model_fields:
        given = [one for one in form.getlist(f"{kind}-{name}") if one.strip()]
        if name in ("damage", "questions", "lower_is_better") and given:
            body[name] = given
        elif name == "after" and given:
            body[name] = _number(given[-1])
    return body


def rules_in(form: QueryDict) -> list[dict[str, Any]]:
    """The rules of a posted page, in their order."""
    columns = [form.getlist(f"rule-{name}") for name in RULE]
    return [
        {"figure": figure, "above" if figure in ABOVE else "below": _number(than), "of": _number(of), "do": do}
        for figure, than, of, do in zip(*columns, strict=False)
    ]


def than_of(rule: Mapping[str, Any]) -> Any:
    """What a rule's figure is compared with."""
    return rule.get("above", rule.get("below", ""))


def rearranged(settings: Settings | None, do: str) -> dict[str, Any]:
    """Return the settings with one more rule (`add`), or without rule number N (`remove-N`)."""
    given = dict(settings or {})
    rules = list(given.get("rules", ()))
    if do == "add":
        rules.append(dict(NEW_RULE))
    number = do.removeprefix("remove-")
    if do.startswith("remove-") and number.isascii() and number.isdigit() and int(number) < len(rules):
        del rules[int(number)]
    return {**given, "rules": rules}


def _number(text: str) -> Any:
    """A whole number, a number, or the text itself."""
    plain = text.strip().replace(",", ".")
    try:
        return int(plain) if plain.lstrip("-").isdigit() and len(plain) < 12 else float(plain)
    except ValueError:
        return text.strip()[:100]
