"""The body of a study file becomes the fields of a page, and the same body again."""

from random import Random

import pytest

from annotation.protocols import protocols
from annotation.questions import question_types
from files.reading.study_file import _load, checked_study
from files.writing.study_yaml import study_body
from managing.building.study_form import body_of_texts, questions_in, texts_of_body
from managing.building.template_library import study_templates
from tests.managing.drafts_in_forms import DEMO, PROTOCOLS, demo_draft

pytestmark = pytest.mark.quick


def there_and_back(body):
    return body_of_texts(texts_of_body(body), body)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_studies_of_the_demo_come_back_as_they_were(protocol):
    body = _load(DEMO / protocol / "study.yaml")
    assert there_and_back(body) == body


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_saved_study_comes_back_as_it_was(owner, protocol):
    body = study_body(demo_draft(protocol, owner))
    assert there_and_back(body) == body


@pytest.mark.parametrize("key", study_templates())
def test_studies_made_from_templates_come_back_as_they_were(key):
    body = {**study_templates()[key].body, "slug": "s", "title": "A study"}
    checked_study(body, "Study")
    assert there_and_back(body) == body


def field_value(field, random):
    """Some value of the field's kind."""
    texts = ["good", "bad, or not", 'with "marks"', "Ja", "وصف"]
    match field.kind:
        case "truth":
            return random.choice([True, False])
        case "whole":
            return random.randint(int(field.least or -5), int(field.least or -5) + 9)
        case "number":
            return random.choice([0, 1, 0.25, 0.1])
        case "lines":
            return random.sample(texts, 2)
        case "labels":
            return random.sample(["", *texts], 3)
        case "numbers":
            return {text: random.choice([1, 2.5, -3]) for text in random.sample(texts, 2)}
        case "pairs":
            return [random.sample(texts, 2) for _ in range(2)]
        case "choice":
            return random.choice(field.choices)[0]
        case "group":
            return {one.key: field_value(one, random) for one in random.sample(field.fields, 2)}
        case "either":
            names = {one.key: one for one in field.fields}
            key = random.choice(field.choices)[0]
            return {key: field_value(names[key], random)} if key in names else key
        case "prose":
            return random.choice(["One line.", " Two\nlines, \n\nwith blanks \n", "# A heading\n\n- *a list*"])
    return random.choice(texts)


def some(fields, random):
    return {field.key: field_value(field, random) for field in fields if random.random() < 0.7}


@pytest.mark.parametrize("protocol", protocols().values(), ids=lambda protocol: protocol.key)
@pytest.mark.parametrize("seed", range(20))
def test_any_values_of_the_fields_come_back_as_they_were(protocol, seed):
    random = Random(seed)
    questions = []
    for number, kind in enumerate(question_types().values()):
        when = {} if not number else {"when": {"question": "q0", "equals": True}}
        questions.append({"key": f"q{number}", "type": kind.key, **some(kind.spec_fields, random), **when})
    questions[0] |= {"type": "binary", "labels": ["Ja", "Nein"], "help": "Several\nlines", "required": False}
    questions[1] |= {"per": "task", "text": "Is it *good*?"}
    body = {
        "slug": "s", "title": "A title", "contact": "Ask me,\nroom 2", "protocol": protocol.key, "redundancy": 3,
        "systems": {"north": {"family": "x"}}, "judges": {}, "language": "pt-BR", "guidelines": "# A\n\nB\n",
        "questions": questions,
    }  # fmt: skip
    options = some(protocol.all_option_fields, random)
    assert there_and_back(body | ({"options": options} if options else {})) == body | (
        {"options": options} if options else {}
    )


@pytest.mark.parametrize(
    ("kind", "keys", "equals"),
    [
        ("binary", {}, False),
        ("likert", {"min": 0, "max": 4}, 3),
        ("category", {"choices": ["a", "b"]}, "b"),
        ("category", {"choices": ["a", "b", "c"], "multiple": True}, ["a", "c"]),
        ("text", {}, "a word"),
        ("preference", {}, "tie"),
    ],
)
def test_the_answer_of_a_condition_comes_back_as_it_was(kind, keys, equals):
    asked = {"key": "first", "type": kind, **keys}
    body = {
        "slug": "s", "protocol": "pairwise", "redundancy": 1,
        "questions": [asked, {"key": "then", "type": "text", "when": {"question": "first", "equals": equals}}],
    }  # fmt: skip
    assert there_and_back(body) == body


def test_what_is_no_number_stays_as_it_was_typed():
    body = {"slug": "s", "protocol": "rating", "redundancy": 1, "questions": [{"key": "q", "type": "likert"}]}
    texts = texts_of_body(body) | {"questions-0-min": "one", "about-redundancy": "1.5", "option-seed": "7 "}
    typed = body_of_texts(texts, body)
    assert typed["questions"][0]["min"] == "one"
    assert typed["redundancy"] == "1.5"
    assert typed["options"] == {"seed": 7}
    assert texts_of_body(typed)["questions-0-min"] == "one"


def test_line_ends_of_browsers_are_not_kept():
    body = {"slug": "s", "protocol": "rating", "redundancy": 1, "questions": []}
    texts = texts_of_body(body) | {"about-guidelines": "a\r\nb", "option-skip_reasons": "x\r\n\r\ny\r\n"}
    typed = body_of_texts(texts, body)
    assert typed["guidelines"] == "a\nb"
    assert typed["options"] == {"skip_reasons": ["x", "y"]}


def test_labels_by_truth_value_stay_or_become_a_list_that_means_the_same():
    question = {"key": "q", "type": "binary", "labels": {"false": "Nein", "true": "Ja"}}
    body = {"slug": "s", "protocol": "rating", "redundancy": 1, "questions": [question]}
    assert there_and_back(body) == body
    again = body_of_texts(texts_of_body(body), body | {"questions": []})
    assert again["questions"][0]["labels"] == ["Ja", "Nein"]
    kind = question_types()["binary"]
    assert kind.choices(checked_study(body, "").questions[0].spec) == kind.choices(again["questions"][0])


def test_a_question_that_changed_its_type_gets_the_keys_that_it_needs():
    body = {"slug": "s", "protocol": "rating", "redundancy": 1, "questions": [{"key": "q", "type": "text"}]}
    typed = body_of_texts(texts_of_body(body) | {"questions-0-type": "likert"}, body)
    assert typed["questions"] == [{"key": "q", "type": "likert", "min": 1, "max": 5}]
    assert checked_study(typed, "Study").questions[0].spec == {"min": 1, "max": 5}


def test_only_questions_that_are_mappings_are_shown():
    assert questions_in({"questions": [{"key": "q"}, "text"]}) == [{"key": "q"}]
    assert questions_in({}) == []


def test_keys_that_no_field_describes_stay(monkeypatch):
    monkeypatch.setattr(type(question_types()["likert"]), "spec_fields", ())
    monkeypatch.setattr(type(protocols()["rating"]), "option_fields", ())
    question = {"key": "q", "type": "likert", "min": 1, "max": 5}
    body = {"slug": "s", "protocol": "rating", "redundancy": 1, "questions": [question], "options": {"more": [1]}}
    assert there_and_back(body) == body
    other = texts_of_body(body) | {"questions-0-type": "text"}
    assert body_of_texts(other, body)["questions"] == [{"key": "q", "type": "text"}]
