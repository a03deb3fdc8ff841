"""Rules about files in VAR: those that rows refer to exist, and are the same."""

from collections.abc import Iterator
from pathlib import Path

from managing.models import ItemUpload
from managing.uploads import receiving
from operating.data_check import DataCheck, Row
from operating.var_files import digest_of
from reports.kept import kept_exports
from reports.models import KeptExport


def exports() -> Iterator[Row]:
    for row in KeptExport.objects.filter(has_file=True).order_by("pk").iterator():
        wrong = _wrong(kept_exports.place_of(row), row.sha256)
        if wrong:
            yield {"table": "reports_keptexport", "id": row.pk, "file": str(kept_exports.place_of(row)), "is": wrong}


def uploads() -> Iterator[Row]:
    for row in ItemUpload.objects.filter(has_file=True, received__gt=0).order_by("pk").iterator():
        place = receiving.place_of(row)
        there = place.stat().st_size if place.exists() else None
        if there is None or there < row.received:
            yield {"id": row.pk, "file": str(place), "bytes": there, "received": row.received}


def _wrong(place: Path, sha256: str) -> str:
    if not place.exists():
        return "missing"
    return "" if digest_of(place) == sha256 else "another file"


CHECKS = (
    DataCheck("lost_exports", "A kept export has no file, or another one than was written.", exports),
    DataCheck("lost_uploads", "An upload has no file, or less of it than has arrived.", uploads),
)
