"""Queues single calls, which `llm.background.completion_work` makes in a worker."""

from dataclasses import asdict
from typing import Any

from django.db import transaction

from annotation.models import Study
from config.background.kinds import works
from config.background.waking import enqueue
from config.prepared_sql import Columns, fetch_one
from llm.capabilities import refuse_if_unable
from llm.dry_run_calls import refuse_outside_dry_runs
from llm.endpoints import find_model
from llm.models import Completion
from llm.requests import AnswerMaterial, Charge, JudgmentPlace, Message, PromptReference, Request, SourcePassage

WORK_KEY = "completion"
STUDY = Columns(Study, "s")
FIND_STUDY = f"SELECT {STUDY.sql} FROM annotation_study s WHERE s.id = %s"  # noqa: S608 - names of our own fields


def queue_completion(request: Request, charge: Charge, *, cache: bool = False) -> Completion:
    """Queue a call and return its row, which will hold the reply or the reason for its failure.

    Raises UnknownModelError, MadeUpError, and UnsupportedError if the model cannot do what the request needs.
    """
    refuse_outside_dry_runs(request.model, charge.study)
    refuse_if_unable(request, *find_model(request.model))
    stored = {name: value for name, value in asdict(request).items() if name != "model"}
    with transaction.atomic():
        row = Completion.objects.create(
            study=charge.study, run=charge.run, person=charge.person, step=charge.step, model=request.model,
            request=stored, may_be_cached=cache,
        )  # fmt: skip
        enqueue(works()[WORK_KEY], row)
    return row


def request_of(row: Completion) -> Request:
    """Return the request stored in a row."""
    stored: dict[str, Any] = dict(row.request)
    messages = tuple(Message(**message) for message in stored.pop("messages"))
    prompt, material, place = (stored.pop(name) for name in ("prompt", "material", "place"))
    if material is not None:
        material = AnswerMaterial(
            **{**material, "passages": tuple(SourcePassage(**one) for one in material["passages"])}
        )
    return Request(
        row.model, messages, PromptReference(**prompt) if prompt else None, material=material,
        place=JudgmentPlace(**{**place, "order": tuple(place["order"])}) if place else None,
        **{**stored, "stop": tuple(stored["stop"])},
    )  # fmt: skip


def charge_of(row: Completion) -> Charge:
    """Return who pays for a row's call, and what it is for."""
    study = None if row.study_id is None else STUDY.must_take(iter(fetch_one(FIND_STUDY, [row.study_id])))
    return Charge(study, row.run, row.person, work=f"{WORK_KEY}:{row.pk}", step=row.step)
