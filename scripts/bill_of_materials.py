"""The list of what a release consists of (SBOM), in CycloneDX's JSON: locked packages and copied front-end files.

    python -m scripts.bill_of_materials [--when 2026-11-23T12:00:00+00:00] [--out FILE]

The same files and time give the same bytes. Versions are those of the lock files, licences those of THIRD_PARTY.md.
"""

import argparse
import hashlib
import re
import sys
import tomllib
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import DisjunctiveLicense
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from scripts.licences import licences_told

ROOT = Path(__file__).resolve().parent.parent
NEEDED, OPTIONAL = ("base",), ("retrieval", "torch_default", "sentry")
NAMESPACE = uuid.UUID("a8b6e6f2-3f0c-5b0e-9c57-6f1d2d0c4a11")
LOCKED = re.compile(r"^([a-z0-9-]+)==([^ ;\\\n]+)(?: ; ([^\\\n]+))?", re.MULTILINE)
VENDORED = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def version_of(root: Path) -> str:
    """Return the version in pyproject.toml."""
    return str(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def packages(root: Path) -> Iterator[Component]:
    """Yield the locked Python packages; those of dense retrieval and of reports of errors are optional."""
    told = licences_told((root / "THIRD_PARTY.md").read_text(encoding="utf-8"))
    seen = set()
    for name in (*NEEDED, *OPTIONAL):
        text = (root / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
        for package, version, marker in LOCKED.findall(text):
            if (package, version) in seen:
                continue
            seen.add((package, version))
            url = PackageURL("pypi", None, package, version)
            licence = told.get(package.replace("-", ""))
            yield Component(
                name=package, version=version, type=ComponentType.LIBRARY, purl=url, bom_ref=url.to_string(),
                scope=ComponentScope.REQUIRED if name in NEEDED else ComponentScope.OPTIONAL,
                licenses=[DisjunctiveLicense(name=licence)] if licence else None,
                properties=[Property(name="interrater:only-if", value=marker.strip())] if marker else None,
            )  # fmt: skip


def front_end_files(root: Path) -> Iterator[Component]:
    """Yield the files of others that the repository holds, as THIRD_PARTY.md lists them."""
    for path, version, licence in VENDORED.findall((root / "THIRD_PARTY.md").read_text(encoding="utf-8")):
        content = (root / path).read_bytes()
        yield Component(
            name=Path(path).name, version=version.strip(), type=ComponentType.FILE, bom_ref=path,
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=hashlib.sha256(content).hexdigest())],
            licenses=[DisjunctiveLicense(name=licence.partition("([")[0].strip())],
            properties=[Property(name="interrater:path", value=path)],
        )  # fmt: skip


def bill_of_materials(root: Path, when: datetime) -> str:
    """Return the list as JSON text. Its serial number is made from its content."""
    version = version_of(root)
    bom = Bom(components=[*packages(root), *front_end_files(root)])
    bom.metadata.timestamp = when
    bom.metadata.component = Component(
        name="interrater", version=version, type=ComponentType.APPLICATION, bom_ref=f"interrater@{version}",
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
    )  # fmt: skip
    bom.register_dependency(bom.metadata.component, bom.components)
    bom.serial_number = uuid.UUID(int=0)
    bom.serial_number = uuid.uuid5(NAMESPACE, written(bom))
    return written(bom)


def written(bom: Bom) -> str:
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m scripts.bill_of_materials", description=__doc__)
    parser.add_argument("--when", type=datetime.fromisoformat, default=datetime(2000, 1, 1, tzinfo=UTC))
    parser.add_argument("--out", type=Path, help="the file to write; standard output without it")
    given = parser.parse_args(arguments)
    text = bill_of_materials(ROOT, given.when)
    if given.out is None:
        sys.stdout.write(text)
    else:
        given.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
