"""`make env`: write `.env` for docker compose with new passwords, unless it exists. Standard library only."""

import os
import secrets
import sys
from pathlib import Path

from scripts.stop_errors import StopError, stop

FILE = Path(__file__).resolve().parent.parent / ".env"
NEW = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")
HOSTS = "localhost"


def lines() -> list[str]:
    """Return the lines of the file: new secrets and the host names."""
    return [
        "# Read by docker compose. Keep it secret, and keep a copy: the stored data needs these passwords.",
        *(f"{name}={secrets.token_urlsafe(50 if name == 'SECRET_KEY' else 32)}" for name in NEW),
        "# The host names of this installation, separated by commas.",
        f"ALLOWED_HOSTS={os.environ.get('ALLOWED_HOSTS', '').strip() or HOSTS}",
    ]


def main() -> int:
    try:
        descriptor = os.open(FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return stop(StopError(f"{FILE.name} exists already and was not changed."))
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write("\n".join(lines()) + "\n")
    print(
        f"Wrote {FILE.name}. Set ALLOWED_HOSTS in it to the names of your host, then run docker compose up --build -d"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
