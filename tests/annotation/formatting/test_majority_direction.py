"""The direction of texts: by most of their letters, on pages and in formatted Markdown."""

import pytest
from django.template import engines
from django.utils.safestring import SafeString

from annotation.formatting.majority_direction import direction_of, is_mixed
from annotation.studies.guideline_text import render

ARABIC = "نموذج جيد يكتب ملخصات قصيرة"
HEBREW = "דגם טוב כותב סיכומים קצרים"
TEMPLATE = engines["django"].from_string("<p {% direction text %}></p>")


@pytest.mark.parametrize(("text", "expected"), [
    (f"GPT-4 {ARABIC}", "rtl"), (f"BERT: {HEBREW}", "rtl"), ("كتاب is an Arabic word, which means book", "ltr"),
    ("Plain English.", "ltr"), ("第一", "ltr"), ("12 + 3 = 15", None), ("", None),
    (f"https://ferries.example/{'timetables/' * 20} {ARABIC}", "rtl"), ("אב ab", "rtl"), ("ab אב", "ltr"),
], ids=str)  # fmt: skip
def test_a_text_has_the_direction_of_most_of_its_letters(text, expected):
    assert direction_of(text) == expected


def test_a_text_is_mixed_if_its_paragraphs_are_of_both_directions():
    assert is_mixed(f"An English paragraph.\n{ARABIC}")
    assert not is_mixed(f"GPT-4 {ARABIC}\n\n12\n{ARABIC}")
    assert not is_mixed("One.\nTwo.")


@pytest.mark.parametrize(("text", "expected"), [
    (f"GPT-4 {ARABIC}", 'dir="rtl"'), (f"A long English paragraph, which is longer.\n{ARABIC}", 'dir="ltr" data-mixed'),
    ("3", 'dir="auto"'), (None, 'dir="auto"'), (SafeString(f"<blockquote>{ARABIC}</blockquote>"), 'dir="rtl"'),
    ([ARABIC, "GPT-4"], 'dir="rtl"'),
], ids=str)  # fmt: skip
def test_an_element_is_set_in_the_direction_of_its_text(text, expected):
    assert TEMPLATE.render({"text": text}) == f"<p {expected}></p>"


def test_each_block_of_formatted_text_has_the_direction_of_its_letters():
    html = render(
        f"# GPT-4 {ARABIC}\n\nGPT-4 {ARABIC} \\(x\\)\n\nAn English paragraph.\n\n- LLM {ARABIC}\n- {ARABIC}\n\n`code`"
    )
    assert '<h2 dir="rtl">' in html
    assert '<p dir="rtl">GPT-4' in html
    assert '<p dir="ltr">An English' in html
    assert '<ul dir="rtl">\n<li>LLM' in html
    assert "<p><code>" in html
    assert "dir=" not in render("# One\n\nTwo.")
