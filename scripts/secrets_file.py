"""`make env`: write `.env` and the files of `secrets/` for docker compose, unless they exist. Standard library only.

The processes in the containers run as users of their own, and compose mounts secret files with the owner and mode that
they have here. So each file is readable by its owner and, by an access control list, by these users; by nobody else.
"""

import os
import secrets
import struct
import sys
from pathlib import Path

from scripts.stop_errors import StopError, stop

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / ".env"
FOLDER = ROOT / "secrets"
NEW = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "METRICS_TOKEN")
USERS = (999, 10001)
"""The users of the images of PostgreSQL and Redis, and of ours."""
HOSTS = "localhost"
LIST = "system.posix_acl_access"
READ, WRITE, NOBODY = 4, 2, 0xFFFFFFFF
OWNER, NAMED_USER, GROUP, MASK, OTHERS = 1, 2, 4, 16, 32


def new_secret(name: str) -> str:
    return secrets.token_urlsafe(50 if name == "SECRET_KEY" else 32)


def secret_path(name: str) -> Path:
    return FOLDER / name.lower()


def readable_by(users: tuple[int, ...]) -> bytes:
    """Return the access control list of a file that its owner writes and `users` read, as Linux stores it."""
    entries = [
        (OWNER, READ | WRITE, NOBODY), *((NAMED_USER, READ, user) for user in sorted(users)), (GROUP, 0, NOBODY),
        (MASK, READ, NOBODY), (OTHERS, 0, NOBODY),
    ]  # fmt: skip
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def given_before() -> dict[str, str]:
    """Return the secrets that an earlier version wrote into `.env`."""
    if not FILE.exists():
        return {}
    pairs = (line.split("=", 1) for line in FILE.read_text(encoding="utf-8").splitlines() if "=" in line)
    return {name.strip(): value.strip().strip("'\"") for name, value in pairs if name.strip() in NEW and value.strip()}


def write_new(path: Path, text: str) -> bool:
    """Write a file that only its owner may read; return False and change nothing if it exists."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    return True


def let_containers_read(path: Path) -> bool:
    """Add the users of the containers to the file's access control list; return whether the disk has such lists."""
    try:
        os.setxattr(path, LIST, readable_by(USERS))
    except (OSError, AttributeError):
        return False
    return True


def write_secrets() -> tuple[list[Path], bool]:
    """Write the missing secrets; return their files, and whether the containers can read them."""
    FOLDER.mkdir(mode=0o700, exist_ok=True)
    known, written, shared = given_before(), [], True
    for name in NEW:
        path = secret_path(name)
        if write_new(path, known.get(name) or new_secret(name)):
            written.append(path)
            shared = let_containers_read(path) and shared
    return written, shared


def main() -> int:
    moved = given_before()
    written, shared = write_secrets()
    hosts = os.environ.get("ALLOWED_HOSTS", "").strip() or HOSTS
    settings = f"# The host names of this installation, separated by commas.\nALLOWED_HOSTS={hosts}"
    made = [*written, *([FILE] if write_new(FILE, settings) else [])]
    if not made:
        return stop(StopError(f"{FILE.name} and {FOLDER.name}/ exist already and were not changed."))
    print(f"Wrote {', '.join(str(path.relative_to(ROOT)) for path in made)}. Keep a copy: the stored data needs them.")
    if moved and written:
        print(f"They have the values of {FILE.name}. Delete these lines there: {', '.join(sorted(moved))}")
    if not shared:
        print("This disk has no access control lists. Let the containers read the secrets with:")
        print("  sudo chown 10001:999 secrets/* && sudo chmod 0440 secrets/*")
    print(f"Set ALLOWED_HOSTS in {FILE.name} to the names of your host, then run docker compose up --build -d")
    return 0


if __name__ == "__main__":
    sys.exit(main())
