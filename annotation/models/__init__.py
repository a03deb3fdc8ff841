"""Everything that a study is made of and everything that comes of it."""

from annotation.models.evidence import Annotation, Rating
from annotation.models.material import Item, Output
from annotation.models.people import Invitation, Membership, Rater
from annotation.models.review import Batch, Reviewer, SpanReview, SpotCheck
from annotation.models.study import Guideline, Question, Study
from annotation.models.tokens import Token
from annotation.models.work import Assignment, DraftConflict, Slot, Task, TaskOutput

__all__ = [
    "Annotation",
    "Assignment",
    "Batch",
    "DraftConflict",
    "Guideline",
    "Invitation",
    "Item",
    "Membership",
    "Output",
    "Question",
    "Rater",
    "Rating",
    "Reviewer",
    "Slot",
    "SpanReview",
    "SpotCheck",
    "Study",
    "Task",
    "TaskOutput",
    "Token",
]
