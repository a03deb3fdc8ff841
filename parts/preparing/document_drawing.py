"""Draws documents from a file into a draft study, with the counts of each source."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from django.db import transaction
from django.db.models import Max

from accounts.auditing import record
from accounts.models import Person
from annotation.models import Study
from annotation.protocols import UnitInvalidError, protocols
from files.import_problems import FileProblems, ImportRefusedError
from files.line_reading import SourceFile
from parts.preparing.document_sampling import DocumentsRefusedError, DrawnDocument, SampleDraw, WordRange, draw
from parts.preparing.models import DocumentSample, SourceDocument
from parts.preparing.step_states import lock_draft

MOST_DRAWN = 20_000
NOTHING_DRAWN = "No document of the file has a number of words within the range. Nothing was drawn."
DRAWN_BEFORE = "{} documents of this sample are in the study already, such as {!r}. Use another file or other ids."
TOO_MANY = "At most {:,} documents can be drawn at once."
AT_ONCE = 500


def draw_documents(
    study: Study,
    path: Path,
    actor: Person | None,
    *,
    per_source: int,
    words: WordRange,
    seed: int,
    name: str = "",
) -> DocumentSample:
    """Draw up to `per_source` documents of each source from a JSONL file and store them.

    The file is read once, line by line, before anything is locked. `name` is the file's name if it is not that of the
    path. Raises DocumentsRefusedError or PreparationRefusedError, with nothing stored.
    """
    source, drawn = _drawn(path, name or path.name, per_source, words, seed)
    _check_content(study, drawn.documents)
    counts = {one: asdict(count) for one, count in drawn.counts.items()}
    with transaction.atomic():
        locked = lock_draft(study)
        _refuse_known(locked, [one.key for one in drawn.documents])
        number = (locked.document_samples.aggregate(last=Max("number"))["last"] or 0) + 1
        sample = DocumentSample.objects.create(
            study=locked, number=number, file_name=(name or path.name)[:200], digest=source.digest, seed=seed,
            per_source=per_source, fewest_words=words.fewest, most_words=words.most, counts=counts,
        )  # fmt: skip
        SourceDocument.objects.bulk_create(
            SourceDocument(
                study=locked,
                sample=sample,
                key=one.key,
                source=one.source,
                text=one.text,
                words=one.words,
                content=dict(one.content) or None,
            )
            for one in drawn.documents
        )
        record("documents drawn", str(number), actor=actor, study=locked.slug, new={
            "file": sample.file_name, "sha256": sample.digest, "seed": seed, "drawn": len(drawn.documents),
        })  # fmt: skip
    return sample


def _drawn(path: Path, name: str, per_source: int, words: WordRange, seed: int) -> tuple[SourceFile, SampleDraw]:
    """Return the file as it was read, and the sample drawn from it. Raises DocumentsRefusedError."""
    source = SourceFile(path, FileProblems(name))
    try:
        drawn = draw(source.objects(), per_source, words, seed)
        source.problems.refuse_if_any()
    except ImportRefusedError as problem:
        raise DocumentsRefusedError(str(problem.problems[0])) from None
    if not drawn.documents:
        raise DocumentsRefusedError(NOTHING_DRAWN)
    if len(drawn.documents) > MOST_DRAWN:
        raise DocumentsRefusedError(TOO_MANY.format(MOST_DRAWN))
    return source, drawn


def _check_content(study: Study, documents: Sequence[DrawnDocument]) -> None:
    """Refuse documents without what items of the study's protocol need besides a question, such as papers."""
    files = protocols()[study.protocol].files
    if files.needs_outputs:
        return
    for one in documents:
        content = {name: one.content[name] for name in files.item_keys if name in one.content}
        try:
            files.check_content({**content, "question": "?"})
        except UnitInvalidError as problem:
            raise DocumentsRefusedError(f"Document {one.key!r}: {problem.field} {problem.reason}.") from None


def _refuse_known(study: Study, keys: Sequence[str]) -> None:
    known: list[str] = []
    for start in range(0, len(keys), AT_ONCE):
        found = SourceDocument.objects.filter(study=study, key__in=keys[start : start + AT_ONCE])
        known += found.values_list("key", flat=True)
    if known:
        raise DocumentsRefusedError(DRAWN_BEFORE.format(len(known), sorted(known)[0]))
