"""The labelling configuration of a Label Studio project: which field each tag shows, and what each control asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from files.import_problems import FieldInvalidError
from parts.other_tools.findings import AnswerKind, Findings

LIST = "list"
KINDS = {
    "choices": AnswerKind.CHOICES,
    "taxonomy": AnswerKind.CHOICES,
    "rating": AnswerKind.STEP,
    "number": AnswerKind.NUMBER,
    "textarea": AnswerKind.TEXT,
    "datetime": AnswerKind.TEXT,
    "labels": AnswerKind.SPANS,
    "hypertextlabels": AnswerKind.SPANS,
    "pairwise": AnswerKind.PAIR,
    "ranker": AnswerKind.RANKING,
}
STARS = 5
MOST_CONTROLS = 1000
"""More than any project has; each is looked through for its labels."""
ONE_BY_ONE = ("perRegion", "perItem", "whenTagName", "visibleWhen")
"""Attributes of controls that are not asked about every task."""


@dataclass(frozen=True)
class Control:
    """A tag that asks something, and the names of the tags it asks about."""

    name: str
    tag: str
    about: tuple[str, ...]
    is_multiple: bool = False
    is_asked_always: bool = True


@dataclass
class LabellingConfig:
    """What a configuration says: controls by name, and fields by the names of the tags that show them."""

    controls: dict[str, Control] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)

    def fields_of(self, control: str) -> tuple[str, ...] | None:
        """The fields that a control is about, None for a tag that shows none; None for an unknown control."""
        known = self.controls.get(control)
        if known is None or not all(name in self.fields for name in known.about):
            return None
        return tuple(self.fields[name] for name in known.about)


def read_config(root: Element, config: LabellingConfig, found: Findings) -> None:
    """Add what a configuration says, to `found` the kinds, labels and scales of questions. Raises FieldInvalidError."""
    for element in root.iter():
        name, about, value = (element.get(key, "") for key in ("name", "toName", "value"))
        if name and about:
            if len(config.controls) >= MOST_CONTROLS:
                raise FieldInvalidError("", f"has more than {MOST_CONTROLS} controls")
            _read_control(element, name, about, config, found)
        elif name and value.startswith("$"):
            config.fields[name] = value[1:]


def _read_control(element: Element, name: str, about: str, config: LabellingConfig, found: Findings) -> None:
    tag = element.tag.lower()
    is_multiple = tag == "choices" and element.get("choice", "").startswith("multiple")
    conditional = any(element.get(attribute) not in (None, "false") for attribute in ONE_BY_ONE)
    names = tuple(part.strip() for part in about.split(",") if part.strip())
    config.controls[name] = Control(name, tag, names, is_multiple, not conditional)
    kind = KINDS.get(tag)
    if kind is None:
        return
    found.kinds[name] = kind
    labels = [label for child in element.iter() if child is not element and (label := _label(child))]
    if tag in ("choices", "labels", "hypertextlabels"):
        found.choices[name] = list(dict.fromkeys(labels))
    if is_multiple:
        found.multiple.add(name)
    if tag == "rating":
        found.scales[name] = (1, _whole(element.get("maxRating"), STARS))
    elif tag == "number" and element.get("min") and element.get("max"):
        low, high = _whole(element.get("min"), 0), _whole(element.get("max"), 0)
        if low < high:
            found.scales[name] = low, high


def _label(child: Element) -> str:
    """What is stored if a choice or a label is chosen."""
    if child.tag not in ("Choice", "Label") or (child.get("value") or "").startswith("$"):
        return ""
    return child.get("alias") or child.get("value") or ""


def _whole(text: str | None, usual: int) -> int:
    try:
        return int(float(text or usual))
    except (ValueError, OverflowError):
        return usual


def value_at(data: Mapping[str, Any], path: str) -> Any:
    """The value of a field; dots lead into objects."""
    if path in data:
        return data[path]
    value: Any = data
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
