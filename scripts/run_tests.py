"""`make test` and its parts: says what it runs and skips, and ends with the first failure.

The last program that it runs takes its place, so that the last line is pytest's own.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent
LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
REFERENCE = ROOT.parent / "shared" / "data"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PROCESSES = 2
SPREAD = ("-n", str(PROCESSES), "--dist", "loadfile")
"""Files of tests are shared out to processes, each with a database of its own; browser tests run one by one."""
WITHOUT_DATABASE = (
    "tests/ops", "tests/agreement", "tests/llm/test_client.py", "tests/llm/test_client_secrets.py",
    "tests/llm/test_extractive.py", "tests/llm/test_scripted.py", "tests/test_documents.py",
    "tests/test_house_rules.py", "tests/test_imports.py", "tests/test_secrets.py",
)  # fmt: skip
"""Tests that never ask the database that is configured: once is enough."""


def say(text: str) -> None:
    """Print now, before what a child prints."""
    print(text, flush=True)


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a program of the environment to its end; its failure is ours."""
    say(f"+ {' '.join(command)}")
    code = subprocess.run([sys.executable, "-m", *command], env=environment).returncode
    if code:
        say(f"Failed: {' '.join(command)}")
        sys.exit(code if code > 0 else 128 - code)


def become(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Have `command` take the place of this process."""
    say(f"+ {' '.join(command)}")
    os.execve(sys.executable, [sys.executable, "-m", *command], dict(environment))


def plain_environment() -> dict[str, str]:
    """The environment without what would make the checks depend on this machine's installation."""
    ours = ("DATABASE_URL", "BROKER_URL", "PROFILE", "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "PORT", "DEMO", "VAR")
    kept = {key: value for key, value in os.environ.items() if key not in ours}
    folder = ROOT / "var" / "tests"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # One seed for hashes: processes that share tests out must agree on their order.
    return {**kept, "VAR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONHASHSEED": "0"}


def lint() -> None:
    """Style, types, migrations and settings."""
    environment = plain_environment()
    run(["ruff", "check", "."])
    run(["ruff", "format", "--check", "."])
    run(["mypy", "."], environment)
    run(["django", "makemigrations", "--check", "--dry-run"], environment)
    run(["django", "check", "--fail-level", "WARNING"], environment)
    production = {
        **environment, "PROFILE": "production", "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "rate.interrater.test", "BROKER_URL": "redis://127.0.0.1:6379/0",
    }  # fmt: skip
    run(["django", "check", "--deploy", "--fail-level", "WARNING"], production)


def postgres() -> tuple[str, str]:
    """The address of a server that answers, or "" and why there is none."""
    address = os.environ.get("TEST_POSTGRES_URL", LOCAL_POSTGRES)
    if not address:
        return "", "TEST_POSTGRES_URL is empty"
    try:
        psycopg.connect(address, connect_timeout=3).close()
    except psycopg.OperationalError as problem:
        where = urlsplit(address)
        return "", f"no server answers at {where.hostname}:{where.port or 5432} ({str(problem).splitlines()[0]})"
    return address, ""


def test_on_postgres(address: str, arguments: Sequence[str]) -> None:
    """Run the tests in databases of their own, which are gone afterwards whatever happens.

    The empty one is what tests connect to that make a database for a server of theirs.
    """
    name = f"interrater_{secrets.token_hex(5)}"
    own = urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
    environment = {**plain_environment(), "DATABASE_URL": own}
    ignored = [f"--ignore={path}" for path in WITHOUT_DATABASE]
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
    except psycopg.errors.InsufficientPrivilege:
        sys.exit("The user of TEST_POSTGRES_URL may not make databases: ALTER USER ... CREATEDB, or TEST_POSTGRES_URL=")
    try:
        run(["pytest", *SPREAD, "-m", "not browser", *ignored, *arguments], environment)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            for made in (*(f"test_{name}_gw{number}" for number in range(PROCESSES)), name):
                connection.execute(f'DROP DATABASE IF EXISTS "{made}" WITH (FORCE)')


def browser_tests() -> list[str]:
    """The names of the tests that need a browser."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "browser"],
        env=plain_environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return [line for line in listed.stdout.splitlines() if "::" in line]


def summary(address: str, why: str, chromium: str | None) -> None:
    """Say what the passes are and what they leave out."""
    browser = "run once, on SQLite"
    if chromium is None:
        browser = "skipped: no Chromium (sudo apt install chromium)"
    reference = Path(os.environ.get("REFERENCE_DATA") or REFERENCE)
    found = "used" if reference.is_dir() else "not there, the tests that need it are skipped (set REFERENCE_DATA)"
    say("Ran: ruff check, ruff format --check, mypy, makemigrations --check, check, check --deploy.")
    passed = "passed all but browser tests and those that need no database"
    say(f"PostgreSQL: {passed if address else 'skipped: ' + why}.")
    say(f"Reference data {reference}: {found}.")
    say(f"Browser tests: {browser}.")
    if chromium is None:
        for name in browser_tests():
            say(f"  skipped: {name}")
    elif shutil.which("npm") is None:
        say("  without npm, which fetches axe-core, the tests of accessibility are skipped.")
    say("Now everything on SQLite.")


def find_chromium() -> str | None:
    """The path of a Chromium, if there is one."""
    named = os.environ.get("CHROMIUM")
    return named if named else next((found for name in CHROMIUM if (found := shutil.which(name))), None)


def test(arguments: Sequence[str]) -> NoReturn:
    """All tests: on PostgreSQL where one answers, then on SQLite, those with a browser last."""
    chromium = find_chromium()
    address, why = postgres()
    if address:
        say("Tests on PostgreSQL, without the browser tests and those that need no database:")
        test_on_postgres(address, arguments)
    summary(address, why, chromium)
    on_sqlite = ["pytest", *SPREAD, "-m", "not browser", *arguments]
    if chromium is None:
        become(on_sqlite, plain_environment())
    run(on_sqlite, plain_environment())
    become(["pytest", "-m", "browser", *arguments], {**plain_environment(), "CHROMIUM": chromium})


def browser(arguments: Sequence[str]) -> NoReturn:
    """The browser tests alone."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("There is no Chromium: sudo apt install chromium")
    become(["pytest", "-m", "browser", *arguments], {**plain_environment(), "CHROMIUM": chromium})


def benchmark() -> None:
    """Every benchmark, with a database folder of its own."""
    for file in sorted((ROOT / "benchmarks").glob("*.py")):
        if file.name.startswith("_"):
            continue
        with tempfile.TemporaryDirectory(prefix="interrater-benchmark-") as folder:
            run([f"benchmarks.{file.stem}"], {**plain_environment(), "VAR": folder})


def end(number: int, frame: FrameType | None) -> NoReturn:
    """End with the child that runs, and without leaving a database behind."""
    sys.exit(128 + number)


def main(part: str, arguments: Sequence[str]) -> None:
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    if part in ("all", "lint"):
        lint()
    if part == "all":
        test(arguments)
    if part == "format":
        run(["ruff", "check", "--fix", "--exit-zero", "--quiet", "."])
        run(["ruff", "format", "."])
    if part == "browser":
        browser(arguments)
    if part == "benchmark":
        benchmark()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
