"""The table `preparing` of exports: what was drawn, asked, suggested and written before there were items.

Each line says in `what` which kind it is. Running work is written as stopped, since a file cannot go on with it.
CSV and Parquet have the columns of all kinds of lines together.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from annotation.blinding import is_blind
from annotation.models import Study
from annotation.typed_columns import anything, text, texts, whole
from config.background.rows import WAITING, Status
from config.text_validation import given
from files.tables.typed_tables import TypedTable
from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)

CHUNK = 1000
Line = dict[str, Any]
WITH_TEXT = frozenset({"document", "suggestion", "text"})
"""The kinds of lines whose text may be empty."""


def _with_text(row: Mapping[str, Any]) -> dict[str, Any]:
    return {**row, "text": row.get("text", "")} if row.get("what") in WITH_TEXT else dict(row)


PREPARING = TypedTable(
    (
        text("what", "the kind of line: sample, document, trial, step, suggestion, text or call"),
        anything("id", "its name: a number or, of documents and texts, a text"),
        text("file", "of samples: the file they were drawn from"),
        text("sha256", "of samples: the digest of the file"),
        whole("seed", "of samples"),
        whole("per_source", "of samples: documents per source"),
        whole("fewest_words", "of samples: the shortest document"),
        whole("most_words", "of samples: the longest document"),
        whole("sample", "of documents: the sample"),
        text("source", "of documents: the source"),
        text("document", "of suggestions, texts and calls: the document"),
        whole("number", "of suggestions, texts and calls: the suggestion's number"),
        text("role", "of texts"),
        text("kind", "of steps and suggestions"),
        text("text", "of documents, suggestions and texts"),
        whole("words", "of documents"),
        anything("content", "of documents: the other keys of its line"),
        text("original", "of suggestions: the text before it was changed"),
        texts("kinds", "of suggestions"),
        text("writer", "of texts: human or model"),
        text("edited_from", "of texts: the text that was edited"),
        anything("difference", "of texts: what was edited"),
        whole("evaluators", "of trials"),
        texts("documents", "of trials"),
        text("rated_in", "of trials: the study that rated them"),
        anything("result", "of trials"),
        text("winner", "of trials"),
        whole("step", "of suggestions, texts and calls: the step that made it"),
        whole("place", "of calls"),
        whole("trial", "of steps: the trial"),
        anything("configuration", "of steps"),
        text("status", "of steps and calls"),
        anything("estimate", "of steps: what it was expected to cost"),
        text("message", "of steps"),
        text("state", "of suggestions"),
        text("outcome", "of calls"),
        text("reason", "of suggestions and calls"),
        text("item", "of suggestions: the item made from it"),
        anything("counts", "of samples and calls"),
    ),
    line_of=_with_text,
)  # fmt: skip


def shows_preparation(study: Study) -> bool:
    """Whether a study was prepared, and is not blinded: the lines say which models wrote what."""
    return not is_blind(study) and DocumentSample.objects.filter(study=study).exists()


def preparing_lines(study: Study) -> Iterator[Line]:
    """Yield all lines: samples, documents, trials, steps, suggestions, texts and calls, each by its own order."""
    for sample in DocumentSample.objects.filter(study=study).order_by("number"):
        yield _sample(sample)
    documents = SourceDocument.objects.filter(study=study).select_related("sample").order_by("pk")
    for document in documents.iterator(chunk_size=CHUNK):
        yield _document(document)
    for trial in InstructionTrial.objects.filter(study=study).order_by("number"):
        yield _trial(trial)
    for step in PreparationStep.objects.filter(study=study).select_related("trial").order_by("number"):
        yield _step(step)
    suggestions = Suggestion.objects.filter(study=study).select_related("document", "step", "item")
    for suggestion in suggestions.order_by("document", "number").iterator(chunk_size=CHUNK):
        yield _suggestion(suggestion)
    written = PreparedText.objects.filter(study=study).select_related("suggestion__document", "edited_from", "step")
    for one in written.order_by("suggestion__document", "suggestion__number", "pk").iterator(chunk_size=CHUNK):
        yield _text(one)
    calls = PreparationCall.objects.filter(step__study=study).select_related("step", "document", "suggestion")
    for call in calls.order_by("step__number", "place").iterator(chunk_size=CHUNK):
        yield _call(call)


def _sample(sample: DocumentSample) -> Line:
    return given(
        {
            "what": "sample",
            "id": sample.number,
            "file": sample.file_name,
            "sha256": sample.digest,
            "seed": sample.seed,
            "per_source": sample.per_source,
            "fewest_words": sample.fewest_words,
            "most_words": sample.most_words,
            "counts": sample.counts,
        }
    )


def _document(document: SourceDocument) -> Line:
    return given(
        {
            "what": "document",
            "id": document.key,
            "sample": document.sample.number,
            "source": document.source or None,
            "text": document.text,
            "words": document.words,
            "content": document.content,
        }
    )


def _trial(trial: InstructionTrial) -> Line:
    return given(
        {
            "what": "trial",
            "id": trial.number,
            "evaluators": trial.evaluators,
            "documents": trial.documents,
            "rated_in": trial.rated_in or None,
            "result": trial.result,
            "winner": trial.winner or None,
        }
    )


def _step(step: PreparationStep) -> Line:
    running = step.status == PreparationStep.Status.RUNNING
    return given(
        {
            "what": "step",
            "id": step.number,
            "kind": step.kind,
            "trial": None if step.trial is None else step.trial.number,
            "configuration": step.configuration,
            "status": PreparationStep.Status.STOPPED.value if running else step.status,
            "estimate": step.estimate,
            "message": step.message or None,
        }
    )


def _suggestion(one: Suggestion) -> Line:
    return given(
        {
            "what": "suggestion",
            "document": one.document.key,
            "number": one.number,
            "kind": one.kind,
            "text": one.text,
            "original": one.original or None,
            "kinds": one.kinds or None,
            "step": None if one.step is None else one.step.number,
            "state": one.state,
            "reason": one.reason or None,
            "item": None if one.item is None else one.item.key,
        }
    )


def _text(one: PreparedText) -> Line:
    return given(
        {
            "what": "text",
            "document": one.suggestion.document.key,
            "number": one.suggestion.number,
            "role": one.role,
            "id": one.key,
            "text": one.text,
            "writer": one.writer,
            "edited_from": None if one.edited_from is None else one.edited_from.key,
            "difference": one.difference,
            "step": None if one.step is None else one.step.number,
        }
    )


def _call(call: PreparationCall) -> Line:
    waiting = call.status in WAITING
    return given(
        {
            "what": "call",
            "step": call.step.number,
            "place": call.place,
            "document": call.document.key,
            "number": None if call.suggestion is None else call.suggestion.number,
            "status": Status.STOPPED.value if waiting else call.status,
            "outcome": call.outcome or None,
            "reason": None if waiting else call.reason or None,
            "counts": call.reading,
        }
    )
