"""Reads `docker-compose.yml`: the services with their values filled in, as `docker compose` would see them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from scripts.problems import StopError

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "docker-compose.yml"
VALUE = re.compile(r"\$\$|\$\{(?P<name>[A-Z][A-Z0-9_]*)(?::(?P<how>[-?])(?P<rest>[^}]*))?\}")


@dataclass(frozen=True)
class Described:
    """A service as the file describes it. `mounts` are the places in the container that are not part of its image."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    health: tuple[str, ...]
    mounts: tuple[str, ...]
    after: Mapping[str, str]


def fill(text: str, values: Mapping[str, str]) -> str:
    """`text` with its `${NAME}`, `${NAME:-default}` and `${NAME:?sentence}` replaced; raises StopError."""

    def one(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        given = values.get(found["name"], "")
        if not given and found["how"] == "?":
            raise StopError(f"{found['name']} {found['rest']}.")
        return given or (found["rest"] if found["how"] == "-" else "")

    return VALUE.sub(one, text)


def filled(node: Any, values: Mapping[str, str]) -> Any:
    """The same for all texts in a tree."""
    if isinstance(node, str):
        return fill(node, values)
    if isinstance(node, dict):
        return {key: filled(value, values) for key, value in node.items()}
    if isinstance(node, list):
        return [filled(value, values) for value in node]
    return node


def read() -> dict[str, Any]:
    """The file as it stands, its references to parts of itself followed."""
    found: dict[str, Any] = YAML(typ="safe", pure=True).load(FILE.read_text(encoding="utf-8"))
    return found


def health_command(service: Mapping[str, Any]) -> tuple[str, ...]:
    """What tells whether the service is well; empty where nothing does."""
    match service.get("healthcheck", {}).get("test", []):
        case ["CMD", *words]:
            return tuple(words)
        case ["CMD-SHELL", line]:
            return ("sh", "-c", line)
    return ()


def services(values: Mapping[str, str]) -> list[Described]:
    """The services in the order of the file, which is an order in which they can be started."""
    found: list[Described] = []
    for name, service in filled(read()["services"], values).items():
        after = {other: about["condition"] for other, about in service.get("depends_on", {}).items()}
        if missing := set(after) - {earlier.name for earlier in found}:
            raise StopError(f"docker-compose.yml: {name} comes before what it needs ({', '.join(missing)}).")
        places = [volume.split(":")[1] for volume in service.get("volumes", [])]
        places += [place.split(":")[0] for place in service.get("tmpfs", [])]
        found.append(
            Described(
                name, tuple(service["command"]), service.get("environment", {}), health_command(service), tuple(places),
                after,
            )
        )  # fmt: skip
    return found
