"""Samples of turns to label: which turns are drawn, each person's own queue, and who sees whose labels when."""

import re
from hashlib import sha256

import pytest
from django.test import Client
from django.urls import reverse

from agreement.turns.turn_figures import GOOD
from annotation.members.membership import add_member, rater_for
from annotation.models import Rater
from config.background.claiming import run_waiting
from reports.figures.rows.turn_rows import session_rows
from sessions import steps
from sessions.label_samples import NothingToLabelError, draw_labels, next_of, queue_of
from sessions.models import LabelSample, Turn, TurnLabel
from sessions.turn_labels import MachineLabel, label, write_machine_labels
from tests.conftest import make_person
from tests.sessions.conftest import begun, turned

pytestmark = pytest.mark.django_db
TYPE, ERROR, PASSAGES = "instruction_type", "error_category", "retrieval"
SAMPLES = "/studies/revising/sessions/labels/"


def sampled_turns(turns, size, *, seed, failed=False, per_model=False):
    """Up to `size` turns, or `size` of each model, in a seeded order: computed from the rows of figures."""
    fitting = [turn for turn in turns if not failed or turn.rating not in (None, GOOD)]
    ordered = sorted(fitting, key=lambda turn: sha256(f"{seed} {turn.number} {turn.session}".encode()).digest())
    if not per_model:
        return [(turn.session, turn.number) for turn in ordered[:size]]
    of_models = [
        [turn for turn in ordered if turn.model == model][:size] for model in sorted({t.model for t in ordered})
    ]
    return [(turn.session, turn.number) for own in of_models for turn in own]


@pytest.fixture
def worked(session, models, study):
    """Five rated turns: of one model bad, neutral (with passages) and good (with passages), of the other good, bad."""
    turned(session, "Shorter.", "bad")
    turned(session, "What does it cost?", "neutral", "information")
    turned(session, "And in winter?", "good", "information")
    steps.finish(session)
    other = begun(study, session.rater.person)
    run_waiting()
    turned(other, "Longer.", "good")
    turned(other, "Again.", "bad")
    return study


def drawn(study, kind=TYPE, source="all", size=99, per_model=False, seed=0):
    return draw_labels(study, kind=kind, source=source, size=size, per_model=per_model, seed=seed)


def researcher(study, name):
    person = make_person(name)
    add_member(study, person, "researcher", None)
    client = Client()
    client.force_login(person)
    return person, client


def text_of(client, address):
    response = client.get(address)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def test_a_sample_is_the_beginning_of_the_order_that_figures_know(worked):
    rows = session_rows(worked).turns
    for size, failed, per_model in ((3, False, False), (2, True, False), (1, False, True)):
        source = "failed" if failed else "all"
        sample = drawn(worked, source=source, size=size, per_model=per_model, seed=7)
        expected = sampled_turns(rows, size, seed=7, failed=failed, per_model=per_model)
        assert [tuple(one) for one in sample.turns] == expected
    assert len(drawn(worked, size=1, per_model=True, seed=7).turns) == len({turn.model for turn in rows})


def test_only_turns_that_can_have_the_label_are_drawn(worked):
    numbers = {
        (kind, source): len(drawn(worked, kind, source).turns)
        for kind, source in (
            (TYPE, "all"), (TYPE, "failed"), (TYPE, "passages"), (ERROR, "all"), (PASSAGES, "all"),
            (PASSAGES, "failed_passages"),
        )
    }  # fmt: skip
    assert list(numbers.values()) == [5, 3, 2, 3, 2, 1]


def test_equal_choices_are_one_sample(worked):
    assert drawn(worked).pk == drawn(worked).pk
    assert drawn(worked).pk != drawn(worked, seed=1).pk


def test_no_sample_is_empty(study):
    with pytest.raises(NothingToLabelError, match="No turn fits"):
        drawn(study)
    assert not LabelSample.objects.exists()


def test_everybody_has_their_own_place_in_the_queue(worked):
    sample = drawn(worked)
    ann, ben = (rater_for(worked, make_person(name)) for name in ("ann-r", "ben-r"))
    first, second, *_ = queue_of(sample, ann)
    label(worked_turn(first.pk), TYPE, "condense", ann)
    assert [one.own for one in queue_of(sample, ann)][:2] == ["condense", ""]
    assert not any(one.own for one in queue_of(sample, ben))
    assert next_of(queue_of(sample, ann), first.pk).pk == second.pk
    assert next_of(queue_of(sample, ben)).pk == first.pk
    last = queue_of(sample, ben)[-1].pk
    assert next_of(queue_of(sample, ben), last).pk == first.pk, "after the last the first one without a label"


def worked_turn(pk):
    return Turn.objects.select_related("session__study").get(pk=pk)


def test_a_queue_goes_from_turn_to_turn_until_all_are_labelled(worked):
    person, client = researcher(worked, "ann-r")
    response = client.post(SAMPLES, {"kind": ERROR, "source": "all", "size": "99", "seed": "0"})
    sample = LabelSample.objects.get()
    address = reverse("revision_sessions:label_queue", args=["revising", sample.pk])
    assert (response.status_code, response["Location"]) == (302, address)
    page = client.get(address).content.decode()
    assert re.findall(r'data-key="(\d)"', page) == ["1", "2", "3", "4", "5"]
    assert "0 of 3 labelled" in text_of(client, address)
    assert "the change was not made at all." in page
    assert "Because." in page
    for number, turn in enumerate([one.pk for one in queue_of(sample, None)], 1):
        said = client.post(address, {"at": turn, "value": "others"})
        assert f"{number} of 3 labelled" in text_of(client, address)
    assert said["Location"] == address
    assert "All labelled" in text_of(client, address)
    assert {one.rater.person for one in TurnLabel.objects.all()} == {person}
    assert "3 of 3" in text_of(client, SAMPLES)


def test_labels_of_others_are_seen_after_one_s_own(worked):
    person, ann = researcher(worked, "ann-r")
    _, ben = researcher(worked, "ben-r")
    sample = drawn(worked)
    address = reverse("revision_sessions:label_queue", args=["revising", sample.pk])
    turn = worked_turn(queue_of(sample, None)[0].pk)
    overview = reverse("revision_sessions:overview", args=["revising", turn.session.pk])
    model = Rater.objects.create(study=worked, name="ROBOT", kind="model")
    write_machine_labels(worked, model, [MachineLabel(turn.pk, TYPE, "remove", "first")])
    ann.post(address, {"at": turn.pk, "value": "condense"})
    for page in (f"{address}?at={turn.pk}", overview):
        assert "by ROBOT" not in text_of(ben, page)
        assert "ROBOT, run first" not in text_of(ben, page)
        assert "ROBOT, run first" in text_of(ann, page)
    ben.post(address, {"at": turn.pk, "value": "others"})
    shown = text_of(ben, f"{address}?at={turn.pk}")
    assert "ROBOT, run first (model): remove" in shown
    assert f"{rater_for(worked, person).name} : condense" in shown
    assert "ROBOT, run first" in text_of(ben, overview)


def test_what_fits_no_label_or_no_turn_is_refused(worked):
    _, client = researcher(worked, "ann-r")
    sample = drawn(worked, ERROR)
    address = reverse("revision_sessions:label_queue", args=["revising", sample.pk])
    turn = queue_of(sample, None)[0].pk
    response = client.post(address, {"at": turn, "value": "nonsense"})
    assert response["Location"] == f"{address}?at={turn}"
    assert "must be one of" in text_of(client, response["Location"])
    assert client.post(address, {"at": turn + 1000, "value": "others"}).status_code == 404
    assert client.post(SAMPLES, {"kind": "none", "source": "all", "size": "0", "seed": ""}).status_code == 422
    assert not TurnLabel.objects.exists()
