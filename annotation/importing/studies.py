"""A study file applied: the study made, or brought up to date in what may change."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts.auditing import record
from accounts.models import Person
from annotation.importing.problems import ImportRefusedError, Problem, refuse
from annotation.importing.study_file import StudyFile, differences
from annotation.membership import add_member
from annotation.models import Guideline, Question, Slot, Study
from annotation.models.people import Role
from annotation.running import publish_guidelines

DESCRIBING = ("title", "description", "contact", "language")
PLANNING = ("redundancy", "options")


def apply_study(file: StudyFile, versions: Mapping[int, str], actor: Person | None) -> tuple[Study, bool]:
    """The study of the file, locked, and whether it was made; guidelines are published as `versions` has them.

    Raises ImportRefusedError where the file would change what cannot change.
    """
    study = Study.objects.select_for_update().filter(slug=file.slug).first()
    made = study is None
    if study is None:
        study = _create(file, actor)
    else:
        _update(study, file, actor)
    _publish(study, file, versions, actor)
    return study, made


def _create(file: StudyFile, actor: Person | None) -> Study:
    given = {name: getattr(file, name) for name in (*DESCRIBING, *PLANNING) if getattr(file, name) is not None}
    try:
        with transaction.atomic():
            study = Study.objects.create(slug=file.slug, protocol=file.protocol.key, **given)
    except IntegrityError:
        raise refuse(file.name, "a study with this slug was made at the same moment: try again") from None
    for question in file.questions:
        question.study = study
    Question.objects.bulk_create(file.questions)
    new = {**given, "protocol": study.protocol, "questions": [question.key for question in file.questions]}
    record("study created", study.slug, actor=actor, study=study.slug, new=new)
    return study


def _update(study: Study, file: StudyFile, actor: Person | None) -> None:
    found = differences(file, study.protocol, list(study.questions.order_by("position")))
    given = {name: getattr(file, name) for name in (*DESCRIBING, *PLANNING) if getattr(file, name) is not None}
    changed = {name: value for name, value in given.items() if getattr(study, name) != value}
    if Slot.objects.filter(study=study).exists():
        why = "it cannot be changed any more, because the study's tasks are given out by it"
        found += [
            Problem(file.name, 0, name, f"was {getattr(study, name)} and is {changed[name]}: {why}")
            for name in PLANNING
            if name in changed
        ]
    if found:
        raise ImportRefusedError(found)
    if not changed:
        return
    old: dict[str, Any] = {name: getattr(study, name) for name in changed}
    for name, value in changed.items():
        setattr(study, name, value)
    study.save(update_fields=list(changed))
    record("study described", study.slug, actor=actor, study=study.slug, old=old, new=changed)


def _publish(study: Study, file: StudyFile, versions: Mapping[int, str], actor: Person | None) -> None:
    """Add the versions of the guidelines that are new; those that are there must be the same.

    The text of the study file, where it is another than the last version's, is a version after it.
    """
    there = dict(Guideline.objects.filter(study=study).values_list("number", "text"))
    for number in sorted(versions):
        if number in there:
            if there[number] != versions[number]:
                raise refuse(f"guidelines/{number}.md", "differs from this version in the study: versions never change")
            continue
        if number != max(there, default=0) + 1:
            raise refuse(f"guidelines/{number}.md", f"comes after version {max(there, default=0)}: one is missing")
        # Two versions of the same text are one that was taken back and forth: kept, as judgments name them.
        Guideline.objects.create(study=study, number=number, text=versions[number])
        record("guidelines published", f"version {number}", actor=actor, study=study.slug, new={"version": number})
        there[number] = versions[number]
    last = versions[max(versions)] if versions else None
    if file.guidelines is not None and file.guidelines != last:
        publish_guidelines(study, file.guidelines, actor)


def give_owner(study: Study, person: Person, actor: Person | None) -> None:
    """Make `person` an owner of the study; raises ImportRefusedError where they have another role in it."""
    membership = add_member(study, person, Role.OWNER.value, actor)
    if membership.role != Role.OWNER or not membership.active:
        state = f"{membership.role} of" if membership.active else "no longer a member of"
        raise refuse("--owner", f"{person.username} is {state} this study: change that on its members page")
