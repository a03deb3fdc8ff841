"""Copies of studies: the same questions, options and guidelines in a new draft, with or without the items."""

from pathlib import Path
from tempfile import TemporaryDirectory

from django.db import transaction

from accounts.models import Person
from annotation.blinding import is_blind
from annotation.models import Item, ItemCopy, Study
from annotation.studies.file_sections import sections_copied
from annotation.studies.kept_counts import exceeds
from annotation.studies.locking import refuse_import_since
from annotation.studies.snapshots import study_snapshot
from config.background.kinds import works
from config.background.waking import enqueue
from files.entered.drafts import make_draft
from files.reading import add_to_study
from files.writing.example_lines import example_lines, has_examples
from files.writing.file_writers import write_jsonl
from files.writing.study_lines import item_lines
from files.writing.study_yaml import study_body

MODELS = "models"
WORK_KEY = "item_copy"
COPIED_AT_ONCE = 100
"""Items; more are copied by workers."""


def duplicate(source: Study, actor: Person, *, title: str, slug: str, with_items: bool) -> Study:
    """Make a draft that asks what `source` asks; with its items, at once or, if there are many, by workers.

    The systems of a blinded study have codes for names in the copy, too.

    Raises ImportRefusedError, and ImportPendingError.
    """
    refuse_import_since(source)
    body = sections_copied(study_body(source))
    if is_blind(source) and MODELS in body["options"]:  # they are codes, and no site has such models
        body["options"] = {key: value for key, value in body["options"].items() if key != MODELS}
    made = make_draft({**body, "slug": slug, "title": title}, actor)
    if not with_items:
        return made
    if exceeds(Item.objects.filter(study=source), COPIED_AT_ONCE):
        with transaction.atomic():
            row = ItemCopy.objects.create(study=made, source_pk=source.pk, asked_by=actor)
            enqueue(works()[WORK_KEY], row)
    else:
        copy_items(source, made, actor)
    return made


def copy_items(source: Study, target: Study, actor: Person | None) -> None:
    """Add the items and examples of `source` to `target`, by way of the files of an export. Repeating adds nothing.

    Raises ImportRefusedError, and ImportPendingError.
    """
    with TemporaryDirectory(prefix="interrater-copy-") as folder:
        tables = {"items": Path(folder) / "items.jsonl"}
        with study_snapshot(source) as present:
            written = write_jsonl(tables["items"], item_lines(present))
            if has_examples(present):
                tables["examples"] = Path(folder) / "examples.jsonl"
                write_jsonl(tables["examples"], example_lines(present))
        if not written.lines:
            del tables["items"]
        add_to_study(target, tables, actor, via=f"copy of {source.slug}", own_names=True)
