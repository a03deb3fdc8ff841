"""The configuration of a Potato project, `config.yaml`: what was asked, and which keys of its data are texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from parts.other_tools.findings import AnswerKind, Findings

SCHEMES = "annotation_schemes"
ID, TEXT = "id", "text"
PAIRWISE, RANKING, EXTREMES = "pairwise", "ranking", "bws"
KINDS = {
    "radio": AnswerKind.CHOICES,
    "select": AnswerKind.CHOICES,
    "multiselect": AnswerKind.CHOICES,
    "likert": AnswerKind.STEP,
    "slider": AnswerKind.NUMBER,
    "number": AnswerKind.NUMBER,
    "text": AnswerKind.TEXT,
    "span": AnswerKind.SPANS,
}
SHUFFLED = ("randomize_order", "option_randomization")


@dataclass(frozen=True)
class Scheme:
    """One annotation scheme: a question, or several under one name."""

    name: str
    type: str
    spec: Mapping[str, Any]

    @property
    def labels(self) -> list[str]:
        """What can be chosen or ranked, or what the two sides are called."""
        return _labels(self.spec.get("labels"))

    @property
    def items_key(self) -> str:
        """The key of the item's list of texts that are compared."""
        return str(self.spec.get("items_key") or TEXT)

    @property
    def is_shuffled(self) -> bool:
        return any(bool(self.spec.get(key)) for key in SHUFFLED)

    @property
    def mode(self) -> str:
        return str(self.spec.get("mode") or "binary")


@dataclass
class PotatoProject:
    """What files of the project say before the annotations: the schemes, the keys of the data, and lists of texts.

    `lists` has the names of the texts of each list of an item, by item and key, in the order of the data.
    """

    schemes: dict[str, Scheme] = field(default_factory=dict)
    id_key: str = ID
    text_key: str = TEXT
    lists: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    has_config: bool = False


def is_config(value: Any) -> bool:
    """Return whether a YAML value is a project's configuration."""
    return isinstance(value, Mapping) and isinstance(value.get(SCHEMES), list)


def data_files(value: Mapping[str, Any]) -> list[str]:
    """Return the names of the files with the items."""
    listed = value.get("data_files")
    names = [one.get("path") if isinstance(one, Mapping) else one for one in listed] if isinstance(listed, list) else []
    return [name for name in names if isinstance(name, str)]


def read_config(value: Mapping[str, Any], project: PotatoProject, found: Findings) -> None:
    """Add what a configuration says, to `found` the kinds, labels, scales and texts of questions."""
    project.has_config = True
    keys = value.get("item_properties")
    if isinstance(keys, Mapping):
        project.id_key = str(keys.get("id_key") or ID)
        project.text_key = str(keys.get("text_key") or TEXT)
    for spec in value[SCHEMES]:
        if isinstance(spec, Mapping) and isinstance(spec.get("name"), str):
            scheme = Scheme(spec["name"], str(spec.get("annotation_type") or ""), spec)
            project.schemes[scheme.name] = scheme
            _read_scheme(scheme, found)


def _read_scheme(scheme: Scheme, found: Findings) -> None:
    name, spec = scheme.name, scheme.spec
    if isinstance(spec.get("description"), str) and spec["description"].strip():
        found.texts[name] = spec["description"].strip()
    kind = KINDS.get(scheme.type)
    if kind is not None:
        found.kinds[name] = kind
    if kind in (AnswerKind.CHOICES, AnswerKind.SPANS):
        found.choices[name] = scheme.labels
    if scheme.type == "multiselect":
        found.multiple.add(name)
    low, high = (spec.get(key) for key in ("min_value", "max_value"))
    if scheme.type == "likert" and type(spec.get("size")) is int:
        found.scales[name] = 1, spec["size"]
    elif scheme.type == "slider" and type(low) is int and type(high) is int and low < high:
        found.scales[name] = low, high
    elif scheme.type == "rubric_eval" and isinstance(spec.get("criteria"), list):
        points = spec.get("scale_points")
        for criterion in _labels(spec["criteria"]):
            found.scales[f"{name} {criterion}"] = 1, points if type(points) is int else 5
    elif scheme.type == PAIRWISE and scheme.mode == "scale":
        _read_degree(scheme, found)


def _read_degree(scheme: Scheme, found: Findings) -> None:
    """How much better one of two texts is: below 0 the first of the data, above 0 the second."""
    scale = scheme.spec.get("scale")
    ends = scale if isinstance(scale, Mapping) else {}
    low, high = ends.get("min", -3), ends.get("max", 3)
    if type(low) is int and type(high) is int and low < high:
        found.scales[scheme.name] = low, high
    asked = found.texts.get(scheme.name, scheme.name)
    found.texts[scheme.name] = f"{asked} ({low}: the first text is better, {high}: the second)"


def _labels(listed: Any) -> list[str]:
    """The names of labels, which are texts or objects with a name."""
    given: Sequence[Any] = listed if isinstance(listed, list) else ()
    names = [one.get("name") if isinstance(one, Mapping) else one for one in given]
    return [str(name) for name in names if isinstance(name, str | int) and not isinstance(name, bool)]
