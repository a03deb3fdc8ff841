"""Shared by the tests of preparing: draft studies without items, files of documents, and steps to their end."""

import json

from config.background.claiming import run_waiting
from files.reading import import_study
from parts.preparing.background.step_upkeep import end_steps
from parts.preparing.document_drawing import draw_documents
from parts.preparing.document_sampling import WordRange
from parts.preparing.step_configuration import StepConfiguration, pinned
from parts.preparing.step_kind import step_kinds
from parts.preparing.step_states import start_step
from tests.filled import OPTIONS, PAPERS, QUESTIONS

MODEL = "campus/small"


def empty_study(folder, protocol="rating", owner=None, slug="draft", **more):
    """A draft study of a protocol, with questions and no items."""
    body = {
        "slug": slug, "title": "A draft", "protocol": protocol, "redundancy": 1, "questions": QUESTIONS[protocol],
        "options": {**OPTIONS[protocol], **more},
    }  # fmt: skip
    path = folder / f"{slug}.json"
    path.write_text(json.dumps(body))
    return import_study(path, owner=owner).study


def document_line(number, source="news", words=20, **more):
    text = " ".join(f"{source}word{place}{chr(97 + place % 26) * 3}" for place in range(words - 1))
    return {"id": f"{source}-{number}", "source": source, "text": f"{text} {number}.", **more}


def write_documents(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def with_documents(study, folder, count=3, actor=None, **more):
    """Draw documents into a study; those of a session study have papers."""
    papers = {"title": "On ferries", "documents": PAPERS} if study.protocol == "session" else {}
    path = write_documents(folder / "documents.jsonl", [document_line(n, **papers, **more) for n in range(count)])
    return draw_documents(study, path, actor, per_source=count, words=WordRange(), seed=1)


def configured_step(study, kind, **given):
    configuration = StepConfiguration(kind, given.pop("model", MODEL), **given)
    return pinned(study, configuration, step_kinds()[kind].prompts(configuration))


def step_to_end(study, kind, actor=None, **given):
    """Start a step and let this thread work until it is over."""
    limits = {name: given.pop(name) for name in ("budget", "trial", "client_key") if name in given}
    step = start_step(study, configured_step(study, kind, **given), actor, **limits)
    work_off()
    step.refresh_from_db()
    return step


def work_off():
    while run_waiting():
        end_steps()
    end_steps()
