"""The tables of studies: their contents, members, work and results."""

from annotation.models.evidence import Annotation, Rating
from annotation.models.imports import PendingImport, PendingRows
from annotation.models.items import Item, Output
from annotation.models.people import Invitation, Membership, Rater
from annotation.models.reviews import Batch, Reviewer, SpanReview, SpotCheck
from annotation.models.runs import JudgeRun
from annotation.models.study import Guideline, Project, Question, Study, Unblinding
from annotation.models.study_counts import DrawnAnswer, StudyCounts
from annotation.models.tasks import Assignment, DraftConflict, Slot, Task, TaskOutput
from annotation.models.tokens import Token
from annotation.models.written_examples import WrittenExample

__all__ = [
    "Annotation",
    "Assignment",
    "Batch",
    "DraftConflict",
    "DrawnAnswer",
    "Guideline",
    "Invitation",
    "Item",
    "JudgeRun",
    "Membership",
    "Output",
    "PendingImport",
    "PendingRows",
    "Project",
    "Question",
    "Rater",
    "Rating",
    "Reviewer",
    "Slot",
    "SpanReview",
    "SpotCheck",
    "Study",
    "StudyCounts",
    "Task",
    "TaskOutput",
    "Token",
    "Unblinding",
    "WrittenExample",
]
