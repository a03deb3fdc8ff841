"""The answers with which the demo starts: made up, the same at every start, and submitted as annotators submit theirs.

Each annotator sees an output's merit (`demo/merits.yaml`) a little differently. A fifth of the places stays open.
"""

import hashlib
from collections.abc import Callable, Mapping

import yaml
from django.conf import settings

from accounts.models import Person
from annotation.desk.assigning import next_assignment, release_held_by
from annotation.desk.submitting import Submission, sheet_of, submit
from annotation.members.membership import rater_for
from annotation.models import Slot, Study
from annotation.protocols import Form
from annotation.studies.locking import lock_rater

MERITS = settings.BASE_DIR / "demo" / "merits.yaml"
ANSWERED = 4 / 5
GUIDELINES = 1
REMARKS = {
    1: "It does something else than was asked.",
    2: "An essential part is missing.",
    5: "Exactly what was asked for.",
}
REASON = "The first one does all that the requirement asks for, and the last one leaves out the most of it."
Merits = Mapping[str, int]
"""The merit of each output shown, by letter, as one annotator sees it."""


def rating_form(merits: Merits) -> Form:
    (merit,) = merits.values()
    form = {"q-follows": ["true" if merit > 2 else "false"], "q-how_well": [str(merit)]}
    return {**form, "q-comment": [REMARKS[merit]]} if merit in REMARKS else form


def pairwise_form(merits: Merits) -> Form:
    best = max(merits.values())
    winners = [letter for letter, merit in merits.items() if merit == best]
    return {"q-better": winners if len(winners) == 1 else ["tie"]}


def listwise_form(merits: Merits) -> Form:
    tiers = sorted(set(merits.values()), reverse=True)
    ranks = {letter: str(1 + tiers.index(merit)) for letter, merit in merits.items()}
    dimensions = ("overall", "missing", "irrelevant", "factual")
    ranked = {f"q-{key}-{letter}": [rank] for key in dimensions for letter, rank in ranks.items()}
    return {**ranked, **{f"q-errors-{letter}": ["none"] for letter in ranks}, "q-reason": [REASON]}


FORMS: Mapping[str, Callable[[Merits], Form]] = {
    "demo-rating": rating_form,
    "demo-pairwise": pairwise_form,
    "demo-listwise": listwise_form,
}
"""How the annotators of each study answer; sessions are left to visitors, as they need a model."""


def answer_demo(study: Study, annotators: list[Person]) -> None:
    """Answer four fifths of the study's places in the caller's transaction, about as many per annotator."""
    form_of = FORMS.get(study.slug)
    if form_of is None:
        return
    merits = yaml.safe_load(MERITS.read_text(encoding="utf-8"))[study.slug]
    left = int(ANSWERED * Slot.objects.filter(study=study).count())
    raters = [rater_for(study, person) for person in annotators]
    for number in range(left):
        rater = raters[number % len(raters)]
        task = next_assignment(study, rater)
        if task is None:
            break
        item, place = task.task.item.key, annotators[number % len(annotators)].username
        seen = {
            output.letter: _seen(merits[item][output.key], place, item, output.key) for output in sheet_of(task).outputs
        }
        submit(task, Submission(form_of(seen), 0, GUIDELINES))
    for rater in raters:
        release_held_by(study, lock_rater(rater.pk), "the demo is ready")


def _seen(merit: int, *place: str) -> int:
    """The merit as somebody sees it: one step lower or higher in two of seven cases."""
    step = {0: -1, 1: 1}.get(int.from_bytes(hashlib.sha256("/".join(place).encode()).digest()[:4]) % 7, 0)
    return min(5, max(1, merit + step))
