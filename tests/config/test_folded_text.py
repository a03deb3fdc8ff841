"""Only A to Z are folded, by Python and by the database alike."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import Value

from accounts.models import Person
from config.folded_text import Folded, folded
from tests.house import named, sources

pytestmark = pytest.mark.both
EVERYTHING = "".join(
    character for character in map(chr, range(1, sys.maxunicode + 1)) if not "\ud800" <= character <= "\udfff"
)
FOLDS_MORE = re.compile(r"__i(exact|contains|startswith|endswith|regex)|\.casefold\(|\.lower\(|(Lower|Upper)\(")
ABOUT_PEOPLE = ("accounts/", "parts/mail/")
OF_OTHER_TEXTS = {"accounts/erased_names.py", "accounts/authenticator_codes.py"}
"""They look for an erased name inside of texts, rather too often than too rarely; and read codes that we made."""
FINDS_BY_HAND = re.compile(r"(filter|get|exclude|Q)\((\w+=[^)]*, )?(person__)?(username|email)(__\w+)?=")


def test_only_a_to_z_are_folded():
    changed = {before: after for before, after in zip(EVERYTHING, folded(EVERYTHING), strict=True) if before != after}
    assert changed == {chr(code): chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}


def test_the_database_folds_as_python_does(db):
    with connection.cursor() as cursor:
        compiler = Person.objects.all().query.get_compiler(connection=connection)
        for start in range(0, len(EVERYTHING), 4000):
            part = EVERYTHING[start : start + 4000]
            sql, params = compiler.compile(Folded(Value(part)).resolve_expression(compiler.query))
            cursor.execute(f"SELECT {sql}", params)
            assert cursor.fetchone()[0] == folded(part)


@pytest.mark.parametrize("other", ["m\u0131ke", "M\u0130KE", "mi\u212ae"])
def test_a_name_finds_a_person_in_any_case_of_a_to_z_and_no_other(db, other):
    person = Person.objects.create_user("Mike", email="Mike@mail.example")
    assert Person.objects.named("mIKE") == Person.objects.get_by_natural_key("MIKE") == person
    assert Person.objects.get(email_folded=folded("MIKE@Mail.Example")) == person
    assert Person.objects.named(other) is None
    assert not Person.objects.filter(email_folded=folded(f"{other}@mail.example")).exists()


def lines_with(pattern: re.Pattern[str], paths: Iterable[Path]) -> list[str]:
    return [
        f"{named(path)}:{number}: {line.strip()}"
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def test_nothing_else_folds_names_and_addresses_of_people():
    places = [path for path in sources() if named(path).startswith(ABOUT_PEOPLE)]
    assert len(places) > 50
    assert lines_with(FOLDS_MORE, (path for path in places if named(path) not in OF_OTHER_TEXTS)) == []


def test_people_are_found_by_folded_names_and_addresses_everywhere():
    assert lines_with(FINDS_BY_HAND, sources()) == []
    assert FINDS_BY_HAND.search("Person.objects.filter(username=name)")
    assert FINDS_BY_HAND.search("Identity.objects.filter(study=slug, person__username__iexact=name)")
