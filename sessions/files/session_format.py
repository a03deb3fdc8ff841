"""The files of a session study: questions with papers, sessions, labels, and ratings that name turns."""

from collections.abc import Iterable, Mapping
from typing import Any

from annotation.file_format import RowReader
from annotation.models import Item, Study
from annotation.protocols import FileFormat, Unit
from sessions.models import RevisionSession, Turn
from sessions.question_content import check_papers, check_question
from sessions.turn_variants import named_turn


class SessionFormat(FileFormat):
    """Items are questions with papers; a rating's line names a session and a turn instead of an item."""

    item_keys = frozenset({"question", "documents"})
    unused_item_keys = frozenset({
        "document", "instruction", "source", "outputs", "reference", "references", "gold", "feedback",
    })  # fmt: skip
    needs_outputs = False
    ratings_name_items = False
    importers = {
        "sessions": "sessions.files.session_import.SessionImport",
        "labels": "sessions.files.session_import.LabelImport",
        "label_samples": "sessions.files.label_sample_import.LabelSampleImport",
    }

    def check_content(self, content: Mapping[str, Any]) -> None:
        check_question(content.get("question"))
        check_papers(content.get("documents"))

    def find_items(self, study: Study, read: RowReader, units: Iterable[Unit]) -> Mapping[Unit, str]:
        named = {unit: named_turn(unit.variant) for unit in units}
        keys = sorted({turn[0] for turn in named.values() if turn})
        sessions = {
            pk: (key, item)
            for pk, key, item in read(RevisionSession.objects.filter(study=study, key__in=keys), "pk", "key", "item")
        }
        items: dict[int, str] = dict(
            read(Item.objects.filter(pk__in=sorted({item for _, item in sessions.values()})), "pk", "key")
        )
        turns = {
            (sessions[session][0], number): items[sessions[session][1]]
            for session, number in read(
                Turn.objects.filter(session__in=list(sessions), discarded=False), "session", "number"
            )
        }
        return {unit: turns[turn] for unit, turn in named.items() if turn in turns}
