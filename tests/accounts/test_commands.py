import pytest
from django.core.management import CommandError, call_command


def test_the_operator_can_make_a_link_for_somebody_who_lost_their_password(client, owner, capsys):
    call_command("sign_in_link", "owner")
    assert client.post(capsys.readouterr().out.strip())["Location"] == "/"


def test_an_unknown_person_gets_no_link(db):
    with pytest.raises(CommandError, match="no active person called 'ghost'"):
        call_command("sign_in_link", "ghost")


def test_open_links_are_listed_and_revoked_by_the_command(client, owner, capsys):
    paths = []
    for _ in range(3):
        call_command("sign_in_link", "owner")
        paths.append(capsys.readouterr().out.strip())
    client.post(paths[0])
    call_command("sign_in_link", "owner", "--list")
    listed = capsys.readouterr().out
    assert listed.count("works until") == 2
    assert all(path.split("/")[-2] not in listed for path in paths)
    call_command("sign_in_link", "owner", "--revoke")
    assert capsys.readouterr().out == "Links revoked: 2\n"
    assert client.post(paths[1]).status_code == 404
    call_command("sign_in_link", "owner", "--list")
    assert capsys.readouterr().out == ""


def test_links_of_a_deactivated_person_can_be_revoked(owner, capsys):
    call_command("sign_in_link", "owner")
    owner.is_active = False
    owner.save()
    with pytest.raises(CommandError, match="no active person"):
        call_command("sign_in_link", "owner")
    capsys.readouterr()
    call_command("sign_in_link", "owner", revoke=True)
    assert capsys.readouterr().out == "Links revoked: 1\n"
