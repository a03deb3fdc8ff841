"""Templates of studies: YAML files beside this module, each with what a study file holds but its slug and title.

A template whose study the demo also has takes protocol, questions and guidelines from the demo's study file (`like`)
and changes what differs. Other guidelines are in a Markdown file of the template's name.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.protocols import protocols
from config.parts import absent_part
from config.yaml_reading import parse_yaml

FOLDER = Path(__file__).with_name("study_templates")
SHARED = ("protocol", "redundancy", "guidelines", "questions", "options")
"""What a template takes from the study that it is like."""


@dataclass(frozen=True)
class StudyTemplate:
    """A template: `about` says what people do, `paper` whose study it follows, `next` what is left to decide."""

    key: str
    place: int
    label: str
    about: str
    paper: str
    next: str
    body: Mapping[str, Any]

    @property
    def protocol(self) -> str:
        return protocols()[self.body["protocol"]].label


@lru_cache
def study_templates() -> Mapping[str, StudyTemplate]:
    """Return the templates by key, in the order in which the page shows them, without those that need absent parts."""
    found = [template for path in FOLDER.glob("*.yaml") if _is_possible(template := _read(path))]
    return {template.key: template for template in sorted(found, key=lambda template: template.place)}


def _is_possible(template: StudyTemplate) -> bool:
    """Whether all parts are installed that the template's study uses."""
    recruiting = (f"recruiting.{key}" for key in template.body.get("recruiting", ()))
    return all(absent_part(key) is None for key in (*template.body, *recruiting))


def _read(path: Path) -> StudyTemplate:
    told = parse_yaml(path.read_text(encoding="utf-8"))
    base: Mapping[str, Any] = {}
    if "like" in told:
        base = parse_yaml((settings.BASE_DIR / told["like"]).read_text(encoding="utf-8"))
    guidelines = path.with_suffix(".md")
    own = {"guidelines": guidelines.read_text(encoding="utf-8")} if guidelines.exists() else {}
    body = {**{key: base[key] for key in SHARED if key in base}, **own, **told["study"]}
    return StudyTemplate(
        path.stem, told["place"], told["label"], told["about"], told.get("paper", ""), told["next"], body
    )
