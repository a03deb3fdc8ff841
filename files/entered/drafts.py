"""Draft studies: made, changed and deleted without files.

A `body` is what a study file holds, as a mapping; the code that checks files checks it, too. Until somebody has
answered, a draft may change anything but its slug.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from accounts.audited_erasure import ErasureRefusedError
from accounts.models import Person
from annotation.members.membership import add_member
from annotation.models import Study
from annotation.models.people import Role
from annotation.studies.lifecycle import publish_guidelines
from annotation.studies.locking import lock_study
from annotation.studies.study_deletion import delete_study
from annotation.studies.unplanning import remove_outdated
from files.import_problems import refuse
from files.reading.draft_rewriting import create_study, has_answers, rewrite, settings_of
from files.reading.import_lock import import_lock
from files.reading.study_file import checked_study
from files.reading.system_codes import with_hidden

NAME = "Study"
"""What problems call a body that comes from no file."""
TAKEN = "is taken: another study has it, so choose another"
LONGEST_WAIT = 2.0
"""Seconds that a change waits for an import into the same study."""
REMOVED_AT_ONCE = 0.5
"""Seconds for which outdated tasks are removed at once; making the study live removes the others."""
NO_DRAFT = "Only a draft without answers can be deleted like this."


def make_draft(body: Mapping[str, Any], actor: Person) -> Study:
    """Make a study, of which `actor` becomes an owner. Raises ImportRefusedError with all problems of `body`."""
    file = checked_study(body, NAME)
    study = Study(slug=file.slug, **settings_of(file))
    with transaction.atomic():
        create_study(study, file.questions, actor, refuse(NAME, TAKEN, field="slug"))
        if file.guidelines is not None:
            publish_guidelines(study, file.guidelines, actor)
        add_member(study, actor, Role.OWNER.value, actor)
    return study


def change_draft(study: Study, body: Mapping[str, Any], actor: Person) -> bool:
    """Make the draft what `body` describes, and return whether anything differs. Its items stay and must fit.

    What a blinded draft hides, and `body` therefore does not say, stays.

    Guidelines are never overwritten: a new text becomes a new version. Raises ImportRefusedError with all problems.
    """
    file = checked_study(with_hidden(study, body, NAME), NAME)
    if file.slug != study.slug:
        raise refuse(NAME, "cannot be changed: duplicate the study and delete this one", field="slug")
    # An import that is being checked has looked up the questions, and would add answers to those that are gone.
    with import_lock(study.slug, LONGEST_WAIT), transaction.atomic():
        now = lock_study(study.pk)
        newest = now.guidelines.order_by("-number").first()
        changed = rewrite(now, file, actor, questions=file.questions, keeps_items=True)
        if file.guidelines is not None and file.guidelines != (newest.text if newest else None):
            publish_guidelines(now, file.guidelines, actor)
            changed = True
    remove_outdated(now, REMOVED_AT_ONCE)
    study.refresh_from_db()
    return changed


def delete_draft(study: Study, actor: Person) -> bool:
    """Delete a draft that nobody has answered; its slug is free again. Return whether it is gone already.

    A large one is deleted by workers. Raises ErasureRefusedError.
    """
    if not is_changeable(study):
        raise ErasureRefusedError(NO_DRAFT)
    return delete_study(study, actor) is None


def is_changeable(study: Study) -> bool:
    """Return whether `change_draft` may change the study."""
    return study.status == Study.Status.DRAFT and not has_answers(study)
