"""Examples for prompts: written ones of the study, random ones from other documents, or similar turns."""

from annotation.models import Study
from judges.configuration import RunConfiguration
from judges.example_sources import ExampleSource, NoExamples
from judges.turn_examples import TurnExamples


def example_source(study: Study, configuration: RunConfiguration) -> ExampleSource:
    """Return where a run's examples come from."""
    choice = configuration.judge_protocol.examples(configuration.options)
    if choice is not None and choice.source == "turns" and choice.split is not None and choice.count:
        return TurnExamples(study, choice.count, choice.split)
    return NoExamples()
