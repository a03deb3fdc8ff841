"""Random names that files and reports show instead of people's own."""

import secrets
import string
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Rater, Reviewer, Study

LETTERS, TRIES = 8, 20
Named = TypeVar("Named", Rater, Reviewer)


def named_row(
    model: type[Named], kind: str, study: Study, person: Person, new: Callable[[], Mapping[str, Any]] = dict
) -> Named:
    """Return the person's row of `model` in the study; create it if needed, with a name such as `rater-kqzvdmwa`.

    `new` gives more fields of a row that is created.
    """
    rows = model._default_manager.filter(study=study, person=person)
    known = rows.first()
    for _ in range(TRIES):
        if known is not None:
            return known
        name = f"{kind}-" + "".join(secrets.choice(string.ascii_lowercase) for _ in range(LETTERS))
        try:
            with transaction.atomic():
                made: Named = model._default_manager.create(study=study, person=person, name=name, **new())
                record(f"{kind} named", name, actor=person, study=study.slug)
                return made
        except IntegrityError:  # the name is taken, or another request was faster
            known = rows.first()
    raise RuntimeError(f"No free name for a {kind} was found in {study.slug}.")
