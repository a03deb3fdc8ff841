"""Changes of the public link on its page: checked as in a study file, and written into the study."""

from typing import Any

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.importing.import_problems import FieldInvalidError
from annotation.models import Study
from annotation.studies.corrections import refuse_archived
from annotation.studies.locking import lock_study
from config.model_fields import canonical_json
from recruiting.crowds.link_settings import PUBLIC_LINK, checked_link


class LinkChangeRefusedError(Exception):
    """The link cannot be changed like this; the message is a sentence."""


def change_link(study: Study, changes: dict[str, Any], actor: Person) -> bool:
    """Make these keys the public link's, others stay; an empty text removes its key. False if nothing differs.

    How many people may come, and whether they may, is not a correction, so a locked study needs no reason.
    """
    with transaction.atomic():
        locked = lock_study(study.pk)
        refuse_archived(locked)
        old = locked.recruiting.get(PUBLIC_LINK) or {}
        body = {key: value for key, value in {**old, **changes}.items() if value != ""}
        try:
            checked_link(body, PUBLIC_LINK)
        except FieldInvalidError as problem:
            raise LinkChangeRefusedError(f"{problem.field} {problem.reason}.") from problem
        if canonical_json(old) == canonical_json(body):
            return False
        locked.recruiting = {**locked.recruiting, PUBLIC_LINK: body}
        locked.save(update_fields=["recruiting"])
        record(
            "public link changed", study.slug, actor=actor, study=study.slug, old={PUBLIC_LINK: old},
            new={PUBLIC_LINK: body},
        )  # fmt: skip
    study.recruiting = locked.recruiting
    return True
