"""`make audit`: known vulnerabilities, licences, and secrets in the whole history.

Exit code 0 if all three were checked and found nothing, 1 if one found something, and 3 if one could not be checked,
for example because the database of advisories was not reached.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from scripts.audit_outcome import AuditOutcome, AuditStatus
from scripts.history_secrets import check_history
from scripts.known_vulnerabilities import check_vulnerabilities
from scripts.licences import check_licences

ROOT = Path(__file__).resolve().parent.parent
WORDS = {AuditStatus.CLEAN: "nothing found", AuditStatus.FOUND: "FOUND", AuditStatus.UNCHECKED: "NOT CHECKED"}


def worst(outcomes: Sequence[AuditOutcome]) -> AuditStatus:
    """Return what counts for all: a finding before a part that was not checked."""
    for status in (AuditStatus.FOUND, AuditStatus.UNCHECKED):
        if any(outcome.status is status for outcome in outcomes):
            return status
    return AuditStatus.CLEAN


def run_parts(parts: dict[str, Callable[[], AuditOutcome]]) -> AuditStatus:
    """Run and print each part; return the worst status."""
    outcomes = []
    for name, part in parts.items():
        outcomes.append(outcome := part())
        print(f"{name}: {WORDS[outcome.status]}", flush=True)
        for line in outcome.lines:
            print(f"  {line}", flush=True)
    return worst(outcomes)


def main(arguments: Sequence[str]) -> int:
    parts: dict[str, Callable[[], AuditOutcome]] = {
        "vulnerabilities": check_vulnerabilities, "licences": check_licences, "secrets": lambda: check_history(ROOT),
    }  # fmt: skip
    parser = argparse.ArgumentParser(prog="make audit", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"which of {', '.join(parts)}; all if none is named")
    given = parser.parse_args(arguments)
    if unknown := set(given.parts) - set(parts):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")
    return int(run_parts({name: part for name, part in parts.items() if not given.parts or name in given.parts}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
