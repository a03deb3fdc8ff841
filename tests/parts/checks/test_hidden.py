"""A rater cannot tell a check from any other task: not by page, headers, address, progress, statements or own data."""

import hashlib
import json
import re
from collections import Counter

import pytest
from django.conf import settings
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.desk.assigning import next_assignment
from annotation.desk.submitting import Submission, submit
from annotation.models import Annotation, Assignment, Slot
from annotation.studies.planning import seeded
from parts.checks.draws import _draws, drawn_kind
from parts.checks.preparing import prepare_checks
from tests.fewer import first_cases
from tests.parts.checks.checked_study import (
    EVERY_KIND,
    WORDS,
    make_checked_study,
    rater_in,
    send,
    work_through,
)

FRAME = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
MASKED = (
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID"),
    (r"(Document|Instruction) of [ig]\d+\.", "TEXT"),
    (r'<input type="hidden" name="csrfmiddlewaretoken"[^>]*>', "TOKEN"),
    (r'csrf-token" content="[^"]*"|"X-CSRFToken": ?"[^"]*"', "TOKEN"),
    (r"\d\d?:\d\d(:\d\d)?|\d{4}-\d\d-\d\dT[^\"<]*", "TIME"),
    (r'<script id="words".*?</script>', "WORDS"),
    (r"nonce[-=][^\s\"';]+", "NONCE"),
)


def kind_of(address):
    """What a task is, which only the database says: the kind of check, or None."""
    task = Assignment.objects.get(key=address.split("/")[2]).task
    check = getattr(task.item, "check_item", None)
    return check.kind if check else None


def masked(page, texts):
    """A page without what differs between any two tasks: keys, tokens, times, texts and counts."""
    for text in sorted(texts, key=len, reverse=True):
        page = page.replace(text, "TEXT")
    for pattern, name in MASKED:
        page = re.sub(pattern, name, page)
    return re.sub(r"\d+", "N", page)


def texts_of(address):
    task = Assignment.objects.get(key=address.split("/")[2]).task
    # With the words that a damaged output lacks: they are on every page, some of them in its markup.
    shown = [task.item.document, task.item.instruction, WORDS, *task.outputs.values_list("text", flat=True)]
    return [one for text in shown for one in (text, *re.split(r"(?<=\.)\s|\s", text)) if len(one) > 1]


@pytest.mark.parametrize("protocol", first_cases(["pairwise", "rating", "listwise"]))
def test_no_template_tells_checks_from_tasks(client, owner, tmp_path, protocol):
    study = make_checked_study(tmp_path, owner, protocol)
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    forms, kinds = {}, Counter()
    for place, address in enumerate(work_through(client, study, rater)):
        response = client.get(address)
        kind = kind_of(address)
        kinds[kind] += 1
        text = response.content.decode()
        assert not re.search(r"gold|twin|repeat|check[-_ ]?item|attention|hidden check|due_check", text.lower()), (
            address
        )
        said = masked(text, texts_of(address))
        said = re.sub(r"\s+", " ", re.sub(r"(TEXT[\s.]*)+", "TEXT ", said))
        names = sorted(response.headers)
        if place > 1:  # the first pages lack the previous task and the last answer
            forms.setdefault((said, tuple(names), re.sub(r"[0-9a-f-]{36}", "UUID", address)), set()).add(kind)
    assert set(kinds) == EVERY_KIND | {None}, kinds
    assert len(forms) <= 3, [len(one[0]) for one in forms]
    for seen in forms.values():
        assert None in seen, "a form of page that only checks have"


@pytest.mark.parametrize("protocol", first_cases(["rating", "pairwise"]))
def test_an_answer_and_its_next_claim_run_as_many_statements_for_a_check(client, owner, tmp_path, protocol):
    study = make_checked_study(tmp_path, owner, protocol, options={"same_raters": False})
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    pages, answers, sent = {}, {}, []

    def submit(*given):
        with CaptureQueriesContext(connection) as captured:
            response = send(*given)
        sent.append(count(captured))
        return response

    for address in work_through(client, study, rater, submit=submit):
        kind = kind_of(address)
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        pages.setdefault(count(captured), set()).add(kind)
        if sent:  # how many statements the answer took that claimed this task
            answers.setdefault(sent[-1], set()).add(kind)
    assert len(pages) == 1, pages
    # A claim that draws a check when none is prepared looks for one, too, and gets the study's next task.
    assert min(answers.items())[1] >= EVERY_KIND, answers
    assert all(None in kinds for kinds in answers.values()), answers


def test_the_download_of_own_data_names_checks_as_it_names_tasks(client, owner, tmp_path):
    study = make_checked_study(tmp_path, owner, options={"same_raters": False})
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    kinds = []
    for place, address in enumerate(work_through(client, study, rater, most=24)):
        kinds.append(kind_of(address))
        if place < 20:  # as many messages as an hour may have
            client.post(
                reverse("rater_messages:task_thread", args=[study.slug, address.split("/")[2]]), {"text": "Why?"}
            )
    assert set(kinds) == EVERY_KIND | {None}
    told = json.loads(b"".join(client.get("/my-data/my-data.json")).decode())
    told["tasks_and_drafts"].pop()  # the one that is open now
    kind_by_name = {row["task"]: kind for row, kind in zip(told["tasks_and_drafts"], kinds, strict=True)}
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in kind_by_name), kind_by_name
    for title in ("answers", "tasks_and_drafts", "messages"):
        forms = {}
        for row in told[title]:
            form = tuple((key, type(value).__name__) for key, value in row.items())
            forms.setdefault(kind_by_name[row["task"]], set()).add(form)
        assert all(found <= forms[None] for found in forms.values()), (title, forms)
        assert len(forms) > 1


def hashed(key, slug, seed, name, block):
    return hashlib.sha256(f"{key}{slug}\0{seed}\0{name}\0checks\0{block}".encode()).digest()


def test_what_a_rater_knows_does_not_tell_which_claims_get_checks(client, owner, tmp_path):
    """Guesses from the address, the seed and the own name in files, by every way in which the site draws numbers."""
    study = make_checked_study(tmp_path, owner, options={"same_raters": False, "seed": 0})
    person, rater = rater_in(study, "ada")
    client.force_login(person)
    told = json.loads(b"".join(client.get("/my-data/my-data.json")).decode())["memberships"][0]
    slug, name, seed = told["study"], told["name_in_files"], 0
    assert (slug, name) == (study.slug, rater.name)

    def guessed(digests):
        return [int.from_bytes(one[at : at + 4], "big") / 2**32 for one in digests for at in range(0, 32, 4)]

    blocks, claims = range(500), range(4000)
    guesses = {
        "hash": guessed(hashed("", slug, seed, name, block) for block in blocks),
        "seeded": [seeded(study, "claims", name, number) / 2**63 for number in claims],
        **{
            key: [one for block in blocks for one in _draws(key, slug, seed, name, block)]
            for key in ("", "0", slug, name, "parts.checks.draws")
        },
    }
    drawn = {number for number in claims if drawn_kind(study, name, number) is not None}
    assert 0.45 < len(drawn) / len(claims) < 0.55
    share = {
        way: sum((guess[number] < 0.5) == (number in drawn) for number in claims) / len(claims)
        for way, guess in guesses.items()
    }
    assert all(0.47 < hits < 0.53 for hits in share.values()), share  # four standard errors around a half
    known = [one for block in blocks for one in _draws(settings.SECRET_KEY, slug, seed, name, block)]
    assert sum((known[number] < 0.5) == (number in drawn) for number in claims) >= len(claims) - 2


@pytest.mark.thorough
def test_another_secret_key_draws_later_claims_again_and_keeps_answers(owner, tmp_path):
    study = make_checked_study(tmp_path, owner, options={"same_raters": False})
    _, rater = rater_in(study, "ada")

    def work(most):
        for _ in range(most):
            prepare_checks(rater)
            if (assignment := next_assignment(study, rater)) is None:
                return
            submit(assignment, Submission({"q-well": ["4"]}, 0, 1))

    def draws():
        return [drawn_kind(study, rater.name, number) for number in range(200)]

    work(9)
    before = list(Annotation.objects.order_by("pk").values())
    drawn = draws()
    with override_settings(SECRET_KEY="of another machine"):
        assert draws() != drawn
        work(100)
        assert next_assignment(study, rater) is None
    assert draws() == drawn
    answers = Annotation.objects.order_by("pk")
    assert list(answers.values())[: len(before)] == before
    assert set(answers.values_list("status", "surplus")) == {("submitted", False)}
    assert answers.filter(task__item__pool="main").count() == 18 * 3
    later = answers.filter(pk__gt=before[-1]["id"], task__item__pool="copies")
    assert later.exists()
    assert Slot.objects.filter(study=None).exclude(state="filled").count() == 0


def count(captured):
    return sum(not query["sql"].strip().startswith(FRAME) for query in captured.captured_queries)
