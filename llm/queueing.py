"""Single calls that a worker makes: kept as rows, begun by `llm.background.completing`."""

from dataclasses import asdict
from typing import Any

from django.db import transaction

from config.background.waking import enqueue
from config.background.work import works
from llm.asking import Charge, Material, Message, PromptMark, Request, Source
from llm.endpoints import find_model
from llm.models import Completion

WORK_KEY = "completion"


def queue(request: Request, charge: Charge, *, cache: bool = False) -> Completion:
    """Have a call made by a worker; its one result or the reason of its failure will stand in the row.

    Raises UnknownModelError at once.
    """
    find_model(request.model)
    kept = {name: value for name, value in vars(request).items() if name != "model" and value is not None}
    kept["messages"] = [asdict(message) for message in request.messages]
    for name in ("prompt", "material"):
        if name in kept:
            kept[name] = asdict(kept[name])
    with transaction.atomic():
        row = Completion.objects.create(
            study=charge.study, run=charge.run, person=charge.person, step=charge.step, model=request.model,
            request=kept, may_be_cached=cache,
        )  # fmt: skip
        enqueue(works()[WORK_KEY], row)
    return row


def request_of(row: Completion) -> Request:
    """The request that a row keeps."""
    kept: dict[str, Any] = dict(row.request)
    messages = tuple(Message(**message) for message in kept.pop("messages"))
    prompt, material = kept.pop("prompt", None), kept.pop("material", None)
    if material is not None:
        material = Material(**{**material, "passages": tuple(Source(**one) for one in material["passages"])})
    return Request(row.model, messages, PromptMark(**prompt) if prompt else None, material=material, **kept)


def charge_of(row: Completion) -> Charge:
    """Who pays for a row's call, and what it is for."""
    return Charge(row.study, row.run, row.person, work=f"{WORK_KEY}:{row.pk}", step=row.step)
