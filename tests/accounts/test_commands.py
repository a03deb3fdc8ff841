import pytest
from django.core.management import CommandError, call_command


def test_the_operator_can_make_a_link_for_who_lost_a_password(client, owner, capsys):
    call_command("sign_in_link", "owner")
    assert client.post(capsys.readouterr().out.strip())["Location"] == "/"


def test_there_is_no_link_for_nobody(db):
    with pytest.raises(CommandError, match="no active person called 'ghost'"):
        call_command("sign_in_link", "ghost")
