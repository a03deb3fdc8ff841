"""`make test` and its parts: print what runs and what is skipped, and stop at the first part that fails.

If all is well, the last line of output is pytest's own.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import urlsplit, urlunsplit

import psycopg

ROOT = Path(__file__).resolve().parent.parent
LOCAL_POSTGRES = "postgres://postgres@127.0.0.1:5432/postgres"
REFERENCE = ROOT.parent / "shared" / "data"
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first is the same engine without a window of its own, and takes a third less processor time."""
PROCESSES = 3
"""One more than the 2 cores of a small machine, because many tests wait for a server or for programs they start."""
SPREAD = ("-n", str(PROCESSES), "--dist", "worksteal")
"""Tests are shared out over processes, each with a database of its own; an idle process takes tests from others."""
HALF = ("-n", "2", "--dist", "worksteal")
"""For two runs beside each other. Each process reads all tests and makes a database, 12 seconds of a processor."""
BESIDE = (*HALF, "-o", "cache_dir=.pytest_cache/browser")
"""For browser tests beside the others; what has failed is remembered separately."""
THOROUGH = "thorough"
"""The marker of tests that take long and show more cases, or less important ones; `make thorough` runs them, too."""

ALL_RUN = "The tests marked as thorough run, too."
"""By this line `make release` knows a report of `make thorough`."""


def chosen(markers: str, part: str) -> tuple[str, str]:
    """The option of pytest for tests with these markers, or all if empty; without the thorough ones in `make test`."""
    rest = "" if part == THOROUGH else f"not {THOROUGH}"
    return "-m", " and ".join(filter(None, (markers, rest)))


QUICK = "quick"
ON_POSTGRES = "(both or postgresql)"
"""By these words `tests/conftest.py` knows which files a run needs."""
BROWSERS = "tests/browser"
NO_BROWSERS = f"--ignore={BROWSERS}"
"""Each process reads all tests that it is given before it runs one, so runs are given only their own."""

SOME_FAILED = 1
"""The exit code of pytest if tests failed, and nothing else went wrong."""
ONCE_MORE = ("-n", "0", "--last-failed", "--last-failed-no-failures", "none", "--maxfail", "1")


def say(text: str) -> None:
    """Print at once, so that it appears before what a child process prints."""
    print(text, flush=True)


def run(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Run a Python module to its end; exit with its code if it fails."""
    say(f"+ {' '.join(command)}")
    code = subprocess.run([sys.executable, "-m", *command], env=environment).returncode
    if code == SOME_FAILED and command[0] == "pytest":
        say("Those that failed run once more, one after the other. One that passes now depends on time: fix it.")
        code = subprocess.run([sys.executable, "-m", *command, *ONCE_MORE], env=environment).returncode
    if code:
        say(f"Failed: {' '.join(command)}")
        sys.exit(code if code > 0 else 128 - code)


def become(command: Sequence[str], environment: Mapping[str, str]) -> NoReturn:
    """Replace this process with `command`."""
    say(f"+ {' '.join(command)}")
    os.execve(sys.executable, [sys.executable, "-m", *command], dict(environment))


def plain_environment() -> dict[str, str]:
    """Return the environment without the settings of an installation on this machine, which would affect the checks.

    Bytecode is always written: tests start about a hundred programs, and each would compile the project again.
    """
    ours = ("DATABASE_URL", "BROKER_URL", "PROFILE", "DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "PORT", "DEMO", "VAR")
    without = (*ours, "PYTHONDONTWRITEBYTECODE")
    kept = {key: value for key, value in os.environ.items() if key not in without}
    folder = ROOT / "var" / "tests"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # One hash seed: the processes that share the tests must agree on their order.
    return {**kept, "VAR": str(folder), "DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONHASHSEED": "0"}


def check_style() -> None:
    """Check style and format with ruff, which takes a second."""
    run(["ruff", "check", "."])
    run(["ruff", "format", "--check", "."])


def check_types() -> None:
    """Check types with mypy, which remembers what has not changed."""
    run(["mypy", "."], plain_environment())


def check_types_and_settings() -> None:
    """Check types, migrations and settings."""
    check_types()
    environment = plain_environment()
    run(["django", "makemigrations", "--check", "--dry-run"], environment)
    run(["django", "check", "--fail-level", "WARNING"], environment)
    production = {
        **environment, "PROFILE": "production", "SECRET_KEY": secrets.token_urlsafe(50),
        "ALLOWED_HOSTS": "rate.interrater.test", "BROKER_URL": "redis://127.0.0.1:6379/0",
        "DATABASE_URL": "postgres://nobody:nothing@127.0.0.1:9/nowhere",  # this machine's SQLite may be an old one
    }  # fmt: skip
    run(["django", "check", "--deploy", "--fail-level", "WARNING"], production)


def compile_tests() -> None:
    """Read all tests in a new checkout, which keeps their bytecode. Else each process would compile every one."""
    if any((ROOT / "tests" / "__pycache__").glob("*-pytest-*.pyc")):
        return
    read = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", NO_BROWSERS],
        env=plain_environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if read.returncode:
        say(read.stdout[-5000:] + read.stderr[-5000:])
        sys.exit(read.returncode)


@contextmanager
def beside(part: str, arguments: Sequence[str] = ()) -> Iterator[None]:
    """Run another part in a process of its own while the block runs, then print its output."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        other = subprocess.Popen(
            [sys.executable, "-m", "scripts.run_tests", part, *arguments], stdout=said, stderr=subprocess.STDOUT
        )
        try:
            yield
            code = other.wait()
        finally:
            other.terminate()
            other.wait()
            said.seek(0)
            say(said.read().rstrip())
        if code:
            sys.exit(code)


def postgres() -> tuple[str, str]:
    """Return the address of a PostgreSQL server and "", or "" and the reason why there is none."""
    address = os.environ.get("TEST_POSTGRES_URL", LOCAL_POSTGRES)
    if not address:
        return "", "TEST_POSTGRES_URL is empty"
    try:
        psycopg.connect(address, connect_timeout=3).close()
    except psycopg.OperationalError as problem:
        where = urlsplit(address)
        return "", f"no server answers at {where.hostname}:{where.port or 5432} ({str(problem).splitlines()[0]})"
    return address, ""


def test_on_postgres(address: str, part: str, arguments: Sequence[str]) -> None:
    """Run the tests in databases of their own, which are dropped afterwards whatever happens.

    One of them stays empty: tests that create a database for a server of their own connect to it.
    """
    name = f"interrater_{secrets.token_hex(5)}"
    own = urlunsplit(urlsplit(address)._replace(path=f"/{name}"))
    environment = {**plain_environment(), "DATABASE_URL": own}
    try:
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
    except psycopg.errors.InsufficientPrivilege:
        sys.exit(
            "The user of TEST_POSTGRES_URL cannot create databases: ALTER USER ... CREATEDB, or TEST_POSTGRES_URL="
        )
    try:
        asked = "" if part == THOROUGH else ON_POSTGRES
        run(["pytest", *SPREAD, NO_BROWSERS, *chosen(asked, part), *arguments], environment)
    finally:
        with psycopg.connect(address, autocommit=True) as connection:
            for made in (*(f"test_{name}_gw{number}" for number in range(PROCESSES)), name):
                connection.execute(f'DROP DATABASE IF EXISTS "{made}" WITH (FORCE)')


def browser_tests() -> list[str]:
    """Return the names of the tests that need a browser."""
    listed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/browser"],
        env=plain_environment(), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    return [line for line in listed.stdout.splitlines() if "::" in line]


def summary(address: str, why: str, chromium: str | None, part: str) -> None:
    """Print which checks ran, what comes next and what is skipped."""
    browser = "run once, on SQLite"
    if chromium is None:
        browser = "skipped: no Chromium (sudo apt install chromium)"
    reference = Path(os.environ.get("REFERENCE_DATA") or REFERENCE)
    found = "used" if reference.is_dir() else "not found, so the tests that need it are skipped (set REFERENCE_DATA)"
    say("Ran: ruff check, ruff format --check, mypy, makemigrations --check, check, check --deploy.")
    passed = "passed the tests that commit or are marked for it"
    say(f"PostgreSQL: {passed if address else 'skipped: ' + why}.")
    say(f"Reference data {reference}: {found}.")
    say(f"Browser tests: {browser}.")
    if chromium is None:
        for name in browser_tests():
            say(f"  skipped: {name}")
    elif shutil.which("npm") is None:
        say("  skipped without npm, which fetches axe-core: the accessibility tests.")
    say(ALL_RUN if part == THOROUGH else "Left to `make thorough`: the tests marked as thorough.")
    say(f"Now running on SQLite {'all other tests' if address else 'everything'}.")


def find_chromium() -> str | None:
    """Return the path of a Chromium, or None."""
    named = os.environ.get("CHROMIUM")
    return named if named else next((found for name in CHROMIUM if (found := shutil.which(name))), None)


def test(part: str, arguments: Sequence[str]) -> NoReturn:
    """Run the tests: on PostgreSQL if a server answers, then on SQLite, with those in a browser if there is one."""
    chromium = find_chromium()
    address, why = postgres()
    check_style()
    if address:
        say("Checking types and settings, and on PostgreSQL the tests that commit or are marked for it:")
        with beside("types"):
            compile_tests()
            test_on_postgres(address, part, arguments)
    else:
        with beside("types"):
            compile_tests()
    summary(address, why, chromium, part)
    elsewhere = "not postgresql" if address and part != THOROUGH else ""
    on_sqlite = [NO_BROWSERS, *chosen(elsewhere, part), *arguments]
    if chromium is None:
        become(["pytest", *SPREAD, *on_sqlite], plain_environment())
    with beside(f"{part}-browser", arguments):  # not in the same processes: the browser's driver runs an event loop
        run(["pytest", *HALF, *on_sqlite], plain_environment())
    sys.exit(0)


def quick(arguments: Sequence[str]) -> None:
    """Check style, and types while the tests run that find most faults per second, on SQLite."""
    check_style()
    with beside("mypy"):
        run(["pytest", *HALF, NO_BROWSERS, *chosen(QUICK, QUICK), *arguments], plain_environment())


def browser(part: str, spread: Sequence[str], arguments: Sequence[str]) -> None:
    """Run only the browser tests."""
    chromium = find_chromium()
    if chromium is None:
        sys.exit("Chromium is missing: sudo apt install chromium")
    run(
        ["pytest", *spread, *chosen("", part), BROWSERS, *arguments],
        {**plain_environment(), "CHROMIUM": chromium},
    )


def benchmark() -> None:
    """Run every benchmark, each with a data folder of its own."""
    for file in sorted((ROOT / "benchmarks").glob("*.py")):
        if file.name.startswith("_"):
            continue
        with tempfile.TemporaryDirectory(prefix="interrater-benchmark-") as folder:
            run([f"benchmarks.{file.stem}"], {**plain_environment(), "VAR": folder})


def end(number: int, frame: FrameType | None) -> NoReturn:
    """Exit so that the running child ends too and no database is left behind."""
    sys.exit(128 + number)


def main(part: str, arguments: Sequence[str]) -> None:
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    if part == "lint":
        check_style()
    if part in ("lint", "types"):
        check_types_and_settings()
    if part == "mypy":
        check_types()
    if part == QUICK:
        quick(arguments)
    if part in ("all", THOROUGH):
        test(part, arguments)
    if part == "format":
        run(["ruff", "check", "--fix", "--exit-zero", "--quiet", "."])
        run(["ruff", "format", "."])
    if part == "browser":
        browser(THOROUGH, SPREAD, arguments)
    if part in ("all-browser", f"{THOROUGH}-browser"):
        browser(part.removesuffix("-browser"), BESIDE, arguments)
    if part == "benchmark":
        benchmark()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
