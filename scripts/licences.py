"""Compares the licences of all installed packages with a list of allowed ones, and with THIRD_PARTY.md."""

import importlib.metadata
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

from scripts.audit_outcome import AuditOutcome

ROOT = Path(__file__).resolve().parent.parent
ALLOWED = frozenset({
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CNRI-Python", "ISC", "LGPL-3.0-only", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib",
    "LicenseRef-BSD",
})  # fmt: skip
"""What may be installed to run Interrater. LicenseRef-BSD is a BSD licence whose package does not say which one."""
ALLOWED_TO_TEST = ALLOWED | {"GPL-3.0-or-later"}
"""What may be installed to test it, and is neither imported nor passed on by it."""
RUN_BY = ("base", "retrieval", "torch_default", "sentry")
NAMES = {
    "3-Clause BSD License": "BSD-3-Clause", "Apache 2.0 License": "Apache-2.0", "Apache Software License": "Apache-2.0",
    "BSD 3-Clause OR Apache-2.0": "BSD-3-Clause OR Apache-2.0", "BSD License": "LicenseRef-BSD",
    "ISC License (ISCL)": "ISC", "MIT License": "MIT", "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}  # fmt: skip
"""Older ways to name a licence."""
NO_LICENCE = ("DFSG approved", "OSI Approved")
LICENSING = get_spdx_licensing()


@dataclass(frozen=True)
class InstalledPackage:
    """An installed package and what it says about its licence: an SPDX expression, or a text that is none."""

    name: str
    licence: str

    @property
    def key(self) -> str:
        return re.sub(r"[-_.]+", "-", self.name).lower()


def installed() -> list[InstalledPackage]:
    """Return all packages that are installed beside this program, by name."""
    found = {}
    for distribution in importlib.metadata.distributions():
        package = InstalledPackage(distribution.metadata["Name"], stated_licence(distribution.metadata))
        found[package.key] = package
    return [found[key] for key in sorted(found)]


def stated_licence(metadata: Any) -> str:
    """Return what the metadata of a package says, as an SPDX expression if it is understood."""
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classifiers = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier") or () if line[:7] == "License"]
    named = [NAMES.get(name, name) for name in classifiers if name not in NO_LICENCE]
    if named:
        return " OR ".join(named)
    first = ((metadata.get("License") or "").strip().splitlines() or [""])[0]
    return NAMES.get(first, first)


def is_allowed(licence: str, allowed: frozenset[str]) -> bool:
    """Whether an expression can be met by allowed licences: one of those with OR, all of those with AND."""
    try:
        parsed = LICENSING.parse(licence)
    except ExpressionError:
        return False
    return parsed is not None and _met(parsed, allowed)


def _met(parsed: Any, allowed: frozenset[str]) -> bool:
    operator = getattr(parsed, "operator", "").strip()
    if operator == "OR":
        return any(_met(part, allowed) for part in parsed.args)
    if operator == "AND":
        return all(_met(part, allowed) for part in parsed.args)
    return str(parsed) in allowed


def licences_told(text: str) -> dict[str, str]:
    """Return the licences that THIRD_PARTY.md names, by package."""
    told = {}
    for licence, names in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, flags=re.MULTILINE):
        for name in re.split(r",\s*", names):
            told[re.sub(r"[^a-z0-9]", "", name.lower())] = licence
    return told


def run_names() -> frozenset[str]:
    """Return the names of the packages that run Interrater, as the lock files have them."""
    text = "".join((ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in RUN_BY)
    return frozenset(re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE))


def check_packages(packages: Iterable[InstalledPackage], run: frozenset[str], told: Mapping[str, str]) -> list[str]:
    """Return a line for each licence that is not allowed, and for each that THIRD_PARTY.md names differently."""
    found = []
    for package in packages:
        licence = package.licence or "no licence"
        if not is_allowed(licence, ALLOWED if package.key in run else ALLOWED_TO_TEST):
            what = "run" if package.key in run else "test"
            found.append(f"{package.name}: {licence} is not among the licences that may be installed to {what}")
        listed = told.get(package.key.replace("-", ""))
        ids = re.findall(r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*", licence.replace("LicenseRef-BSD", "BSD"))
        if listed is not None and not any(one.partition("-")[0].lower() in listed.lower() for one in ids):
            found.append(f"{package.name}: its metadata say {licence}, and THIRD_PARTY.md {listed}")
        if listed is None and package.key in run:
            found.append(f"{package.name}: THIRD_PARTY.md does not name it")
    return found


def check_licences() -> AuditOutcome:
    """Return what is installed with a licence that is not allowed or not told."""
    told = licences_told((ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8"))
    return AuditOutcome.of(check_packages(installed(), run_names(), told))
