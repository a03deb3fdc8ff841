import logging
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, BrowserSession, SignInLink
from accounts.sign_in_links import issue_link, revoke_links
from accounts.signing_in import use_link

SIGN_IN = "/sign-in/"


def sign_in(client, name="owner", password="owner has a long password", **more):
    return client.post(SIGN_IN, {"username": name, "password": password, **more})


def actions():
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_the_right_password_signs_in_and_goes_home(client, owner):
    response = sign_in(client)
    assert response.status_code == 302
    assert response["Location"] == "/"
    assert client.get("/").status_code == 200


def test_after_sign_in_people_reach_the_page_they_asked_for(client, owner):
    asked = client.get("/statistics/?a=b")
    assert asked["Location"] == f"/sign-in/?next={quote('/statistics/?a=b', safe='/')}"
    assert sign_in(client, next="/statistics/?a=b")["Location"] == "/statistics/?a=b"


@pytest.mark.parametrize("away", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example"])
def test_sign_in_never_redirects_to_another_host(client, owner, away):
    assert sign_in(client, next=away)["Location"] == "/"


def test_unknown_and_known_names_and_deactivated_people_are_answered_alike(client, owner, rater):
    get_user_model().objects.filter(pk=rater.pk).update(is_active=False)
    answers = []
    for name, password in (("owner", "wrong"), ("nobody", "wrong"), ("rater", "rater has a long password")):
        response = sign_in(client, name, password)
        body = response.content.decode().replace(f'value="{name}"', "")
        answers.append((response.status_code, body.split("csrfmiddlewaretoken")[1].split('">', 1)[1]))
    assert answers[0] == answers[1] == answers[2]
    assert answers[0][0] == 422
    assert "Wrong user name or password" in answers[0][1]


def test_the_session_id_changes_at_sign_in(client, owner):
    session = client.session
    session["before"] = 1
    session.save()
    before = session.session_key
    sign_in(client)
    assert client.session.session_key != before
    assert not BrowserSession.objects.filter(pk=before).exists()


def test_signing_out_ends_the_session_on_the_server(client, owner):
    sign_in(client)
    stolen = client.session.session_key
    assert client.post("/sign-out/").status_code == 302
    thief = Client()
    thief.cookies["sessionid"] = stolen
    assert thief.get("/").status_code == 302


def test_a_new_password_ends_the_other_sessions_and_keeps_this_one(client, owner):
    other = Client()
    sign_in(other)
    sign_in(client)
    new = "another long password"
    form = {"old_password": "owner has a long password", "new_password1": new, "new_password2": new}
    assert client.post("/password/", form).status_code == 302
    assert client.get("/").status_code == 200
    assert other.get("/").status_code == 302
    assert sign_in(Client()).status_code == 422
    assert sign_in(Client(), password=new).status_code == 302


def test_a_deactivated_person_loses_access_with_the_next_request(client, owner):
    sign_in(client)
    get_user_model().objects.filter(pk=owner.pk).update(is_active=False)
    assert client.get("/").status_code == 302


def test_scripts_and_other_sites_cannot_use_the_cookies(client, owner):
    client.get(SIGN_IN)
    sign_in(client)
    for name in ("sessionid", "csrftoken"):
        assert client.cookies[name]["httponly"]
        assert client.cookies[name]["samesite"] == "Lax"


def test_a_weak_new_password_is_an_error_at_its_field(client, owner):
    sign_in(client)
    form = {"old_password": "owner has a long password", "new_password1": "1234567890", "new_password2": "1234567890"}
    response = client.post("/password/", form)
    assert response.status_code == 422
    assert "entirely numeric" in response.content.decode()


def test_a_new_site_has_no_sign_up_and_no_account(client, db):
    assert get_user_model().objects.count() == 0
    for path in ("/sign-up/", "/register/", "/accounts/signup/"):
        assert client.get(path).status_code == 404


def test_no_password_reaches_the_audit_or_the_log(client, owner, caplog):
    caplog.set_level(logging.DEBUG)
    planted = "canary-Passw0rd-7431"
    sign_in(client, "owner", planted)
    sign_in(client, planted, planted)  # typed into the wrong field
    sign_in(client)
    form = {"old_password": planted, "new_password1": planted, "new_password2": planted}
    client.post("/password/", form)
    client.post("/password/", form | {"old_password": "owner has a long password"})
    said = caplog.text + "".join(f"{e.subject}{e.old}{e.new}" for e in AuditEntry.objects.all())
    assert actions() == ["signed in", "password changed"]
    assert planted[:8] not in said


def test_signing_in_and_out_are_audited_and_a_wrong_password_is_not(client, owner):
    sign_in(client, password="wrong")
    sign_in(client, "nobody", "wrong")
    sign_in(client)
    client.post("/sign-out/")
    rows = list(AuditEntry.objects.order_by("pk").values_list("action", "subject", "about__person", "actor__person"))
    assert rows == [
        ("signed in", "", None, owner.pk),
        ("signed out", "", None, owner.pk),
    ]


def test_opening_a_link_does_not_use_it_and_posting_it_signs_in_once(client, owner):
    path = issue_link(owner)
    assert "Sign in as" in client.get(path).content.decode()
    assert client.get(path).status_code == 200
    assert client.post(path)["Location"] == "/"
    assert client.get("/").status_code == 200
    assert Client().post(path).status_code == 404
    assert Client().get(path).status_code == 404
    assert actions() == ["sign-in link issued", "signed in"]


def test_only_the_hash_of_a_link_is_stored(owner):
    token = issue_link(owner).split("/")[-2]
    assert len(token) >= 43
    link = SignInLink.objects.get()
    assert token not in str(vars(link))
    assert token not in "".join(str(vars(entry)) for entry in AuditEntry.objects.all())


@pytest.mark.parametrize("change", ["expired", "deactivated", "unknown", "revoked", "new password"])
def test_a_dead_link_does_not_say_why_it_is_dead(client, owner, change):
    path = issue_link(owner)
    if change == "expired":
        SignInLink.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif change == "deactivated":
        get_user_model().objects.update(is_active=False)
    elif change == "revoked":
        assert revoke_links(owner, None) == 1
    elif change == "new password":  # as `manage.py changepassword` sets it, without our code
        owner.set_password("another long password")
        owner.save()
    else:
        path = "/sign-in/nothing-like-it/"
    for response in (client.get(path), client.post(path)):
        assert response.status_code == 404
        assert "no longer works" in response.content.decode()
        assert "owner" not in response.content.decode()
    assert client.get("/").status_code == 302


def test_a_new_password_ends_the_links_that_were_made_before(client, owner):
    before = issue_link(owner)
    sign_in(client)
    new = "another long password"
    form = {"old_password": "owner has a long password", "new_password1": new, "new_password2": new}
    client.post("/password/", form)
    assert SignInLink.objects.exclude(revoked_at=None).count() == 1
    assert Client().post(before).status_code == 404
    assert actions()[-1] == "sign-in links revoked"
    owner.refresh_from_db()
    assert Client().post(issue_link(owner)).status_code == 302


@pytest.mark.parametrize("step", ["password", "deactivation"])
def test_a_password_or_deactivation_by_the_operator_ends_links(client, owner, step):
    path = issue_link(owner)
    client.force_login(get_user_model().objects.create(username="operator", is_staff=True, is_superuser=True))
    if step == "password":
        new = {"password1": "another long password", "password2": "another long password", "usable_password": "true"}
        assert client.post(f"/admin/accounts/person/{owner.pk}/password/", new).status_code == 302
    else:
        change = f"/admin/accounts/person/{owner.pk}/change/"
        assert client.post(change, {"username": "owner", "full_name": "", "email": ""}).status_code == 302
        get_user_model().objects.update(is_active=True)
    assert Client().post(path).status_code == 404
    assert SignInLink.objects.exclude(revoked_at=None).count() == 1


def test_the_operator_revokes_open_links_in_the_admin(client, owner):
    path = issue_link(owner)
    client.force_login(get_user_model().objects.create(username="operator", is_staff=True, is_superuser=True))
    chosen = {"action": "revoke", "_selected_action": [SignInLink.objects.get().pk]}
    assert client.post("/admin/accounts/signinlink/", chosen).status_code == 302
    assert Client().post(path).status_code == 404
    assert AuditEntry.objects.filter(action="sign-in links revoked", actor__person__username="operator").count() == 1


def test_the_database_refuses_the_second_of_two_requests_with_one_link(rf, owner, monkeypatch):
    token = issue_link(owner).split("/")[-2]
    seen = SignInLink.objects.select_related("person").get()  # both have looked before either has taken it
    monkeypatch.setattr("accounts.signing_in.open_link", lambda _: seen)

    def take():
        request = rf.post("/")
        request.session = Client().session
        return use_link(request, token)

    assert take() == owner
    assert take() is None


def test_scripts_get_a_401_instead_of_the_sign_in_page(client, db):
    for headers in ({"HX-Request": "true"}, {"Accept": "application/json"}):
        assert client.get("/", headers=headers).status_code == 401
    assert client.get("/", headers={"Accept": "application/json"}).json()["request_id"]
