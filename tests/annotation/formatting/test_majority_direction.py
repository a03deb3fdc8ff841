"""The direction of texts: by most of their letters, on pages and in formatted Markdown."""

import re
from pathlib import Path

import pytest
from django.template import engines
from django.template.loader import get_template
from django.utils.safestring import SafeString

from annotation.formatting.majority_direction import direction_of, is_mixed
from annotation.questions import question_types
from annotation.studies.guideline_text import render

pytestmark = pytest.mark.quick
ARABIC = "نموذج جيد يكتب ملخصات قصيرة"
HEBREW = "דגם טוב כותב סיכומים קצרים"
TEMPLATE = engines["django"].from_string("<p {% direction text %}></p>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"GPT-4 {ARABIC}", "rtl"),
        (f"BERT: {HEBREW}", "rtl"),
        ("كتاب is an Arabic word, which means book", "ltr"),
        ("Plain English.", "ltr"),
        ("第一", "ltr"),
        ("12 + 3 = 15", None),
        ("", None),
        (f"https://ferries.example/{'timetables/' * 20} {ARABIC}", "rtl"),
        ("אב ab", "rtl"),
        ("ab אב", "ltr"),
    ],
    ids=str,
)
def test_a_text_has_the_direction_of_most_of_its_letters(text, expected):
    assert direction_of(text) == expected


def test_a_text_is_mixed_if_its_paragraphs_are_of_both_directions():
    assert is_mixed(f"An English paragraph.\n{ARABIC}")
    assert not is_mixed(f"GPT-4 {ARABIC}\n\n12\n{ARABIC}")
    assert not is_mixed("One.\nTwo.")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"GPT-4 {ARABIC}", 'dir="rtl"'),
        (f"A long English paragraph, which is longer.\n{ARABIC}", 'dir="ltr" data-mixed'),
        ("3", 'dir="auto"'),
        (None, 'dir="auto"'),
        (SafeString(f"<blockquote>{ARABIC}</blockquote>"), 'dir="rtl"'),
        ([ARABIC, "GPT-4"], 'dir="rtl"'),
    ],
    ids=str,
)
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


WHOLE_TEXTS = [
    ("sessions/_answer.html", "step.edit"),
    ("preparing/edit.html", "form.text.value"),
    ("preparing/_suggestion.html", "card.text"),
    ("annotation/edit_guidelines.html", "form.text.value"),
]


@pytest.mark.parametrize(("page", "text"), WHOLE_TEXTS)
def test_a_field_that_begins_with_a_whole_text_has_the_direction_of_that_text(page, text):
    source = Path(get_template(page).origin.name)
    [field] = re.findall(r"<textarea.*?</textarea>", source.read_text(), flags=re.DOTALL)
    inside = {"value": f"GPT-4 {ARABIC}"}
    shown = inside["value"]
    names = {
        "step": {"edit": shown, "name": "edit"},
        "form": {"text": inside},
        "card": {"text": shown},
        "one": {"pk": 1},
    }
    names |= {"study": {"slug": "study", "language": "ar"}, "original": {"pk": 1}}
    html = engines["django"].from_string(field).render(names)
    assert text.split(".")[0] in field
    assert 'dir="rtl"' in html
    assert 'dir="auto"' not in html


@pytest.mark.parametrize(
    ("labels", "points", "expected"),
    [
        ([f"GPT-4 {ARABIC}", ARABIC], None, "rtl"),
        ([], {f"AI {ARABIC}": 3}, "rtl"),
        (["bad", "good"], None, "ltr"),
        ([], None, "auto"),
    ],
    ids=str,
)
def test_a_slider_has_the_direction_of_its_labels_together(labels, points, expected):
    spec = {"min": 0, "max": 10, "labels": labels, "points": points}
    field = question_types()["slider"].shown({}, "q", spec, None)
    html = engines["django"].get_template("questions/slider.html").render({"field": field, "number": 1})
    assert f'class="slide" lang="" dir="{expected}"' in html


def test_a_flag_within_a_sentence_has_the_direction_of_its_letters():
    template = engines["django"].from_string('<q dir="{{ text|direction }}">')
    assert template.render({"text": f"GPT-4 {ARABIC}"}) == '<q dir="rtl">'
    assert template.render({"text": "12"}) == '<q dir="auto">'
