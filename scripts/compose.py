"""Read `docker-compose.yml`: the services with their values filled in, as `docker compose` sees them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from scripts.stop_errors import StopError

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docker-compose.yml"
VALUE = re.compile(r"\$\$|\$\{(?P<name>[A-Z][A-Z0-9_]*)(?::(?P<how>[-?+])(?P<rest>[^}]*))?\}")


@dataclass(frozen=True)
class ComposeService:
    """A service as the file describes it. `mounts` are the paths in the container that are not part of its image."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    health: tuple[str, ...]
    mounts: tuple[str, ...]
    after: Mapping[str, str]
    files: Mapping[str, Path]
    """Files of the repository that are mounted into the container, by their paths there."""
    secrets: Mapping[str, str]
    """Names of the secrets that the service may read, by the paths of their files in the container."""
    reads_keys: bool
    """Whether the service has the variables of `keys.env`."""


def fill(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with `${NAME}`, `${NAME:-default}`, `${NAME:+this if it is set}` and `${NAME:?sentence}` replaced.

    Raises StopError.
    """

    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        given = values.get(found["name"], "")
        if not given and found["how"] == "?":
            raise StopError(f"{found['name']} {found['rest']}.")
        if found["how"] == "+":
            return found["rest"] if given else ""
        return given or (found["rest"] if found["how"] == "-" else "")

    return VALUE.sub(one, text)


def volume_target(volume: str) -> str:
    """Return the path in the container of a volume in the short form, `source:target[:mode]`."""
    parts = [part for part in volume.split(":") if part not in ("ro", "rw")]
    return parts[-1]


def filled(node: Any, values: Mapping[str, str]) -> Any:
    """Return a copy of a tree with all its texts filled."""
    if isinstance(node, str):
        return fill(node, values)
    if isinstance(node, dict):
        return {key: filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, values) for value in node]
    return node


def read() -> dict[str, Any]:
    """Return the parsed file with its YAML aliases resolved and no values filled in."""
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(FILE.read_text(encoding="utf-8"))
    return found


def health_command(service: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the command of the service's health check; empty if it has none."""
    match service.get("healthcheck", {}).get("test", []):
        case ["CMD", *words]:
            return tuple(words)
        case ["CMD-SHELL", line]:
            return ("sh", "-c", line)
    return ()


def services(values: Mapping[str, str]) -> list[ComposeService]:
    """Return the services in the order of the file; each comes after those it depends on, or StopError is raised."""
    found: list[ComposeService] = []
    described = read()
    kept = {name: FILE.parent / about["file"] for name, about in described.get("configs", {}).items()}
    for name, service in filled(described["services"], values).items():
        after = {other: about["condition"] for other, about in service.get("depends_on", {}).items()}
        if missing := set(after) - {earlier.name for earlier in found}:
            raise StopError(
                f"docker-compose.yml: {name} must come after the services it depends on ({', '.join(missing)})."
            )
        places = [volume_target(volume) for volume in service.get("volumes", [])]
        places += [place.split(":")[0] for place in service.get("tmpfs", [])]
        found.append(
            ComposeService(
                name, tuple(service["command"]), service.get("environment", {}), health_command(service), tuple(places),
                after, {used["target"]: kept[used["source"]] for used in service.get("configs", [])},
                {f"/run/secrets/{secret}": secret for secret in service.get("secrets", [])}, "env_file" in service,
            )
        )  # fmt: skip
    return found
