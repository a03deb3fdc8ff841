"""One row of each table of models and papers, for tests that open every page and use every model."""

from django.utils import timezone

from annotation.models import Item
from config.erasure import open_erasure
from config.models import Erasure, QueueTurn, Worker
from llm.budgets import set_cap
from llm.models import Call, Completion, EndpointState, ModelState, Reservation, Stop
from llm.prompt_versions import publish_prompt
from retrieval.models import IndexBuild, PaperUpload, TrialSearch

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "When does the ferry sail?"}]


def make_call(study, person=None, **more):
    """Make a call that was answered; `more` replaces fields."""
    now = timezone.now()
    fields = {
        "study": study, "person": person, "run": "", "step": "first", "work": "turn:1", "endpoint": "campus",
        "model": "small", "model_asked": "small-1", "model_returned": "small-1", "parameters": {"max_tokens": 100},
        "prompt_key": "sessions/first", "prompt_version": "1", "prompt_digest": "d" * 64, "messages": MESSAGES,
        "messages_digest": "e" * 64, "request_digest": "f" * 64, "status": "answered", "text": "At nine.",
        "raw": '{"choices": []}', "finish_reason": "stop", "tokens_in": 20, "tokens_out": 5,
        "attempts": [{"number": 1, "started_at": "", "seconds": 0.25, "status": 200, "ended": "answered"}],
        "price_reserved": 300, "price_charged": 250, "started_at": now, "ended_at": now,
    }  # fmt: skip
    return Call.objects.create(**{**fields, **more})


def make_completion(study, person, **more):
    """Make a trial that waits for a worker; `more` replaces fields."""
    fields = {"model": "campus/small", "request": {"messages": MESSAGES}, "step": "try"}
    return Completion.objects.create(study=study, person=person, **{**fields, **more})


def make_build(study, number=1, **more):
    """Make a build that waits for a worker; `more` replaces fields."""
    fields = {"searcher": "bm25", "digest": "a" * 64, "folder": f"folder-{number}"}
    return IndexBuild.objects.create(study=study, number=number, **{**fields, **more})


def make_trial(study, person, **more):
    """Make a search that waits for a worker; `more` replaces fields."""
    item = Item.objects.filter(study=study).first()
    return TrialSearch.objects.create(**{"study": study, "item": item, "asked_by": person, "query": "ferry", **more})


def make_paper_upload(study, person, **more):
    """Make an upload that waits for a worker, and whose files are gone."""
    fields = {"item_key": "q9", "question": "When do ferries sail?", "files": [["ferries.pdf", 9000]]}
    return PaperUpload.objects.create(study=study, asked_by=person, **{**fields, **more})


def closed_erasure():
    with open_erasure("study:0"):
        pass
    return Erasure.objects.get()


def one_of_each(study, person):
    """A row of each model, by the model's name."""
    now = timezone.now()
    return {
        "call": make_call(study, person),
        "completion": make_completion(study, person),
        "budget": set_cap(study, 5_000_000, person),
        "reservation": Reservation.objects.create(study=study, amount=100, left=100, lease_until=now),
        "stop": Stop.objects.create(study=study, run="a run", stopped_by=person),
        "studyprompt": publish_prompt(study, "llm", "try", "", "{{text}} {{question}} Own words.", person),
        "endpointstate": EndpointState.objects.create(name="campus"),
        "modelstate": ModelState.objects.create(digest="d" * 64, unopened=True),
        "indexbuild": make_build(study),
        "trialsearch": make_trial(study, person),
        "paperupload": make_paper_upload(study, person),
        "erasure": closed_erasure(),
        "queueturn": QueueTurn.objects.create(queue="jobs", study=study.pk, at=now),
        "worker": Worker.objects.create(name="host:1:calls", queues="calls", started_at=now, seen_at=now),
    }
