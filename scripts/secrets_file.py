"""`make env`: write `.env` for docker compose, with new passwords, unless there is one. Standard library only."""

import os
import secrets
import sys
from pathlib import Path

from scripts.problems import StopError, stop

FILE = Path(__file__).resolve().parent.parent / ".env"
NEW = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
HOSTS = "localhost"


def lines() -> list[str]:
    """What the file says: secrets that nobody has seen, and the hosts that it answers to."""
    return [
        "# Read by docker compose. Keep it from others, and keep a copy: the passwords are those of the kept data.",
        *(f"{name}={secrets.token_urlsafe(50 if name == 'SECRET_KEY' else 32)}" for name in NEW),
        "# The host names of this installation, separated by commas.",
        f"ALLOWED_HOSTS={os.environ.get('ALLOWED_HOSTS', '').strip() or HOSTS}",
    ]


def main() -> int:
    try:
        descriptor = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return stop(StopError(f"{FILE.name} is there already, and was left as it is."))
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write("\n".join(lines()) + "\n")
    print(f"Wrote {FILE.name}: set ALLOWED_HOSTS in it to the names of your host, then docker compose up --build -d")
    return 0


if __name__ == "__main__":
    sys.exit(main())
