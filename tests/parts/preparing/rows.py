"""A row of each table of a study's preparation, for tests that need a row of every model."""

from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)
from parts.preparing.step_configuration import StepConfiguration


def add_preparing_rows(study):
    """Add a finished step with a document, a suggestion, an output and its edit; return rows by model name."""
    sample = DocumentSample.objects.create(
        study=study, number=1, file_name="ferries.jsonl", digest="d" * 64, seed=1, per_source=1, fewest_words=2,
        counts={"news": {"read": 3, "in_range": 2, "drawn": 1}},
    )  # fmt: skip
    document = SourceDocument.objects.create(
        study=study, sample=sample, key="news-1", source="news", text="CANARY-DOCUMENT: it sails at nine.", words=5,
        content={"title": "On ferries"},
    )  # fmt: skip
    trial = InstructionTrial.objects.create(study=study, number=1, evaluators=3, documents=["news-1"])
    configuration = StepConfiguration(
        "instructions", "campus/small", model_asked="small-1",
        prompts={"instructions": {"version": "1", "digest": "e" * 64}},
    ).as_json()  # fmt: skip
    step = PreparationStep.objects.create(
        study=study, number=1, kind="instructions", trial=trial, configuration=configuration, status="finished",
    )  # fmt: skip
    suggestion = Suggestion.objects.create(
        study=study, document=document, number=1, kind="instruction", text="CANARY-INSTRUCTION", original="Sum it up.",
        kinds=["formatting"], step=step,
    )  # fmt: skip
    call = PreparationCall.objects.create(
        step=step, place=0, document=document, suggestion=suggestion, status="done", outcome="invalid",
        reason="CANARY-REASON", ended_at=study.created_at,
    )  # fmt: skip
    output = PreparedText.objects.create(
        study=study, suggestion=suggestion, role="output", key="north", text="It sails at ten.", writer="model",
        step=step,
    )  # fmt: skip
    PreparedText.objects.create(
        study=study, suggestion=suggestion, role="output", key="hybrid", text="It sails at nine.", writer="human",
        edited_from=output, difference=[["same", "It sails at "], ["removed", "ten"], ["added", "nine"]],
    )  # fmt: skip
    return {
        "documentsample": sample, "sourcedocument": document, "instructiontrial": trial, "preparationstep": step,
        "suggestion": suggestion, "preparationcall": call, "preparedtext": output,
    }  # fmt: skip
