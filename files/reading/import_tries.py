"""What the audit keeps of files that were checked for a blinded study, or refused: guesses leave a trace."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from files.import_problems import ImportRefusedError

CHECKED, REFUSED = "import checked", "import refused"


def record_try(
    study: Study,
    actor: Person | None,
    via: str,
    digests: Mapping[str, str],
    refused: ImportRefusedError | None,
    *,
    is_dry: bool = False,
) -> None:
    """Record that files were checked for a study, or refused: how many problems, and where the first is, not its text.

    What is wrong with a line may repeat names of people, which nobody could erase from the audit.
    """
    new: dict[str, Any] = {**({"via": via} if via else {}), **({"sha256": dict(digests)} if digests else {})}
    if refused is not None:
        first = refused.problems[0]
        new |= {"problems": len(refused.problems) + refused.more, "line": first.line, "field": first.field[:80]}
    with transaction.atomic():
        record(CHECKED if is_dry else REFUSED, study.slug, actor=actor, study=study.slug, new=new)
