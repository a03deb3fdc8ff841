"""A rater cannot tell a check from any other task: not by page, headers, address, progress, statements or own data."""

import json
import re
from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.models import Assignment
from tests.recruiting.checks.checked_study import (
    EVERY_KIND,
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
    shown = [task.item.document, task.item.instruction, *task.outputs.values_list("text", flat=True)]
    return [one for text in shown for one in (text, *re.split(r"(?<=\.)\s|\s", text)) if len(one) > 1]


@pytest.mark.parametrize("protocol", ["rating", "pairwise", "listwise"])
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


@pytest.mark.parametrize("protocol", ["rating", "pairwise"])
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
            client.post(reverse("recruiting:task_thread", args=[study.slug, address.split("/")[2]]), {"text": "Why?"})
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


def count(captured):
    return sum(not query["sql"].strip().startswith(FRAME) for query in captured.captured_queries)
