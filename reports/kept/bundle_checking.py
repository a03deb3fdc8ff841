"""Checks a bundle by itself: the hash of every file, and every figure, computed again from the data in it.

The data are imported into a new SQLite database of a temporary folder by processes of their own. The installation on
which the check runs is not touched, and nothing of it is read.
"""

import hashlib
import json
import math
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings

from config.outside_requests import outside_of_requests
from config.parts import parts
from reports.kept.zip_archive import file_digest

SCHEMA = "interrater-bundle/1"
CONTENTS = "bundle.json"
FIGURES = "figures/"
TEXTS = ("report/", "plots/")
NOT_FIGURES = frozenset({"software", "blinding"})
"""What the top level of a report says of the software, and of an event that no data show: unblinding."""
PLANNED = "balance.planned."
"""What the agreement report says of the places that were planned: they are no data of the study."""
TOLERANCE = 1e-9
"""Relative: other processors and libraries may round the last digits of a figure differently."""
CHUNK = 1 << 16
LONGEST_NAME = 300
LONG_NUMBER = re.compile(r"\d+\.\d{10,}")
OWN = (
    "DATABASE_URL",
    "VAR",
    "PROFILE",
    "SECRET_KEY",
    "BROKER_URL",
    "ENDPOINTS_FILE",
    "ALLOWED_HOSTS",
    "STATIC_ROOT",
    "PARTS",
)
"""Settings of this installation that the check must not use."""


class BundleUnreadableError(Exception):
    """The file is no bundle, or its data cannot be imported; the message says why."""


@dataclass(frozen=True)
class Difference:
    """Something in the bundle that is not what it should be; `name` is a dotted name, or a file."""

    name: str
    stated: str
    found: str


@outside_of_requests
def unpack(bundle: Path, folder: Path) -> list[Difference]:
    """Unpack the files that the bundle lists into `folder`; return those that differ from their hash.

    Raises BundleUnreadableError.
    """
    try:
        with zipfile.ZipFile(bundle) as archive:
            return list(_unpacked(archive, folder))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as problem:
        raise BundleUnreadableError(f"{bundle} is not a bundle, or is damaged: {problem}.") from problem


def _unpacked(archive: zipfile.ZipFile, folder: Path) -> Iterator[Difference]:
    names = {_inner(info.filename): info for info in archive.infolist() if not info.is_dir()}
    contents = json.loads(archive.read(names[CONTENTS]))
    if contents["schema"] != SCHEMA:
        raise BundleUnreadableError(f"It has the schema {contents['schema']!r}; this version reads {SCHEMA!r}.")
    listed = {one["name"]: one for one in contents["files"]}
    for name in sorted(names.keys() - listed.keys() - {CONTENTS}):
        yield Difference(name, "not listed", "in the bundle")
    for name, told in listed.items():
        if name not in names:
            yield Difference(name, f"sha256 {told['sha256']}", "missing")
            continue
        place = folder / PurePosixPath(name)
        if ".." in PurePosixPath(name).parts or not place.resolve().is_relative_to(folder.resolve()):
            raise BundleUnreadableError(f"{name[:LONGEST_NAME]!a} is not the name of a file in a bundle")
        place.parent.mkdir(parents=True, exist_ok=True)
        found = _copy(archive, names[name], place, told["bytes"])
        if found != told["sha256"]:
            yield Difference(name, f"sha256 {told['sha256']}", f"sha256 {found}")


def _inner(name: str) -> str:
    """The name of a file without the archive's own folder."""
    return name.partition("/")[2]


def _copy(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: Path, size: int) -> str:
    """Write one file, at most a little more than its stated size, and return its SHA-256."""
    made, left = hashlib.sha256(), size + CHUNK
    with archive.open(info) as source, place.open("wb") as target:
        while left > 0 and (chunk := source.read(CHUNK)):
            left -= len(chunk)
            made.update(chunk)
            target.write(chunk)
    return made.hexdigest()


def recompute(folder: Path, work: Path) -> Path:
    """Import the data of an unpacked bundle into a database in `work`, and write its bundle again; return its folder.

    Raises BundleUnreadableError.
    """
    env = {name: value for name, value in os.environ.items() if name not in OWN}
    env |= {"VAR": str(work / "var"), "DJANGO_SETTINGS_MODULE": "config.settings", "PROFILE": "embedded"}
    slug = json.loads((folder / "data" / "manifest.json").read_bytes())["study"]
    again = work / "again.zip"
    steps = (
        ("migrate", "--verbosity", "0"),
        ("import_study", "--keep-codes", str(folder / "data")),
        ("bundle", "--out", str(again), "--", str(slug)),
    )
    done = subprocess.run(  # noqa: S603 - our own commands
        [sys.executable, "-m", "config.command_steps", json.dumps(steps)], env=env, cwd=settings.BASE_DIR, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise BundleUnreadableError(f"The bundle's data cannot be read again: {done.stderr.strip()[-2000:]}")
    out = work / "again"
    unpack(again, out)
    return out


def compare(folder: Path, again: Path) -> tuple[int, list[Difference]]:
    """How many figures were compared, and each that differs; then texts and plots that do not print these figures."""
    count, found = 0, []
    names = sorted({path.relative_to(one).as_posix() for one in (folder, again) for path in one.rglob("*.*")})
    for name in names:
        if name.startswith(FIGURES):
            stated, computed = (_figures(one / name) for one in (folder, again))
            prefix = PurePosixPath(name).stem
            for dotted in sorted(stated.keys() | computed.keys()):
                count += 1
                pair = stated.get(dotted, MISSING), computed.get(dotted, MISSING)
                if not _same(*pair):
                    found.append(Difference(f"{prefix}.{dotted}", *map(_shown, pair)))
        elif name.startswith(TEXTS):
            found.extend(_texts(name, folder, again))
    return count, found


class _Missing:
    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


def _figures(path: Path) -> dict[str, Any]:
    """Every value of a file of figures, by its dotted name."""
    if not path.is_file():
        return {}
    body = json.loads(path.read_bytes())
    left_out = NOT_FIGURES.union(*(part.report_facts for part in parts()))
    dotted = _dotted({key: value for key, value in body.items() if key not in left_out}, "")
    return {name: value for name, value in dotted if not name.startswith(PLANNED)}


def _dotted(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from _dotted(inner, f"{name}.{key}" if name else str(key))
    else:
        yield name, value


def _same(stated: Any, computed: Any) -> bool:
    numbers = (int, float)
    if type(stated) in numbers and type(computed) in numbers:
        return math.isclose(stated, computed, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(stated) is type(computed) and bool(stated == computed)


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, _Missing) else json.dumps(value, ensure_ascii=False)


def _texts(name: str, folder: Path, again: Path) -> Iterator[Difference]:
    """The first line in which a text of the bundle is not the one that the figures give."""
    if not all((one / name).is_file() for one in (folder, again)):
        yield Difference(name, *("there" if (one / name).is_file() else "missing" for one in (folder, again)))
        return
    if file_digest(folder / name) == file_digest(again / name):
        return
    texts = [(one / name).read_text(encoding="utf-8", errors="replace").splitlines() for one in (folder, again)]
    if [_rounded(line) for line in texts[0]] == [_rounded(line) for line in texts[1]]:
        return
    pairs = zip(*texts, strict=False)
    line, pair = next(
        ((number, pair) for number, pair in enumerate(pairs, 1) if _rounded(pair[0]) != _rounded(pair[1])),
        (0, ("", "")),
    )
    yield Difference(f"{name}, line {line}", *(text.strip()[:LONGEST_NAME] for text in pair))


def _rounded(line: str) -> str:
    """A line with the long numbers in it rounded as figures may be."""
    return LONG_NUMBER.sub(lambda found: f"{float(found[0]):.9f}", line)
