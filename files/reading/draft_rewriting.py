"""Makes studies from checked study files, and writes others over drafts that have no answers yet."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction

from accounts.audited_erasure import audited_erasure
from accounts.auditing import record
from accounts.models import Person
from annotation.answers import Sheet
from annotation.blinding import OPTION as BLINDED
from annotation.blinding import is_blind, with_past_blinding
from annotation.erasing import all_erasing
from annotation.models import Item, Output, Question, Study, WrittenExample
from annotation.protocols import UnitInvalidError, protocols
from annotation.studies.kept_counts import exceeds
from annotation.studies.unplanning import unplan
from config.parts import parts
from files.import_problems import FieldInvalidError, ImportRefusedError, refuse
from files.reading.gold_answers import checked_gold
from files.reading.study_file import StudyFile, differences
from files.reading.target import AskedQuestions

DEFAULTS: Mapping[str, Any] = {
    "title": "", "description": "", "contact": "", "license": "", "citation": "", "language": "en",
    "options": {}, "systems": {}, "judges": {}, "recruiting": {},
}  # fmt: skip
"""What a study has if its file does not say."""
PLANNED_BY = ("protocol", "redundancy", "options")
MOST_CHECKED = 5000
"""Items of a draft that are checked against its new settings while somebody waits."""
SHOWN = "cannot be switched off once the study has items: an owner unblinds the study in its settings"
NOT_A_DRAFT = "is {}: only a draft can be changed"
ANSWERED = "has answers already: duplicate the study and change the copy"
TOO_MANY = f"cannot be changed in a draft with more than {MOST_CHECKED:,} items: import the study with --replace-draft"
EXAMPLES = "cannot be changed, because judges' examples answer them: import the study with --replace-draft"


def has_answers(study: Study) -> bool:
    """Return whether anybody has judged or written anything in the study, people or machines."""
    return any(part.has_answers(study) for part in all_erasing())


def settings_of(file: StudyFile) -> dict[str, Any]:
    """Return all settings of a study as the file describes it, defaults included."""
    given = {name: getattr(file, name) for name in DEFAULTS}
    settings = {name: DEFAULTS[name] if value is None else value for name, value in given.items()}
    return {**settings, "protocol": file.protocol.key, "redundancy": file.redundancy}


def create_study(study: Study, questions: Sequence[Question], actor: Person | None, taken: ImportRefusedError) -> None:
    """Write a new study and its questions. Raises `taken` if another study has its slug."""
    try:
        with transaction.atomic():
            study.save(force_insert=True)
    except IntegrityError:
        raise taken from None
    for question in questions:
        question.study = study
    Question.objects.bulk_create(questions)
    given = {name: getattr(study, name) for name in (*DEFAULTS, *PLANNED_BY)}
    new = {**{name: value for name, value in given.items() if value}, "questions": [one.key for one in questions]}
    record("study created", study.slug, actor=actor, study=study.slug, new=new)


def refuse_fixed(study: Study, name: str) -> None:
    """Raise ImportRefusedError unless `study` is a draft without answers."""
    if study.status != Study.Status.DRAFT:
        raise refuse(name, NOT_A_DRAFT.format(study.status), field="slug")
    if has_answers(study):
        raise refuse(name, ANSWERED, field="slug")


def refuse_unblinding(study: Study, options: Mapping[str, Any], name: str) -> None:
    """Raise ImportRefusedError if `options` would show the systems of a blinded study that has items."""
    if is_blind(study) and options.get(BLINDED) is not True and Item.objects.filter(study=study).exists():
        raise refuse(name, SHOWN, field=f"options.{BLINDED}")


def rewrite(
    study: Study, file: StudyFile, actor: Person | None, *, questions: Sequence[Question], keeps_items: bool
) -> bool:
    """Write the file's settings and `questions` over a locked draft. Return whether anything differs.

    Tasks made with other settings are outdated then. Items that stay (`keeps_items`) must fit. Raises
    ImportRefusedError.
    """
    refuse_fixed(study, file.name)
    refuse_unblinding(study, file.options or {}, file.name)
    there = list(study.questions.order_by("position"))
    given = settings_of(file)
    given["options"] = with_past_blinding(study, given["options"])
    new = {name: value for name, value in given.items() if getattr(study, name) != value}
    old = {name: getattr(study, name) for name in new}
    keys = {one.pk for one in there}
    # Rows that an import has staged refer to the questions that it has seen.
    others = bool(differences(file, study.protocol, there)) or any(one.pk not in {None, *keys} for one in questions)
    if keeps_items and (others or "options" in new):
        _refuse_unfit_items(study, file, others)
    for key, value in new.items():
        setattr(study, key, value)
    if any(key in new for key in PLANNED_BY):
        unplan(study)
    study.save()
    if others:
        study.questions.all().delete()
        for question in questions:
            question.study = study
        Question.objects.bulk_create(questions)
        old["questions"], new["questions"] = ([_told(one) for one in some] for some in (there, questions))
    if "recruiting" in new:
        for part in parts():
            part.recruiting_changed(study)
    if new:
        record("draft changed", study.slug, actor=actor, study=study.slug, old=old, new=new)
    return bool(new)


def remove_items(study: Study, actor: Person | None) -> None:
    """Delete all items and examples of a locked draft without answers, with their tasks.

    They are frozen, so it is an erasure.
    """
    if not any(model._default_manager.filter(study=study).exists() for model in (Item, WrittenExample)):
        return
    scope = f"items of study {study.pk}"
    with audited_erasure("items removed", scope, actor=actor, study=study.slug) as erased:
        for part in all_erasing():
            for model, path in part.item_rows:
                erased.delete(model._default_manager.filter(**{path: study.pk}))
    study.planned_through = study.outdated_through = 0
    study.save(update_fields=["planned_through", "outdated_through"])


def _told(question: Question) -> dict[str, Any]:
    return {"key": question.key, "type": question.type, "text": question.text, **question.spec}


def _refuse_unfit_items(study: Study, file: StudyFile, asks_others: bool) -> None:
    """Raise ImportRefusedError if an item does not fit the file's protocol, questions or options."""
    items = Item.objects.filter(study=study)
    if not items.exists():
        return
    if asks_others and WrittenExample.objects.filter(study=study).exists():
        raise refuse(file.name, EXAMPLES, field="questions")
    before = protocols()[study.protocol]
    if file.protocol.key != before.key:
        if type(file.protocol.files) is not type(before.files):
            reason = f"cannot be {file.protocol.key}, because the draft has items for {before.key}"
            raise refuse(file.name, f"{reason}: start a new study", field="protocol")
        if exceeds(items, MOST_CHECKED):
            raise refuse(file.name, TOO_MANY, field="protocol")
        try:
            file.protocol.check_outputs(
                Output.objects.filter(item__study=study).order_by().values_list("key", flat=True).distinct()
            )
        except UnitInvalidError as problem:
            raise refuse(file.name, f"does not fit the items: {problem.reason}", field="protocol") from None
    _refuse_unfit_gold(study, file)


def _refuse_unfit_gold(study: Study, file: StudyFile) -> None:
    """Raise ImportRefusedError if a right answer of an item does not answer the file's questions."""
    golden = Item.objects.filter(study=study, gold__isnull=False).order_by("pk")
    if exceeds(golden, MOST_CHECKED):
        raise refuse(file.name, TOO_MANY, field="questions")
    new = Study(pk=study.pk, slug=study.slug, protocol=file.protocol.key, options=file.options or {})
    asked = AskedQuestions(new, file.questions)
    for item in golden.prefetch_related("outputs"):
        outputs = list(item.outputs.all())
        sheet = Sheet.of([one.key for one in outputs], [one.text for one in outputs], item.document)
        try:
            checked_gold({"gold": item.gold}, sheet, asked)
        except FieldInvalidError as problem:
            reason = f"do not fit the right answer of item {item.key}: {problem.field} {problem.reason}"
            raise refuse(file.name, reason, field="questions") from None
