"""A small study of each protocol in which everything has happened, made by the application's own code.

Tests of erasing use it, and the fixtures of releases are made from it.
"""

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from django.utils import timezone

from accounts.auditing import record
from accounts.browser_sessions import SessionStore
from accounts.models import KnownAddress, Person, SecondFactor, WrongTryCount
from accounts.preferences import save_preferences
from accounts.sealed_keys import seal
from accounts.sign_in_links import issue_link
from annotation.blinding import is_blind, unblind
from annotation.desk.assigning import next_assignment
from annotation.desk.drafting import DraftConflictError, save_draft
from annotation.desk.submitting import Submission, flag, sheet_of, skip, submit, undo
from annotation.members.invitations import accept, invite, open_invitation
from annotation.members.membership import rater_for
from annotation.members.reading_guidelines import confirm_reading
from annotation.members.tokens import issue_account_token, issue_token
from annotation.models import Item, KeptResponse, Rating, Study
from annotation.protocols import Unit
from annotation.review.adjudicating import adjudicate
from annotation.review.comments import comments_of, mark_read
from annotation.review.flags import answer_flag
from annotation.review.spot_checks import check
from annotation.review.verdicts import review_span, undo_review
from annotation.studies.batches import release_next
from annotation.studies.kept_counts import BATCH, OVERVIEW, PACE, SPANS, kept_counts
from annotation.studies.lifecycle import describe, make_live, prepare, publish_guidelines
from annotation.studies.projects import move_to_project
from annotation.studies.steered_items import withdraw
from config.background.claiming import run_waiting
from config.background.workers import report_alive
from files.reading import import_study
from llm.budgets import highest_call_price, reserve_batch, set_cap
from llm.model_trials import try_model
from llm.models import Call, EndpointState, ModelState
from llm.prompt_versions import publish_prompt
from llm.requests import AnswerMaterial, Charge, Message, Request
from llm.stop_marks import resume, stop
from managing.models import ItemLocalAlpha
from parts.sign_on.models import OutsideIdentity
from reports.kept.kept_reports import kept_report
from reports.report_kinds.agreement import agreement_choices
from retrieval.index_builds import ensure_index
from retrieval.trial_searches import try_search
from sessions import steps
from sessions.label_samples import draw_labels
from sessions.models import RevisionSession
from sessions.second_ratings import sample_turns
from sessions.steps import Instruction
from sessions.transcript import session_state, turns_of
from sessions.turn_labels import label
from tests.annotation.counted_rows import add_study_work
from tests.judges.rows import add_judge_rows
from tests.managing.upload_rows import add_upload_rows
from tests.models_and_papers import make_paper_upload
from tests.parts.checks.check_rows import add_check_rows
from tests.parts.crowds.crowd_study import add_crowd_rows
from tests.parts.dry_runs.dry_run_rows import add_dry_run_rows
from tests.parts.mail.mail_rows import add_mail_rows
from tests.parts.preparing.rows import add_preparing_rows
from tests.parts.preregistration.plan_rows import add_plan
from tests.parts.rater_messages.message_rows import add_message_rows
from tests.parts.second_stage.stage_rows import add_stage_rows
from tests.parts.stopping.stop_rows import add_stopping_rows
from tests.parts.way_in.way_in_rows import add_way_in_rows
from tests.parts.webhooks.webhook_rows import add_webhook_rows
from tests.reports.kept_rows import add_kept_export

MODEL = "extractive/extractive"
TEXT = "The ferry to the island sails at nine.\nIn winter it does not sail: \u201cice\u201d, says \U0001f9ca."
OUTPUTS = {"north": "It sails at nine.", "south": "It sails at ten, but never in winter."}
PAPERS = [
    {"id": "ferries", "title": "On ferries", "authors": ["A. One"], "year": 2020,
     "paragraphs": [
         "The ferry to the island sails at nine in the morning, and again at noon if the sea is calm.",
         "In winter the ferry does not sail at all, because the harbour of the island is frozen over.",
         "The crossing takes forty minutes, and an hour if the wind blows from the north.",
     ]},
    {"id": "fares", "title": "On fares", "paragraphs": [
        "A ticket for grown passengers costs twelve crowns in summer and is sold on the pier by the captain.",
        "Children and bicycles travel for half the price, and dogs travel free of charge on every day.",
    ]},
]  # fmt: skip
QUESTIONS = {
    "rating": [
        {"key": "follows", "type": "binary"},
        {"key": "how_well", "type": "likert", "min": 1, "max": 5},
        {"key": "comment", "type": "text", "required": False},
    ],
    "listwise": [
        {"key": "overall", "type": "rank", "ranks": 2},
        {"key": "errors", "type": "spans", "labels": ["time"]},
    ],
    "pairwise": [{"key": "better", "type": "preference", "allow_tie": True}],
    "session": [
        {"key": "rating", "type": "category", "choices": ["good", "neutral", "bad"]},
        {"key": "comment", "type": "text"},
    ],
}
OPTIONS = {
    "rating": {"batch_size": 2}, "listwise": {}, "pairwise": {"pairs": "all", "blind_researchers": True},
    "session": {"models": [MODEL], "passages": 2},
}  # fmt: skip

RIGHT = {
    "rating": {"gold": {"follows": {"north": True}, "how_well": 5}, "feedback": "It sails at nine."},
    "listwise": {"gold": {"overall": {"north": 1, "south": 2}}}, "pairwise": {"gold": {"better": "north"}},
}  # fmt: skip


@dataclass
class People:
    """The people of all studies: an owner and two annotators."""

    owner: Person
    ann: Person
    ben: Person


def person(name: str) -> Person:
    made = Person.objects.create_user(
        f"{name}-user-name", email=f"{name}@mail.example", password=None, full_name=f"{name.title()} Fullname"
    )
    issue_link(made)
    KnownAddress.objects.create(person=made, key=name, until=timezone.now())
    SecondFactor.objects.create(person=made, sealed_key=seal("JBSWY3DPEHPK3PXP"), used_step=1, recovery_hashes=["a"])
    OutsideIdentity.objects.create(person=made, issuer="https://id.example.org", subject=f"{name}-subject")
    store = SessionStore()
    store["_auth_user_id"] = str(made.pk)
    store.save()
    record("signed in", actor=made, new={"by": "password"})
    return made


def fill(folder: Path) -> People:
    """Fill the database; study files are written to `folder`."""
    people = People(*(person(name) for name in ("olive", "ann", "ben")))
    for protocol, happens in (("rating", _rate), ("listwise", _rank), ("pairwise", _choose), ("session", _revise)):
        study = _study(folder / protocol, protocol, people)
        happens(study, people)
        _around(study, people)
    save_preferences(people.ann, phrases=["PHRASE-OF-ANN"])
    report_alive("host:1:calls", ("calls",), True)
    EndpointState.objects.create(name="campus")
    ModelState.objects.create(digest="d" * 64, unopened=True)
    WrongTryCount.objects.create(key="k", ends_at=timezone.now())
    return people


def _study(folder: Path, protocol: str, people: People) -> Study:
    folder.mkdir(parents=True)
    study = {
        "slug": f"the-{protocol}", "title": f"A {protocol} study", "protocol": protocol, "guidelines": "Be *strict*.",
        "redundancy": 1 if protocol == "session" else 2, "questions": QUESTIONS[protocol], "options": OPTIONS[protocol],
        "systems": {"north": {"family": "gulls", "model": "campus/large"},
                    "south": {"baseline": True, "generic": True}},
        "judges": {"judge": {"family": "terns"}},
    }  # fmt: skip
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    if protocol == "session":
        items = [{"id": f"q{n}", "question": f"When does ferry {n} sail?", "documents": PAPERS} for n in range(3)]
    else:
        outputs = [{"id": key, "text": text, "metadata": {"of": key}} for key, text in OUTPUTS.items()]
        outputs[0] |= {"writer": "model"}
        outputs[1] |= {"edited_from": "north", "writer": "human"}
        items = [
            {
                "id": f"item-{n}",
                "document": TEXT,
                "instruction": "When?",
                "outputs": outputs,
                "category": f"c{n % 2}",
                "metadata": {"n": n},
                "references": [{"id": "gold", "text": "At nine.", "writer": "human"}],
            }
            for n in range(4)
        ]
        items[0] |= {"source": "Harbour Post", "set": "public"}
        said = [{"role": "assistant", "text": text} for text in OUTPUTS.values()]
        talk = {
            "document": [{"role": "user", "text": TEXT}],
            "outputs": [one | {"text": [turn]} for one, turn in zip(outputs, said, strict=True)],
        }
        items.append(items[0] | {"id": "item-trained", "set": "private", "pool": "training", **talk, **RIGHT[protocol]})
    _lines(folder / "items.jsonl", items)
    if protocol == "rating":
        _lines(folder / "ratings.jsonl", [
            {"item": "item-0", "output": "north", "rater": "Imported Rater", "question": "how_well", "value": 4},
            {"item": "item-0", "output": "south", "rater": "judge", "rater_kind": "model", "question": "how_well",
             "value": 2.5, "distribution": {"2": 0.5, "3": 0.5}, "run": "run-1", "replicate": 1, "explanation": "So.",
             "metadata": {"seed": 1}, "missing": 0.125, "outcome": "majority", "prompt_digest": "ab" * 32},
        ])  # fmt: skip
        _lines(folder / "scores.jsonl", [
            {"item": "item-0", "outputs": ["south", "north"], "rater": "chooser", "rater_kind": "model",
             "question": "follows", "value": "tie", "run": "run-1"},
            {"item": "item-0", "rater": "ranker", "rater_kind": "metric", "question": "how_well",
             "value": {"north": 1, "south": 1}, "shown": ["south", "north"], "run": "run-1"},
        ])  # fmt: skip
        _lines(folder / "runs.jsonl", [
            {"id": name, "rater": "judge", "rater_kind": "model", "configuration": {"protocol": "llm_eval", "seed": 1},
             "status": "finished", "counts": {"answered": 1, "invalid": 0}, "tokens_in": 120, "tokens_out": 3,
             "price": 2500, "started_at": "2026-03-01T12:00:00Z", "ended_at": "2026-03-01T12:01:00Z", **more}
            for name, more in (("run-0", {"replaced_by": {"rater": "judge", "id": "run-1"}}), ("run-1", {}))
        ])  # fmt: skip
        _lines(folder / "examples.jsonl", [
            {"item": "item-9", "document": TEXT, "instruction": "When?", "output": "At noon.",
             "values": {"follows": False, "how_well": 1}, "rationale": "The hour is wrong."},
            {"outputs": [{"id": "a", "text": "At nine."}, {"id": "b", "text": "At ten."}], "values": {"follows": "a"}},
        ])  # fmt: skip
        _lines(folder / "annotations.jsonl", [
            {"item": "item-3", "outputs": ["north"], "rater": "Imported Rater", "revision": 1, "status": "submitted",
             "answers": {"follows": True, "how_well": 5}, "metadata": {"device": "phone"}},
        ])  # fmt: skip
    made = import_study(folder, owner=people.owner).study
    for name in (people.ann, people.ben):
        [link] = invite(made, "annotator", people.owner, note=f"for {name.full_name}, {name.email}")
        accept(open_invitation(link.rstrip("/").split("/")[-1]), name)
    assert prepare(made, 60)
    make_live(made, people.owner)
    made.refresh_from_db()
    return made


def _lines(path: Path, rows: list) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _send(assignment, form, revision=0):
    return submit(assignment, Submission(form, revision=revision, guidelines_version=1, client_key=uuid4()))


def _rate(study: Study, people: People) -> None:
    form = {"q-follows": ["true"], "q-how_well": ["5"], "q-comment": ["ANSWER-OF-ANN"]}
    ann = rater_for(study, people.ann)
    confirm_reading(ann, study.guidelines.get())
    answer = _send(first := next_assignment(study, ann), form)
    _send(first, form | {"q-how_well": ["4"]}, revision=1)
    flag(first, "FLAG-OF-ANN")
    answer_flag(first, "resolved", "ANSWER-TO-ANN", people.owner, flag="FLAG-OF-ANN")
    skip(next_assignment(study, ann), Submission({}, revision=0), "REASON-OF-ANN")
    undone = next_assignment(study, ann)
    _send(undone, form)
    undo(undone, Submission({}, revision=1))
    undone.refresh_from_db()
    draft = {"q-comment": ["DRAFT-OF-ANN"]}
    save_draft(undone, draft, base_version=undone.draft_version, revision=2)
    with suppress(DraftConflictError):
        save_draft(undone, {"q-comment": ["CONFLICT-OF-ANN"]}, base_version=0, revision=2)
    ben = rater_for(study, people.ben)
    for _ in range(2):
        _send(next_assignment(study, ben), form | {"q-comment": ["answer of ben"]})
    check(answer, "problem", "NOTE-ON-ANN", people.owner, number=0)
    check(answer, "ok", "", people.owner, number=1)
    mark_read(study, people.owner, comments_of(study).first().pk)
    release_next(study, people.owner, unfinished=["some"], anyway=True)
    item, question = answer.task.item, study.questions.get(key="how_well")
    adjudicate(item, question, Unit("north"), 4, "REASON-OF-OLIVE", people.owner, number=0)
    adjudicate(item, question, Unit("north"), None, "It was a mistake.", people.owner, number=1)
    withdraw(study.items.get(key="item-2"), "It is a duplicate.", people.owner)


def _rank(study: Study, people: People) -> None:
    for who in (people.ann, people.ben):
        for _ in range(2):
            assignment = next_assignment(study, rater_for(study, who))
            letter = {output.key: output.letter for output in sheet_of(assignment).outputs}
            mark = {"output": letter["south"], "start": 12, "end": 15, "text": "ten", "label": "time", "note": "NOTE"}
            _send(assignment, {
                f"q-overall-{letter['north']}": ["1"], f"q-overall-{letter['south']}": ["2"],
                "q-errors": [json.dumps({"spans": [mark]})], f"q-errors-{letter['north']}": ["none"],
            })  # fmt: skip
    for rating in Rating.objects.filter(study=study, level="span").order_by("pk"):
        review_span(rating, 0, "confirmed", "REASON-ON-SPAN", people.owner, number=0)
        undo_review(review_span(rating, 0, "rejected", "No.", people.owner, number=1), people.owner)


def _choose(study: Study, people: People) -> None:
    for who, choice in ((people.ann, "A"), (people.ben, "tie")):
        for _ in range(3):
            _send(next_assignment(study, rater_for(study, who)), {"q-better": [choice]})
    item, better = study.items.get(key="item-0"), study.questions.get()
    adjudicate(item, better, Unit("north", "south"), "north", "It sails at nine.", people.owner, number=0)
    next_assignment(study, rater_for(study, people.ann))  # given, and not yet answered


def _revise(study: Study, people: People) -> None:
    publish_prompt(study, "llm", "try", "", "{{text}} {{question}} In our own words.", people.owner)
    ensure_index(study)
    run_waiting()
    session = _begun(study, people.ann)
    _turn(session, "Make it shorter.", "style", "bad")
    _turn(session, "What do dogs and bicycles cost? INSTRUCTION-OF-ANN", "information", "neutral", edited="EDIT-OF-ANN")
    steps.edit(session, 2, "EDIT-OF-ANN, AGAIN", 1)
    steps.finish(session)
    sample_turns(study, count=2, actor=people.owner)
    researcher = rater_for(study, people.owner)
    label(session.turns.get(number=1), "instruction_type", "condense", researcher)
    label(session.turns.get(number=1), "error_category", "instruction is ignored", researcher)
    draw_labels(study, kind="instruction_type", source="all", size=2, per_model=False, seed=0, actor=people.owner)
    _begun(study, people.ann)  # under way
    ben = _begun(study, people.ben)
    _turn(ben, "Make it shorter.", "style", "good")
    steps.finish(ben)
    second = next_assignment(study, rater_for(study, people.ben))
    assert second.task.variant.startswith("turn:"), "Ben rates a turn of Ann's session"
    _send(second, {"q-rating": ["good"], "q-comment": ["SECOND-RATING"]})


def _begun(study: Study, who: Person) -> RevisionSession:
    assignment = next_assignment(study, rater_for(study, who))
    run_waiting()
    return RevisionSession.objects.get(task=assignment.task, rater=assignment.rater)


def _turn(session: RevisionSession, text: str, kind: str, rating: str, edited: str = "") -> None:
    session = RevisionSession.objects.select_related("study").get(pk=session.pk)
    number = session_state(session, turns_of(session)).number
    steps.instruct(session, Instruction(kind, text, number, uuid4()))
    run_waiting()
    steps.rate(session, number, Submission({"q-rating": [rating], "q-comment": ["COMMENT"]}, 0, 1, uuid4()))
    if edited:
        steps.edit(session, number, edited, 0)


def _around(study: Study, people: People) -> None:
    """What happens around the answers of any study."""
    move_to_project(study, "Ferries", people.owner)
    if is_blind(study):
        unblind(study, "All figures are final.", people.owner)
    describe(study, people.owner, title=f"{study.title}, described", description="Two\nlines", contact="Room 5")
    publish_guidelines(study, "Be *kind*.", people.owner)
    issue_token(study, people.owner, name="a script", scope="read")
    issue_account_token(people.owner, name="a copy", scope="read", studies=[study])
    KeptResponse.objects.create(caller="token 1", person=people.owner, study=study, key=study.slug, digest="d")
    invite(study, "annotator", people.owner, note="open")
    set_cap(study, 5_000_000, people.owner)
    set_cap(study, 1_000_000, people.owner, person=people.ann)
    stop(study, people.owner, run="a run")
    resume(study, people.owner, run="a run")
    asked = Request(MODEL, (Message("user", "When?"),), max_tokens=10, material=AnswerMaterial("first", "When?"))
    reservation = reserve_batch(Charge(study, person=people.ann), highest_call_price(asked))
    try_model(study, people.owner, model=MODEL, question="When?", paragraphs=["At nine."], longest=50)
    try_search(Item.objects.filter(study=study).first(), "ferry", people.owner)
    make_paper_upload(study, people.owner, status="done", done=1, is_new=False, ended_at=timezone.now())
    kept_report(study, "agreement", agreement_choices(), people.owner)
    kept_report(study, "items", {})
    add_kept_export(study)
    add_plan(study)
    for subject in (OVERVIEW, PACE, SPANS, f"{BATCH}0"):
        kept_counts(study, subject)
    add_study_work(study, people.owner)
    run_waiting()
    with_alpha = {"study": study, "item": study.items.first(), "question": study.questions.first()}
    ItemLocalAlpha.objects.get_or_create(**with_alpha, defaults={"alpha": 0.5})
    original = Call.objects.filter(study=study).first()
    fields = {field.attname: getattr(original, field.attname) for field in Call._meta.concrete_fields}
    cached = {"id": None, "status": "cached", "original_id": original.pk, "price_charged": 0}
    Call.objects.create(**fields | cached | {"reservation_id": reservation.pk})
    add_judge_rows(study, people.owner)
    add_preparing_rows(study)
    add_upload_rows(study, people.owner)
    add_webhook_rows(study, people.owner)
    add_way_in_rows(study, rater_for(study, people.ann), declares=study.protocol == "listwise")
    add_check_rows(study, rater_for(study, people.ann), people.owner)
    add_stopping_rows(study, people.owner)
    add_dry_run_rows(study, people.owner)
    ended = {"outcome": "complete", "ended_at": timezone.now(), "code": "CDONE1"}
    add_crowd_rows(study, rater_for(study, people.ann), declares=study.protocol == "rating", **ended)
    add_message_rows(study, rater_for(study, people.ann), people.owner)
    add_mail_rows(study, people.ann)
    add_stage_rows(study, rater_for(study, people.ann))
