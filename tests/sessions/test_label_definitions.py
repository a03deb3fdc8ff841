"""Every label of a turn has a definition, in the words that a model is asked with."""

import pytest

from llm.models import StudyPrompt
from llm.prompt_files import load_prompt
from sessions.label_definitions import APP, PROMPTS, definitions_in, label_definitions
from sessions.turn_labels import VALUES

pytestmark = [pytest.mark.quick, pytest.mark.django_db]


@pytest.mark.parametrize("kind", VALUES)
def test_every_label_has_a_definition(study, kind):
    found = label_definitions(study, kind)
    assert tuple(found) == VALUES[kind]
    assert all(one.text.endswith(".") and "Example" not in one.text for one in found.values())
    if kind in PROMPTS:
        assert all(one.examples for one in found.values())


def test_several_examples_are_kept_apart(study):
    more = label_definitions(study, "instruction_type")["asking for more information"]
    assert [one.partition(",")[0] for one in more.examples] == [
        'for the question "How are heat maps of a city made?"', 'for the question "What are green roofs?"',
    ]  # fmt: skip


def test_a_study_s_own_prompt_changes_its_definitions(study):
    own = load_prompt(APP, "classify_error").user.replace("the change was not made at all.", "nothing changed.")
    StudyPrompt.objects.create(study=study, key="judges/classify_error", number=1, system="", user=own)
    assert label_definitions(study, "error_category")["instruction is ignored"].text == "nothing changed."


def test_lines_that_are_no_list_define_nothing():
    assert definitions_in("Say what: this.\n\n- no colon here\n- a: b\n  Example: c\nafter") == {
        "a": definitions_in("- a: b\n  Example: c")["a"]
    }
