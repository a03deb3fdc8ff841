"""The raters that imported files name: found, or made on first sight."""

from typing import Any

from django.utils import timezone

from annotation.importing.problems import FieldInvalidError, quoted
from annotation.models import Rater, Study
from annotation.text import TextRefusedError, check_id
from config.bulk import insert_rows, next_ids, stored_time

KINDS = frozenset(Rater.Kind.values)
DEFAULT_KIND = Rater.Kind.HUMAN.value


class Raters:
    """The study's raters by name. New ones are written by `flush`, before rows that name them."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.known: dict[str, tuple[int, str]] = {
            name: (pk, kind) for name, pk, kind in Rater.objects.filter(study=study).values_list("name", "pk", "kind")
        }
        self._new: dict[str, str] = {}
        self.made = 0

    def name_and_kind(self, name: Any, kind: Any) -> tuple[str, str]:
        """The checked name and kind of a line's rater; raises FieldInvalidError."""
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
        """Write the raters seen since the last time."""
        if not self._new:
            return
        now = stored_time(timezone.now())
        ids = next_ids(Rater, len(self._new))
        named = list(zip(ids, self._new.items(), strict=True))
        insert_rows(
            Rater,
            ["id", "study_id", "name", "kind", "created_at"],
            [(pk, self.study.pk, name, kind, now) for pk, (name, kind) in named],
        )
        self.known.update({name: (pk, kind) for pk, (name, kind) in named})
        self.made += len(named)
        self._new.clear()
