"""Which model judges by which protocol: what tells the methods of a study's judges apart."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import JudgeRun, Rater, Study


@dataclass(frozen=True)
class JudgeMethod:
    """A judge's protocol and model, which runs name as endpoint/model.

    Of several judges with the same two, such as with other options, all but the first by name have their name in
    `protocol` too.
    """

    model: str
    protocol: str


def judge_methods(study: Study) -> dict[str, JudgeMethod]:
    """The methods of the judges whose model and protocol are known, by the judges' names, in order."""
    machines = Rater.objects.filter(study=study).exclude(kind=Rater.Kind.HUMAN).order_by("name")
    given = {name: _given((metadata or {}).get("judge")) for name, metadata in machines.values_list("name", "metadata")}
    runs = JudgeRun.objects.filter(rater__study=study).order_by("pk").values_list("rater__name", "configuration")
    for name, configuration in runs.iterator():
        given[name] = given.get(name) or _given(configuration)
    same: dict[tuple[str, str], int] = defaultdict(int)
    methods = {}
    for name, known in sorted(given.items()):
        if known is None:
            continue
        model, protocol = known
        methods[name] = JudgeMethod(model, f"{protocol} ({name})" if same[known] else protocol)
        same[known] += 1
    return methods


def _given(configuration: Mapping[str, Any] | Any) -> tuple[str, str] | None:
    """Model and protocol, if both are texts."""
    if not isinstance(configuration, dict):
        return None
    model, protocol = configuration.get("model"), configuration.get("protocol")
    return (model, protocol) if isinstance(model, str) and isinstance(protocol, str) and model and protocol else None
