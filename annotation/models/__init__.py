"""The tables of studies: their contents, members, work and results."""

from annotation.models.evidence import Annotation, Rating
from annotation.models.imports import PendingImport, PendingRows
from annotation.models.items import Item, Output
from annotation.models.people import Invitation, Membership, Rater
from annotation.models.preparations import TaskPreparation
from annotation.models.reviews import (
    Adjudication,
    Batch,
    FlagAnswer,
    ReadComments,
    Reviewer,
    SpanReview,
    SpotCheck,
)
from annotation.models.runs import JudgeRun
from annotation.models.standing import ExclusionReply, RaterExclusion, RaterPause
from annotation.models.study import Guideline, Project, Question, Study, Unblinding
from annotation.models.study_counts import DrawnAnswer, StudyCounts
from annotation.models.study_work import ItemCopy, StudyDeletion
from annotation.models.tasks import Assignment, DraftConflict, SeenItem, Slot, Task, TaskOutput
from annotation.models.tokens import KeptResponse, Token, TokenStudy
from annotation.models.written_examples import WrittenExample

__all__ = [
    "Adjudication",
    "Annotation",
    "Assignment",
    "Batch",
    "DraftConflict",
    "DrawnAnswer",
    "ExclusionReply",
    "FlagAnswer",
    "Guideline",
    "Invitation",
    "Item",
    "ItemCopy",
    "JudgeRun",
    "KeptResponse",
    "Membership",
    "Output",
    "PendingImport",
    "PendingRows",
    "Project",
    "Question",
    "Rater",
    "RaterExclusion",
    "RaterPause",
    "Rating",
    "ReadComments",
    "Reviewer",
    "SeenItem",
    "Slot",
    "SpanReview",
    "SpotCheck",
    "Study",
    "StudyCounts",
    "StudyDeletion",
    "Task",
    "TaskOutput",
    "TaskPreparation",
    "Token",
    "TokenStudy",
    "Unblinding",
    "WrittenExample",
]
