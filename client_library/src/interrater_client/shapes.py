"""The shapes of what the server returns. A server may add keys, and leave out those that do not apply."""

from typing import Any, Literal, TypedDict


class Marked(TypedDict, total=False):
    """What has a mark if its study is a dry run, whose answers are made up; in lists the page has it."""

    dry_run: bool


class StudySummary(Marked, total=False):
    slug: str
    title: str
    protocol: str
    status: str
    locked: bool
    archived: bool
    project: str | None
    items: int | None


class Progress(TypedDict, total=False):
    """Places for answers: all of them, those that are filled, and those that somebody holds."""

    total: int
    filled: int
    held: int
    imported: int
    imported_answers: int


class StudyDetail(StudySummary, total=False):
    study: dict[str, Any]
    prepared: bool
    progress: Progress | None
    files: list[str]


class State(TypedDict, total=False):
    slug: str
    status: str
    detail: str


class Imported(TypedDict, total=False):
    """What an upload added."""

    study: str
    added: dict[str, int]
    sha256: str
    prepared: bool


class Item(Marked, total=False):
    number: int
    id: str
    document: Any
    instruction: str
    outputs: list[dict[str, Any]]
    pool: str
    priority: str
    withdrawn: dict[str, Any]
    references: list[dict[str, Any]]
    metadata: Any


class Rater(Marked, total=False):
    number: int
    name: str
    kind: str
    created_at: str


class Assignment(Marked, total=False):
    number: int
    item: str
    outputs: list[str]
    variant: str
    rater: str
    given_at: str
    opened_at: str
    seen_at: str
    has_draft: bool
    flag: str
    place: str
    lease_until: str


class Annotation(Marked, total=False):
    number: int
    item: str
    outputs: list[str]
    variant: str
    rater: str
    rater_kind: str
    revision: int
    current: bool
    status: str
    surplus: bool
    third_rater: bool
    answers: dict[str, Any]
    reason: str
    flag: str
    shown: list[str]
    guidelines_version: int
    protocol_version: int
    opened_at: str
    submitted_at: str
    seconds: float
    visible_seconds: float
    active_seconds: float
    odd_times: bool
    tool_use: dict[str, Any]
    device: str
    metadata: Any
    revisions: list["Annotation"]


class Rating(Marked, total=False):
    number: int
    item: str
    output: str
    outputs: list[str]
    rater: str
    rater_kind: str
    question: str
    value: Any
    explanation: str
    shown: Any
    seconds: float
    submitted_at: str
    guidelines_version: int
    run: str
    replicate: int
    distribution: Any
    missing: float
    outcome: str
    prompt_digest: str
    metadata: Any
    third_rater: bool
    revision: int
    current: bool


class Turn(TypedDict, total=False):
    number: int
    instruction: str
    kind: str
    answer: str
    rating: str
    comment: str
    edited_answer: str
    submitted_at: str
    seconds: float


class Session(Marked, total=False):
    number: int
    id: str
    item: str
    rater: str
    model: str
    status: str
    started_at: str
    ended_at: str
    imported: bool
    initial_answer: str
    final_answer: str
    turns: list[Turn]


class Run(Marked, total=False):
    number: int
    id: str
    rater: str
    rater_kind: str
    configuration: Any
    status: str
    counts: Any
    tokens_in: int
    tokens_out: int
    price: int
    started_at: str
    ended_at: str
    replaced_by: dict[str, Any]


class Adjudication(Marked, total=False):
    entry: int
    item: str
    output: str
    outputs: list[str]
    variant: str
    question: str
    number: int
    current: bool
    value: Any
    reason: str
    reviewer: str
    at: str


class Export(TypedDict, total=False):
    """An export that the server keeps; `file` is its address, None until it is written or after it was removed."""

    id: int
    study: str
    format: str
    status: str
    step: str
    reason: str
    requested_at: str
    read_at: str | None
    current: bool
    bytes: int
    sha256: str
    file: str | None
    files: list[dict[str, Any]]
    removed_at: str | None
    removed_for: str


class FileUpload(TypedDict):
    """A file that is sent in parts."""

    number: int
    table: str
    name: str
    size: int
    received: int
    state: str
    part_bytes: int
    read: int
    findings: dict[str, Any]
    reason: str


Verb = Literal["go_live", "pause", "resume", "close", "reopen", "lock", "unlock", "archive", "bring_back"]
"""What takes a study to another state."""
Steering = Literal["withdraw", "restore", "priority", "add_rater", "cancel_open"]
"""What can be done with one item."""
