"""Nobody gets into the account of a synthetic rater, and nobody else gets a name like theirs."""

import io
from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts import signing_in
from accounts.forms import JoinForm
from accounts.models import Person, SignInLink
from accounts.secret_tokens import token_hash
from accounts.sign_in_links import PASSWORD, SIGN_IN, NobodyError, issue_link, issue_password_link, open_link
from annotation.members.invitations import InvitationDeadError, accept, invite, open_invitation
from annotation.members.member_links import NOBODY, MemberLinkRefusedError, make_member_link, why_no_link
from annotation.members.tokens import NobodysTokenError, issue_account_token, issue_token
from annotation.models import Membership, Token
from config.background.claiming import process_row
from config.background.kinds import GiveUpError
from parts.dry_runs.dry_run_steps import start_dry_run
from parts.mail.models import MailAddress, MailKind, OutgoingMail
from parts.mail.password_mail import password_mail
from parts.sign_on.environment import OidcProvider
from parts.sign_on.models import OutsideIdentity
from parts.sign_on.outside_accounts import account_of
from tests.conftest import live_study, make_person

pytestmark = pytest.mark.django_db
SETTINGS = {"raters": 2, "accuracy": 1.0, "bias": 0.0, "seconds": 90.0, "seed": 3, "items": None}


@pytest.fixture
def study(owner, rater):
    return live_study(owner, rater)


@pytest.fixture
def copied(study, owner):
    """The membership of a synthetic rater in the copy."""
    row = start_dry_run(study, SETTINGS, owner)
    assert process_row("dry_run", row.pk)
    row.refresh_from_db()
    return Membership.objects.filter(study=row.study, person__is_synthetic=True).first()


def test_neither_owner_nor_operator_gets_a_link(client, copied, owner):
    assert why_no_link(copied.study, copied.person, owner) == NOBODY
    with pytest.raises(MemberLinkRefusedError):
        make_member_link(copied, owner)
    for issue in (issue_link, issue_password_link):
        with pytest.raises(NobodyError):
            issue(copied.person, 1)
    with pytest.raises(CommandError, match="stands for no person"):
        call_command("sign_in_link", copied.person.username, stdout=io.StringIO())
    assert not SignInLink.objects.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("purpose", [SIGN_IN, PASSWORD])
def test_a_link_that_was_made_all_the_same_opens_nothing(client, copied, purpose):
    SignInLink.objects.create(
        person=copied.person, token_hash=token_hash("secret"), password_hash=token_hash(copied.person.password),
        purpose=purpose, expires_at=timezone.now() + timedelta(hours=1),
    )  # fmt: skip
    assert open_link("secret", purpose) is None
    path = reverse("accounts:link" if purpose == SIGN_IN else "accounts:reset_password", args=["secret"])
    assert client.get(path).status_code == 404
    client.post(path, {"new_password1": "a new long password", "new_password2": "a new long password"})
    assert "_auth_user_id" not in client.session
    copied.person.refresh_from_db()
    assert not copied.person.has_usable_password()


def test_no_other_way_in_begins_a_session(copied):
    request = RequestFactory().get("/")
    with pytest.raises(PermissionDenied):
        signing_in.enter(request, copied.person, "link")


def test_no_password_is_mailed_to_it(copied):
    MailAddress.objects.create(person=copied.person, address="synthetic@mail.example", confirmed_at=timezone.now())
    for typed in (copied.person.username, "synthetic@mail.example"):
        row = OutgoingMail.objects.create(kind=MailKind.PASSWORD, address=typed)
        with pytest.raises(GiveUpError):
            password_mail(row)


def provider():
    return OidcProvider(
        server="https://id.example", client_id="c", client_secret="s", name="Example", joins_by_email=True
    )  # fmt: skip


def test_no_provider_joins_it_by_an_address(copied):
    Person.objects.filter(pk=copied.person_id).update(email="synthetic@mail.example")
    claims = {"sub": "1", "email": "synthetic@mail.example", "email_verified": True}
    assert account_of(provider(), claims) != copied.person
    assert not OutsideIdentity.objects.filter(person=copied.person).exists()


def test_it_gets_no_token_and_accepts_no_invitation(copied, study, owner):
    with pytest.raises(NobodysTokenError):
        issue_token(copied.study, copied.person, name="t", scope="annotate")
    with pytest.raises(NobodysTokenError):
        issue_account_token(copied.person, name="t", scope="read")
    assert not Token.objects.exists()
    path = invite(study, "annotator", owner)[0]
    with pytest.raises(InvitationDeadError):
        accept(open_invitation(path.rstrip("/").rpartition("/")[2]), copied.person)
    assert not Membership.objects.filter(study=study, person=copied.person).exists()


def test_it_gets_no_password_and_no_rights(client, copied, admin_user):
    for change in ({"password": "pbkdf2_sha256$1$a$b"}, {"is_staff": True}, {"is_superuser": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Person.objects.filter(pk=copied.person_id).update(**change)
    client.force_login(admin_user)
    for address in ("change", "password"):
        response = client.post(f"/admin/accounts/person/{copied.person_id}/{address}/", {"username": "mine"})
        assert response.status_code == 403, address


@pytest.mark.parametrize("name", ["dry-run-1-1", "Dry-Run-7"])
def test_nobody_chooses_a_name_like_theirs(client, name, admin_user, settings):
    given = {"username": name, "full_name": "Ann", "password": "a long enough word"}
    assert list(JoinForm(given).errors) == ["username"]
    with pytest.raises(CommandError):
        call_command("createsuperuser", username=name, interactive=False, stdout=io.StringIO())
    made = account_of(provider(), {"sub": "2", "preferred_username": name})
    assert made.username == f"person-{name}"
    client.force_login(admin_user)
    fields = {"username": name, "usable_password": "false"}
    assert client.post("/admin/accounts/person/add/", fields).status_code == 200
    person = make_person("ann")
    client.post(f"/admin/accounts/person/{person.pk}/change/", {"username": name, "is_active": "on"})
    person.refresh_from_db()
    assert person.username == "ann"
    assert not Person.objects.filter(username__iexact=name).exists()
