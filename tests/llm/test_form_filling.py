"""The blanks of forms that ask for texts of their own: instructions and questions about words of the prompt."""

import pytest

from judges.prompt_texts import fenced
from llm.scripted.form_filling import filled_form

pytestmark = pytest.mark.quick
DOCUMENT = "The ferry sails to Iceland in summer."
FORM = "\n\n[form]\n1. {instruction}\n2. {instruction}\n3. {instruction}\n[/form]"


def prompt(document=DOCUMENT):
    return f"Write instructions.\n\n{fenced('document', document)}{FORM}"


def test_each_instruction_is_about_another_word_of_the_text_between_marks():
    lines = filled_form(prompt()).splitlines()
    assert [line[:3] for line in lines] == ["1. ", "2. ", "3. "]
    words = {word for word in ("ferry", "sails", "Iceland", "summer") for line in lines if word in line}
    assert len(words) == 3


def test_a_text_without_words_still_gives_different_lines():
    lines = {line[3:] for line in filled_form(prompt("1 2 3")).splitlines()}
    assert len(lines) == 3


def test_the_same_prompt_gets_the_same_form_and_another_document_another():
    assert filled_form(prompt()) == filled_form(prompt())
    assert filled_form(prompt()) != filled_form(prompt("Other texts have nothing about boats or water."))


def test_a_question_is_one():
    assert filled_form(f"{fenced('paragraph', DOCUMENT)}\n\n[form]\n1. {{question}}\n[/form]").endswith("?")
