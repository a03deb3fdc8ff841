"""What a table says of a judge beside its figures: its model, the references that it reads, and its prompt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import JudgeRun, Study
from judges.protocol import judge_protocols

NO_REFERENCE = "none"


@dataclass(frozen=True)
class JudgeFacts:
    """A judge's model, whose references it reads and how, and its prompt variant; "" if a run does not say."""

    model: str = ""
    reference: str = ""
    prompt: str = ""


def judge_facts(study: Study) -> dict[str, JudgeFacts]:
    """What the newest run of each machine of the study says, by the machine's name."""
    runs = JudgeRun.objects.filter(rater__study=study, replaced_by=None).order_by("pk")
    found = {}
    for name, configuration in runs.values_list("rater__name", "configuration").iterator():
        if isinstance(configuration, dict):
            found[name] = facts_of(configuration)
    return found


def facts_of(configuration: Mapping[str, Any]) -> JudgeFacts:
    """What a run's configuration says."""
    options = configuration.get("options")
    options = options if isinstance(options, dict) else {}
    return JudgeFacts(_model(configuration), _reference(configuration, options), _prompt(configuration, options))


def _model(configuration: Mapping[str, Any]) -> str:
    named = configuration.get("model") or configuration.get("metric")
    return named if isinstance(named, str) else ""


def _reference(configuration: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    writers = ", ".join(str(one) for one in configuration.get("references") or ())
    if "metric" in configuration:
        return f"{writers}, compared with it" if writers else NO_REFERENCE
    use = options.get("reference", "context" if writers else NO_REFERENCE)
    return NO_REFERENCE if use == NO_REFERENCE else f"{writers or 'unknown'}, as {use}"


def _prompt(configuration: Mapping[str, Any], options: Mapping[str, Any]) -> str:
    name = str(configuration.get("protocol", ""))
    protocol = judge_protocols().get(name)
    return protocol.variant(options) if protocol is not None else name
