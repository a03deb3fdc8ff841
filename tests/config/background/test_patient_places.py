"""Patient work, such as a run's judgments, leaves threads of a worker to people."""

import pytest

from config.background import messages
from config.background.patient_places import PatientPlaces, call_threads

FIRST_ROW, SECOND_ROW = ("judgment", 1), ("judgment", 2)

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


class Patient:
    patient, queue = True, "calls"


class Impatient:
    patient, queue = False, "calls"


@pytest.fixture
def sent(monkeypatch):
    """One place for patient work; the messages that are sent again."""
    found = []
    places = PatientPlaces(1)
    monkeypatch.setattr(messages, "patient_places", lambda: places)
    monkeypatch.setattr(messages, "works", lambda: {"judgment": Patient, "turn": Impatient})
    monkeypatch.setattr(messages.do_row, "apply_async", lambda given, **more: found.append((given, more["priority"])))
    return found


def test_a_message_without_a_place_is_sent_again_when_one_is_free(sent, monkeypatch):
    done = []

    def process(key, pk):
        if (key, pk) == FIRST_ROW:
            for again in (SECOND_ROW, SECOND_ROW, ("turn", 5)):
                messages.do_row(*again)
            assert sent == []
        done.append((key, pk))

    monkeypatch.setattr(messages, "process_in_turn", process)
    messages.do_row(*FIRST_ROW)
    assert done == [("turn", 5), FIRST_ROW]  # work for people needs no place
    assert sent == [(SECOND_ROW, messages.LAST)]
    messages.do_row(*SECOND_ROW)
    assert (done[-1], len(sent)) == (SECOND_ROW, 1)


def test_a_place_becomes_free_if_work_fails(sent, monkeypatch):
    def fail(key, pk):
        raise RuntimeError

    monkeypatch.setattr(messages, "process_in_turn", fail)
    for _ in range(2):
        with pytest.raises(RuntimeError):
            messages.do_row(*FIRST_ROW)
    assert sent == []


def test_a_worker_has_more_threads_than_places_for_patient_work(settings):
    for places, threads in ((1, 3), (8, 10), (32, 40)):
        settings.CALL_THREADS = places
        assert call_threads() == threads
