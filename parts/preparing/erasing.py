"""What is erased of a study's preparation."""

from annotation.erasing import Erasing
from parts.preparing.models import (
    DocumentSample,
    InstructionTrial,
    PreparationCall,
    PreparationStep,
    PreparedText,
    SourceDocument,
    Suggestion,
)


class PreparingErasing(Erasing):
    """All that was drawn, asked, suggested and written goes with its study; no row names a person.

    The study in which a trial's sets are rated is a study of its own and is erased by itself.
    """

    study_rows = (
        (PreparationCall, "step__study"), (PreparedText, "study"), (Suggestion, "study"), (PreparationStep, "study"),
        (InstructionTrial, "study"), (SourceDocument, "study"), (DocumentSample, "study"),
    )  # fmt: skip


ERASING = PreparingErasing()
