"""YAML that somebody else wrote is read as version 1.2, strictly and within limits."""

import pytest

from config.yaml_parser import MOST_VALUES
from config.yaml_reading import YamlInvalidError, parse_yaml


def refusal(text: str) -> YamlInvalidError:
    with pytest.raises(YamlInvalidError) as refused:
        parse_yaml(text)
    return refused.value


def test_values_are_read_as_yaml_1_2_reads_them():
    assert parse_yaml("a: no\nb: 1:30\nc: on\nd: true\ne: 0o17\nf:\ng: [1, 2.5]") == {
        "a": "no", "b": "1:30", "c": "on", "d": True, "e": 15, "f": None, "g": [1, 2.5],
    }  # fmt: skip
    assert parse_yaml("%YAML 1.2\n---\na: no") == {"a": "no"}
    assert parse_yaml("true: 1") == {"true": 1}
    assert parse_yaml('{"json": [null, "x"]}') == {"json": [None, "x"]}


def test_another_version_of_yaml_is_refused_because_it_reads_other_booleans():
    assert "another version of YAML than 1.2" in refusal("%YAML 1.1\n---\na: no").reason


def test_an_alias_is_refused_with_its_line():
    problem = refusal("a: &x [1, 1]\nb: *x\n")
    assert (problem.line, "uses an alias" in problem.reason) == (2, True)


@pytest.mark.parametrize("text", ["{a: 1, a: 2}", "a: 1\nb: 2\na: 3", "true: 1\n'true': 2", "<<: {a: 1}\n<<: {b: 2}"])
def test_a_key_that_occurs_twice_is_refused(text):
    reason = refusal(text).reason
    assert "duplicate" in reason or "twice" in reason


@pytest.mark.parametrize(
    "text", ["[" * 5000 + "]" * 5000, "a: " + "[" * 20_000, "a: " + "{b: " * 20_000, "- " * 20_000]
)
def test_deep_nesting_is_refused_before_it_is_loaded(text):
    problem = refusal(text)
    assert (problem.line, problem.reason) == (1, "is nested deeper than 32 levels")


def test_a_text_may_be_nested_as_deep_as_the_limit():
    assert parse_yaml("[" * 32 + "]" * 32)
    assert "deeper than 32" in refusal("[" * 33 + "]" * 33).reason


def test_more_values_than_the_limit_are_refused_at_the_line_that_passes_it():
    lines = "\n".join(f"k{number}: x" for number in range(MOST_VALUES))
    problem = refusal(lines)
    assert (problem.line, problem.reason) == (MOST_VALUES // 2, "has more than 20,000 keys and values")


@pytest.mark.parametrize(
    ("text", "field", "reason"),
    [
        ("a: {b: [1, 2020-01-01]}", "a.b.1", "is a date: put it in quotes to make it text"),
        ("a: !!set {x}", "a", "is a set"),
        ("a: !!binary aGk=", "a", "is a bytes"),
        ("a: {1: 2}", "a", "has the key 1, which is not text"),
        ("? [a]\n: 1", "", "which is not text"),
    ],
)
def test_types_that_json_does_not_have_are_refused_with_their_place(text, field, reason):
    problem = refusal(text)
    assert problem.field == field
    assert reason in problem.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: [", "is not valid YAML"),
        ("a: 1\n---\nb: 2", "another document"),
        ("a: !!python/object:os.system x", "could not determine a constructor"),
        ("a: " + "9" * 10_000, "contains a value that cannot be read"),
        ('{"\\e[2J": 1, "\\e[2J": 2}', "?[2J"),
    ],
)
def test_an_error_of_the_parser_is_reported_in_one_printable_line(text, reason):
    said = refusal(text).reason
    assert reason in said
    assert said.isprintable()
