"""Every key of a question and every option of a study has its field, with the default that the code has."""

import re
from pathlib import Path

import pytest
from django.utils import timezone

from annotation.common_options import ON_OWN_PAGE
from annotation.desk.assigning import lease_end
from annotation.models import Study
from annotation.protocols import protocols
from annotation.questions import SpecInvalidError, question_types
from files.reading.study_file import checked_study

pytestmark = pytest.mark.quick
NOW = timezone.now()
DOCS = Path(__file__).parents[2] / "docs"


def flat(fields):
    for field in fields:
        yield field
        yield from flat(field.fields)


ALL = [field for part in (*question_types().values(),) for field in flat(part.spec_fields)]
ALL += [field for protocol in protocols().values() for field in flat(protocol.all_option_fields)]


@pytest.mark.parametrize("kind", question_types().values(), ids=lambda kind: kind.key)
def test_every_key_of_a_question_type_has_a_field(kind):
    assert {field.key for field in kind.spec_fields} == kind.spec_keys
    assert len(kind.spec_fields) == len(kind.spec_keys)
    assert kind.label


@pytest.mark.parametrize("protocol", protocols().values(), ids=lambda protocol: protocol.key)
def test_every_option_of_a_protocol_has_a_field(protocol):
    keys = [field.key for field in protocol.all_option_fields]
    assert sorted(keys) == sorted((protocol.option_keys | protocol.flow.common_options) - ON_OWN_PAGE)
    assert {field.key for field in protocol.option_fields} == protocol.option_keys


@pytest.mark.parametrize("kind", question_types().values(), ids=lambda kind: kind.key)
def test_a_new_question_of_each_type_is_valid_and_the_defaults_change_nothing(kind):
    begun = {field.key: field.begins for field in kind.spec_fields if field.begins is not None}
    kind.check_spec(begun)
    stated = {**begun, **{field.key: field.default for field in kind.spec_fields if field.default is not None}}
    kind.check_spec(stated)
    assert kind.choices(stated) == kind.choices(begun)
    assert kind.takes_ties(stated) == kind.takes_ties(begun)
    assert kind.takes_several(stated) == kind.takes_several(begun)
    assert kind.scale(stated) == kind.scale(begun)


@pytest.mark.parametrize("kind", question_types().values(), ids=lambda kind: kind.key)
def test_a_required_key_is_refused_if_it_is_missing(kind):
    begun = {field.key: field.begins for field in kind.spec_fields if field.begins is not None}
    for field in kind.spec_fields:
        if field.required:
            with pytest.raises(SpecInvalidError, match=field.key):
                kind.check_spec({key: value for key, value in begun.items() if key != field.key})


def question_lines(protocol):
    """The fewest questions that a study of the protocol may have."""
    return {
        "rating": [{"key": "q", "type": "binary"}],
        "listwise": [{"key": "q", "type": "rank", "ranks": 2}],
        "pairwise": [{"key": "q", "type": "preference"}],
        "session": [
            {"key": "rating", "type": "category", "choices": ["good", "neutral", "bad"]},
            {"key": "comment", "type": "text"},
        ],
    }[protocol]


@pytest.mark.parametrize("protocol", protocols().values(), ids=lambda protocol: protocol.key)
def test_the_stated_defaults_are_accepted_and_plan_the_same_tasks(protocol):
    stated = {field.key: field.default for field in protocol.all_option_fields if field.default is not None}
    body = {"slug": "s", "protocol": protocol.key, "redundancy": 1, "questions": question_lines(protocol.key)}
    checked_study({**body, "options": stated}, "Study")
    outputs = [] if protocol.key == "session" else ["north", "south", "west"]
    assert protocol.plan(outputs, stated) == protocol.plan(outputs, {})
    assert protocol.keeps_raters(stated) == protocol.keeps_raters({})


def test_the_default_lease_is_the_one_that_the_desk_gives():
    for protocol in protocols().values():
        field = next(one for one in protocol.all_option_fields if one.key == "lease_minutes")
        study = Study(protocol=protocol.key)
        stated = Study(protocol=protocol.key, options={"lease_minutes": field.default})
        assert lease_end(study, NOW) == lease_end(stated, NOW)


def test_fields_are_described_in_plain_words():
    for field in ALL:
        assert field.label, field.key
        assert not field.help or re.search(r"[.…:]$|[a-z]$|[)]$", field.help), field.key
        if field.kind in ("choice", "either"):
            unset = field.default is None and field.default_text  # nothing is chosen, and the field says so
            assert unset or field.default in dict(field.choices), field.key
            assert {one.key for one in field.fields} <= set(dict(field.choices)), field.key


def test_every_option_of_the_documents_has_a_field():
    text = (DOCS / "protocols.md").read_text(encoding="utf-8") + (DOCS / "formats.md").read_text(encoding="utf-8")
    fields = {field.key for field in ALL}
    for table in re.findall(r"\| option \| value \|\n\| --- \| --- \|\n((?:\|.*\n)+)", text):
        for row in table.splitlines():
            for key in re.findall(r"`(\w+)`", row.split("|")[1]):
                assert key in fields | ON_OWN_PAGE, key
