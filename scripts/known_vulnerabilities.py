"""Asks the open database of advisories (OSV) about every locked package, by pip-audit.

A package that pip-audit skips was not checked, so it never passes for one without advisories. OSV_URL names a mirror.
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.audit_outcome import AuditOutcome, AuditStatus

ROOT = Path(__file__).resolve().parent.parent
LOCKS = tuple(ROOT / "requirements" / f"{name}.txt" for name in ("test", "models", "torch_default", "sentry", "uv"))
"""Together they have every package of the other files: those that run, and those that test."""
SECONDS = 15


def check_vulnerabilities(locks: Sequence[Path] = LOCKS) -> AuditOutcome:
    """Return the advisories for the versions in the lock files."""
    files = [word for lock in locks for word in ("--requirement", str(lock))]
    mirror = ["--osv-url", os.environ["OSV_URL"]] if os.environ.get("OSV_URL") else []
    done = subprocess.run(
        [
            sys.executable, "-m", "pip_audit", *files, "--no-deps", "--disable-pip", "--vulnerability-service", "osv",
            *mirror, "--format", "json", "--progress-spinner", "off", "--timeout", str(SECONDS),
        ],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    try:
        packages: list[dict[str, Any]] = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError, TypeError):
        last = done.stderr.strip().splitlines()[-1:] or ["pip-audit printed nothing."]
        return AuditOutcome(
            AuditStatus.UNCHECKED, ("The database of advisories was not reached (OSV_URL names a mirror).", *last)
        )
    return read_answer(packages)


def read_answer(packages: Sequence[dict[str, Any]]) -> AuditOutcome:
    """Return what pip-audit says about the packages."""
    found = [
        f"{package['name']} {package['version']}: {advisory['id']}"
        + (f", fixed in {', '.join(advisory['fix_versions'])}" if advisory["fix_versions"] else ", not fixed yet")
        for package in packages
        for advisory in package.get("vulns", [])
    ]
    skipped = [f"{package['name']}: {package['skip_reason']}" for package in packages if "skip_reason" in package]
    if found:
        return AuditOutcome(AuditStatus.FOUND, (*found, *skipped))
    if skipped or not packages:
        return AuditOutcome(AuditStatus.UNCHECKED, tuple(skipped) or ("pip-audit named no package.",))
    return AuditOutcome(AuditStatus.CLEAN)
