"""A server of our own needs the programs of PostgreSQL and no others."""

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.faults import own_postgres


def test_only_programs_of_postgresql_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(own_postgres, "search_path", lambda: str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert own_postgres.missing_program() == "postgres is missing: sudo apt install postgresql"
    for name in own_postgres.PROGRAMS:
        (tmp_path / name).touch(0o755)
    assert own_postgres.missing_program() == ""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert own_postgres.missing_program().startswith("setpriv is missing")


@pytest.mark.skipif(bool(own_postgres.missing_program()), reason=own_postgres.missing_program())
def test_a_server_that_crashes_while_it_is_used_starts_again():
    with TemporaryDirectory() as folder, own_postgres.own_postgres(Path(folder)) as server:
        for _ in range(3):
            used = [psycopg.connect(server.url) for _ in range(20)]
            server.crash()
            server.start()
            assert server.answers()
            for one in used:
                one.close()
