"""Read `keys.env`, a `NAME=value` per line, as Docker and systemd read such a file."""

import re
from pathlib import Path

from scripts.stop_errors import StopError

LINE = re.compile(r"""(?P<name>[A-Za-z_]\w*)=(?P<quote>["']?)(?P<value>.*)(?P=quote)""")


def read_keys(file: Path) -> dict[str, str]:
    """Return what the file names, nothing if it is missing. Raises StopError, which never shows a value."""
    if not file.exists():
        return {}
    if file.stat().st_mode & 0o077:
        raise StopError(f"Others can read {file}, which may have keys: chmod 0600 {file}")
    found = {}
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pair = LINE.fullmatch(line.strip())
        if pair is None:
            raise StopError(f"Line {number} of {file} is not NAME=value.")
        found[pair["name"]] = pair["value"]
    return found
