"""The admin's first page tells operators, and nobody else, about the last backup."""

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings


@pytest.fixture
def var(tmp_path):
    with override_settings(VAR=tmp_path / "var", ENDPOINTS_FILE=tmp_path / "endpoints.yaml"):
        (tmp_path / "var").mkdir()
        yield tmp_path


def shown(client):
    text = client.get("/admin/").content.decode()
    return " ".join(text.split('id="last-backup"')[1].split("</div>")[0].split()), text


@pytest.mark.thorough
def test_an_operator_sees_when_the_last_backup_was_made(var, admin_client):
    first, page = shown(admin_client)
    assert "No backup has been made yet" in first
    assert 'class="warningnote" id="last-backup"' in page
    call_command("backup", var / "one.zip")
    second, page = shown(admin_client)
    assert f"<bdi>{var / 'one.zip'}</bdi>" in second
    assert 'class="warningnote" id="last-backup"' not in page
    with pytest.raises(CommandError):
        call_command("backup", var / "one.zip")
    third, page = shown(admin_client)
    assert "failed" in third
    assert "exists already" in third
    assert "one.zip</bdi>" in third
    assert 'class="warningnote" id="last-backup"' in page


def test_researchers_in_the_admin_do_not_see_it(var, client, owner):
    owner.is_staff = True
    owner.save()
    client.force_login(owner)
    answer = client.get("/admin/")
    assert answer.status_code == 200
    assert "last-backup" not in answer.content.decode()
