"""Templates of studies: YAML files, each with what a study file holds but its slug and title.

Those beside this module need no part; those of a part are in a folder that it names (`Part.study_templates`).

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
from config.parts import parts
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
    """Return the templates by key, in the order in which the page shows them."""
    folders = [FOLDER, *(part.study_templates for part in parts() if part.study_templates is not None)]
    found = [_read(path) for folder in folders for path in folder.glob("*.yaml")]
    return {template.key: template for template in sorted(found, key=lambda template: template.place)}


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
