"""Looks up the raters that imported files name. Unknown ones are added."""

from typing import Any

from annotation.models import Rater, Study
from config.bulk_insert import packed_time
from config.database_clock import database_now
from config.text_validation import TextRefusedError, check_id
from files.import_problems import FieldInvalidError, quoted
from files.reading.staging import Staging

KINDS = frozenset(Rater.Kind.values)
DEFAULT_KIND = Rater.Kind.HUMAN.value
COLUMNS = ("id", "study_id", "name", "kind", "import_pending", "created_at")


class RaterLookup:
    """The study's raters: (primary key, kind) by name. Call `flush` before adding rows that refer to new ones."""

    def __init__(self, study: Study, staging: Staging) -> None:
        self.study, self.staging = study, staging
        self.known: dict[str, tuple[int, str]] = {
            name: (pk, kind) for name, pk, kind in Rater.objects.filter(study=study).values_list("name", "pk", "kind")
        }
        self.added = 0
        self._new: dict[str, str] = {}

    def name_and_kind(self, name: Any, kind: Any) -> tuple[str, str]:
        """Return the checked name and kind of a line's rater. Raises FieldInvalidError."""
        kind = DEFAULT_KIND if kind is None else kind
        known = self.known.get(name) if isinstance(name, str) else None
        have = known[1] if known else self._new.get(name) if isinstance(name, str) else None
        if have is None:
            if not isinstance(kind, str) or kind not in KINDS:
                raise FieldInvalidError("rater_kind", f"must be one of {', '.join(sorted(KINDS))}, not {quoted(kind)}")
            try:
                self._new[check_id(name, "rater")] = kind
            except TextRefusedError as problem:
                raise FieldInvalidError("rater", problem.reason) from None
        elif have != kind:
            raise FieldInvalidError("rater_kind", f"{quoted(name)} is a {have} rater, not {quoted(kind)}")
        return name, kind

    def flush(self) -> None:
        """Add the raters that are new since the last call."""
        if not self._new:
            return
        now = packed_time(database_now())
        named = list(zip(self.staging.next_ids(Rater, len(self._new)), self._new.items(), strict=True))
        self.staging.insert(Rater, COLUMNS, [(pk, self.study.pk, name, kind, False, now) for pk, (name, kind) in named])
        self.known.update({name: (pk, kind) for pk, (name, kind) in named})
        self.added += len(named)
        self._new.clear()
