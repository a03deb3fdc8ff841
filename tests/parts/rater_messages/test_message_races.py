"""Messages, pauses and news of the same thing at the same moment: one thread, one pause, one mail."""

import threading

import pytest
from django.db import connections
from django.utils import timezone

from annotation.desk.assigning import next_assignment
from annotation.members.membership import rater_for
from annotation.members.standing import PauseRefusedError, pause_rater
from annotation.models import Rater, RaterPause
from parts.mail.mail_queue import remind
from parts.mail.models import MailAddress, OutgoingMail
from parts.rater_messages import sending_messages
from parts.rater_messages.models import MessageThread, RaterMessage
from parts.rater_messages.sending_messages import TooManyMessagesError, write_to_rater, write_to_researchers
from tests.conftest import live_study, make_person

AT_ONCE = 6


@pytest.fixture
def given(transactional_db):
    owner, person = make_person("owner"), make_person("rater")
    study = live_study(owner, person)
    return study, owner, rater_for(study, person)


def at_once(work):
    """Do it in several threads at the same moment; return how many did it without being refused."""
    done, barrier = [], threading.Barrier(AT_ONCE)

    def run():
        barrier.wait()
        try:
            done.append(work())
        except (PauseRefusedError, TooManyMessagesError):
            pass
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def test_first_messages_at_once_make_one_thread(given):
    study, owner, rater = given
    task = next_assignment(study, rater).task
    assert at_once(lambda: write_to_researchers(rater, task, "Why?")) == AT_ONCE
    assert at_once(lambda: write_to_rater(rater, None, "Hello.", owner)) == AT_ONCE
    assert MessageThread.objects.count() == 2
    assert RaterMessage.objects.count() == 2 * AT_ONCE


def test_the_limit_holds_for_messages_at_once(given, monkeypatch):
    _, _, rater = given
    monkeypatch.setattr(sending_messages, "MOST_OF_RATER", 2)
    assert at_once(lambda: write_to_researchers(rater, None, "Why?")) == 2
    assert RaterMessage.objects.count() == 2


def test_a_rater_is_paused_once(given):
    _, owner, rater = given
    assert at_once(lambda: pause_rater(rater, "Wait.", owner)) == 1
    assert RaterPause.objects.count() == 1


def test_workers_that_look_at_once_queue_one_mail(given):
    study, _, rater = given
    MailAddress.objects.create(person=rater.person, address="ann@mail.example", confirmed_at=timezone.now())
    assert at_once(lambda: remind(study, list(Rater.objects.filter(pk=rater.pk)), None)) == AT_ONCE
    assert OutgoingMail.objects.count() == 1
