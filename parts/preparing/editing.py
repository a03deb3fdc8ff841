"""Hybrids: a person edits a model's output as little as needed (InstruSum 2.1)."""

from django.db import transaction

from accounts.auditing import record
from accounts.models import Person
from config.text_validation import TextRefusedError, check_id
from parts.preparing.models import PreparedText
from parts.preparing.step_configuration import PreparationRefusedError
from parts.preparing.step_states import lock_draft
from sessions.comparing.answer_comparison import compare_answers

IS_SAME = "Nothing was changed. Change the text, or go back without saving."
KEY_TAKEN = "This item has an output {!r} already. Choose another id."
NOT_A_MODELS = "Only outputs that a model wrote can be edited."
EMPTY = "The edited output is empty. Write a text, or go back without saving."


def difference_of(original: str, edited: str) -> list[list[str]]:
    """Return the stretches of both texts in order, each as [same, added or removed, text]."""
    return [[one.kind, one.text] for one in compare_answers(original, edited).stretches]


def save_hybrid(original: PreparedText, text: str, key: str, actor: Person | None) -> PreparedText:
    """Store a person's edit of a model's output as a further output of its item, with the difference.

    Raises PreparationRefusedError.
    """
    try:
        check_id(key, "The id")
    except TextRefusedError as problem:
        raise PreparationRefusedError(f"{problem}.", "key") from None
    if original.writer != PreparedText.Writer.MODEL or original.role != PreparedText.Role.OUTPUT:
        raise PreparationRefusedError(NOT_A_MODELS)
    if not text.strip():
        raise PreparationRefusedError(EMPTY, "text")
    if text == original.text:
        raise PreparationRefusedError(IS_SAME, "text")
    difference = difference_of(original.text, text)
    with transaction.atomic():
        study = lock_draft(original.study)
        mine = PreparedText.objects.filter(suggestion=original.suggestion, role=PreparedText.Role.OUTPUT)
        if mine.filter(key=key).exists():
            raise PreparationRefusedError(KEY_TAKEN.format(key), "key")
        made = PreparedText.objects.create(
            study=study, suggestion=original.suggestion, role=PreparedText.Role.OUTPUT, key=key, text=text,
            writer=PreparedText.Writer.HUMAN, edited_from=original, difference=difference,
        )  # fmt: skip
        name = f"{original.suggestion.item_key} {key}"[:200]
        record("output edited", name, actor=actor, study=study.slug, new={"edited_from": original.key})
    return made
