"""The door to `config.yaml_parser`, whose library is loaded when the first text comes."""

from importlib import import_module
from typing import Any


class YamlInvalidError(ValueError):
    """A text that cannot be read: `reason` says why, `line` (0 if unknown) or `field` says where."""

    def __init__(self, reason: str, line: int = 0, field: str = "") -> None:
        super().__init__(reason)
        self.reason, self.line, self.field = reason, line, field


def parse_yaml(text: str) -> Any:
    """Return the value of a YAML 1.2 text, as `config.yaml_parser` reads it. Raises YamlInvalidError."""
    return import_module("config.yaml_parser").values_of(text)
