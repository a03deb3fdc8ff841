"""A Python client of Interrater: studies made, filled, watched and loaded by program."""

from interrater_client.clients import AsyncClient, AsyncDesk, AsyncStudy, Client, Desk, Study
from interrater_client.problems import (
    AnswersRefusedError,
    ConflictError,
    ConnectionLostError,
    DamagedFileError,
    ImportRefusedError,
    InterraterError,
    NotAllowedError,
    NotAuthenticatedError,
    NotFoundError,
    NotSupportedError,
    ProblemError,
    RequestInvalidError,
    TooManyRequestsError,
    UnavailableError,
    WaitedTooLongError,
    WorkFailedError,
)
from interrater_client.requests import Retries

__all__ = [
    "AnswersRefusedError",
    "AsyncClient",
    "AsyncDesk",
    "AsyncStudy",
    "Client",
    "ConflictError",
    "ConnectionLostError",
    "DamagedFileError",
    "Desk",
    "ImportRefusedError",
    "InterraterError",
    "NotAllowedError",
    "NotAuthenticatedError",
    "NotFoundError",
    "NotSupportedError",
    "ProblemError",
    "RequestInvalidError",
    "Retries",
    "Study",
    "TooManyRequestsError",
    "UnavailableError",
    "WaitedTooLongError",
    "WorkFailedError",
]
