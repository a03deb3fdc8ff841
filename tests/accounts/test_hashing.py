"""At most two passwords are hashed at once on a host."""

import subprocess
import sys
import threading
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.core.management import call_command

from accounts import hashing
from accounts.hashing import HASHING, WAITING, HashingBusyError, hashing_place
from accounts.models import Person, WrongTryCount
from annotation.members.invitations import invite
from config.sign_in_thread import IN_SIGN_IN_THREAD

ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import os, sys
from pathlib import Path
import django
django.setup()
from django.contrib.auth.hashers import PBKDF2PasswordHasher, make_password
from accounts import hashing

hashing.LONGEST_WAIT = 60
log = Path(sys.argv[1])

def encode(self, password, salt, iterations=None):
    # Written at once by the system, so that the lines are in the order of what happened.
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, b"+")
    while log.read_bytes().count(b"+") < 2:  # the first waits for a second beside it
        pass
    os.write(descriptor, b"-")
    return "pbkdf2_sha256$1$salt$hash"

PBKDF2PasswordHasher.encode = encode
print("ready", flush=True)
sys.stdin.readline()
make_password("a password")
"""


@pytest.fixture
def real_hasher(settings, tmp_path, monkeypatch):
    """The site's own hasher, quick, with its places in a folder of its own."""
    settings.PASSWORD_HASHERS = ["accounts.hashing.BoundedPBKDF2Hasher"]
    settings.VAR = tmp_path
    monkeypatch.setattr(PBKDF2PasswordHasher, "iterations", 1)


@pytest.fixture
def no_place(real_hasher, tmp_path, monkeypatch):
    """All places are taken by others, and nobody waits long."""
    monkeypatch.setattr(hashing, "LONGEST_WAIT", 0.05)
    with ExitStack() as held:
        for _ in range(HASHING):
            held.enter_context(hashing_place(tmp_path))
        yield


@pytest.mark.thorough
def test_two_processes_hash_at_once_and_never_three(tmp_path):
    log = tmp_path / "log"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(log)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={"DJANGO_SETTINGS_MODULE": "config.settings", "VAR": str(tmp_path / "var"), "PATH": ""},
        )
        for _ in range(HASHING + WAITING)
    ]  # fmt: skip
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    assert [(child.communicate(timeout=60), child.returncode)[1] for child in children] == [0] * len(children)
    running, most = 0, 0
    for sign in log.read_text():
        running += 1 if sign == "+" else -1
        most = max(most, running)
    assert (most, running, log.read_text().count("+")) == (2, 0, len(children))


def test_threads_share_the_places_and_waiting_ones_get_one(tmp_path, monkeypatch):
    monkeypatch.setattr(hashing, "LONGEST_WAIT", 60)
    entered, leave, done = threading.Semaphore(0), threading.Event(), []

    def hash_slowly():
        with hashing_place(tmp_path):
            entered.release()
            assert leave.wait(60)
        done.append(True)

    threads = [threading.Thread(target=hash_slowly) for _ in range(HASHING + WAITING)]
    for thread in threads:
        thread.start()
    for _ in range(HASHING):
        assert entered.acquire(timeout=60)
    assert hashing._take(tmp_path, "hashing", HASHING) is None
    leave.set()
    for thread in threads:
        thread.join(60)
    assert done == [True] * len(threads)


def test_nobody_waits_if_too_many_are_waiting(tmp_path):
    with ExitStack() as held:
        for _ in range(HASHING + WAITING):
            held.enter_context(hashing._held(tmp_path, "hashing-queue", HASHING + WAITING, 0))
        with pytest.raises(HashingBusyError), hashing_place(tmp_path):
            pass


@pytest.fixture
def sign_in_thread():
    token = IN_SIGN_IN_THREAD.set(True)
    yield
    IN_SIGN_IN_THREAD.reset(token)


def test_a_sign_in_thread_is_not_counted_and_waits_as_long_as_others_get_places(tmp_path, monkeypatch, sign_in_thread):
    others, clock = [ExitStack(), ExitStack()], [0.0]

    def one_gets_the_place_of_another(seconds):
        clock[0] += hashing.LONGEST_WAIT - 1
        first = others.pop(0)
        first.close()
        if clock[0] < 10 * hashing.LONGEST_WAIT:
            first.enter_context(hashing_place(tmp_path))
            others.append(first)

    with ExitStack() as counted:
        for _ in range(HASHING + WAITING):
            counted.enter_context(hashing._held(tmp_path, "hashing-queue", HASHING + WAITING, 0))
        for other in others:
            other.enter_context(hashing_place(tmp_path))
        fake = SimpleNamespace(
            monotonic=lambda: clock[0], sleep=one_gets_the_place_of_another, time_ns=count(1).__next__
        )
        monkeypatch.setattr(hashing, "time", fake)
        with hashing_place(tmp_path):
            assert clock[0] >= 10 * hashing.LONGEST_WAIT
        others[0].close()


def test_a_sign_in_thread_gives_up_if_nobody_gets_a_place(no_place, tmp_path, sign_in_thread):
    with pytest.raises(HashingBusyError), hashing_place(tmp_path):
        pass


def test_a_place_is_free_again_after_an_error(tmp_path):
    for _ in range(2 * HASHING):
        with pytest.raises(ZeroDivisionError), hashing_place(tmp_path):
            _ = 1 / 0


def test_a_sign_in_without_a_place_says_so_and_is_not_counted(client, rater, no_place):
    response = client.post("/sign-in/", {"username": "rater", "password": "rater has a long password"})
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    page = response.content.decode()
    assert "The site is busy" in page
    assert 'value="rater"' in page
    assert set(WrongTryCount.objects.values_list("count", flat=True)) == {0}


def test_a_newcomer_without_a_place_keeps_the_form_and_the_invitation(client, study, owner, no_place):
    path = invite(study, "annotator", owner)[0]
    form = {"username": "newcomer", "full_name": "New Comer", "password": "a password of some length"}
    response = client.post(path, form)
    assert (response.status_code, int(response["Retry-After"]) > 0) == (503, True)
    assert 'value="New Comer"' in response.content.decode()
    assert not Person.objects.filter(username="newcomer").exists()


def test_other_pages_that_hash_answer_503(client, rater, no_place):
    operator = Person.objects.create(username="operator", is_staff=True, is_superuser=True)
    client.force_login(operator)
    new = {"password1": "another long password", "password2": "another long password", "usable_password": "true"}
    response = client.post(f"/admin/accounts/person/{rater.pk}/password/", new)
    assert response.status_code == 503
    assert int(response["Retry-After"]) > 0
    assert "was not completed" in response.content.decode()
    assert Person.objects.get(pk=rater.pk).password == rater.password


@pytest.mark.django_db
def test_passwords_that_django_itself_hashed_still_work(client, real_hasher):
    call_command("createsuperuser", username="operator", interactive=False)
    person = Person.objects.get()
    person.password = PBKDF2PasswordHasher().encode("made by Django itself", "somesaltsomesaltsomesalt", 1)
    person.save()
    assert client.post("/sign-in/", {"username": "operator", "password": "made by Django itself"}).status_code == 302
