"""Names in a message that would tell one side of a thread who the other is, or what raters must not know.

Nothing is refused: who writes is asked once, and sends the same text again if they mean it.
"""

import hashlib
import re
from collections.abc import Collection

from annotation.blinding import names_of
from annotation.erasing import all_erasing
from annotation.models import Item, Output, Rater, Study

LEAST = 3
"""Characters of a name that is looked for: shorter ones are in too many words."""
ITEMS = 200
"""How many items are read for systems' names, beside those that the study describes."""


def named_by_researcher(study: Study, rater: Rater, text: str) -> list[str]:
    """Return the systems and other raters that a researcher names, as researchers see them called now.

    While the study is blinded these are codes: a warning must not confirm a guess.
    """
    names = names_of(study)
    items = Item.objects.filter(study=study).order_by("pk")[:ITEMS]
    keys = {*study.systems, *Output.objects.filter(item__in=items.values("pk")).values_list("key", flat=True)}
    models = () if names.are_codes else (one.get("model", "") for one in study.systems.values())
    others = Rater.objects.filter(study=study).exclude(pk=rater.pk).values_list("name", flat=True)
    return _found(text, {*(str(names.shown(key)) for key in keys), *models, *others})


def named_by_rater(rater: Rater, text: str) -> list[str]:
    """Return the names and addresses of the rater's own person that they write."""
    person = rater.person
    if person is None:
        return []
    known = {person.username, person.email, person.full_name, *person.full_name.split()}
    for erasing in all_erasing():
        known |= set(erasing.more_names(person, rater.study))
    return _found(text, known)


def mark_of_text(text: str) -> str:
    """Return the mark of a text that was asked about: with another text, it is asked again."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _found(text: str, names: Collection[str]) -> list[str]:
    """Return the names that are in the text as whole words, whatever their case."""
    lower = text.casefold()
    return sorted(
        name for name in names
        if len(name) >= LEAST and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", lower)
    )  # fmt: skip
