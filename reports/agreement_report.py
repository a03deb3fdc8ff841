"""The agreement report of a study, as docs/formats.md describes it: plain values, ready for JSON and for pages."""

from typing import Any

from agreement.report import ALPHAS, describe
from annotation.models import Item, Rater, Study
from annotation.questions import question_types
from reports import rows

REPLICATES = 1000
LONGEST_NUMBER = 9

Report = dict[str, Any]


class ChoiceInvalidError(ValueError):
    """Ratings that there are none of: of an unknown kind of rater, or under no version that there is."""


def agreement_report(
    study: Study,
    kinds: frozenset[str] = rows.PEOPLE,
    *,
    guidelines: int | str | None = None,
    replicates: int = REPLICATES,
) -> Report:
    """Every figure of every question. Answers on no level of measurement, such as texts, are counted only.

    Answers given under different versions of the guidelines answer different questions: people's ratings are
    those under the latest version that has any, under version `guidelines`, or, asked for by "all", under every
    one. The report's `guidelines` says which, and how many there are of each. Raises ChoiceInvalidError.
    """
    choice, said = choose(study, kinds, guidelines)
    types = question_types()
    questions: dict[str, Report] = {}
    for question in study.questions.order_by("position"):
        kind = types[question.type]
        if kind.level not in ALPHAS:
            questions[question.key] = {"level": kind.level, **rows.count(study, question, choice)}
            continue
        questions[question.key] = describe(
            rows.ratings(study, question, choice),
            level=kind.level,  # type: ignore[arg-type]
            scale=kind.scale(question.spec),
            replicates=replicates,
        )
    return {
        "study": study.slug,
        "protocol": study.protocol,
        "items": Item.objects.filter(study=study).count(),
        "kinds": sorted(kinds),
        "guidelines": said,
        "questions": questions,
    }


def choose(study: Study, kinds: frozenset[str], guidelines: int | str | None) -> tuple[rows.Choice, Report]:
    """Which ratings a report reads, and what it says about that; raises ChoiceInvalidError."""
    there = rows.versions(study, kinds)
    pooled = guidelines == "all"
    version = next(reversed(there), None) if guidelines is None or pooled else guidelines
    if guidelines is not None and not pooled and version not in there:
        raise ChoiceInvalidError(f"There are no ratings under version {guidelines} of the guidelines.")
    said = {
        "version": None if pooled else version,
        "pooled": pooled and len(there) > 1,
        "ratings": {"none" if number is None else str(number): count for number, count in there.items()},
    }
    return rows.Choice(kinds, version if isinstance(version, int) else None, pooled), said


def read_choice(kinds: str, guidelines: str | None) -> tuple[frozenset[str], int | str | None]:
    """Kinds of raters and the guidelines' version, as they are written; raises ChoiceInvalidError."""
    known = Rater.Kind.values
    chosen = frozenset(kinds.split(","))
    if not chosen <= set(known):
        raise ChoiceInvalidError(f"kinds takes {', '.join(known)}, with commas between.")
    if guidelines is None or guidelines == "all":
        return chosen, guidelines
    if not guidelines.isascii() or not guidelines.isdigit() or len(guidelines) > LONGEST_NUMBER:
        raise ChoiceInvalidError("guidelines takes the number of a version, or all.")
    return chosen, int(guidelines)
