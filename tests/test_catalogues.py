"""The catalogues of the annotators' pages: complete, current, with the same placeholders and markup in all languages.

If one of these fails after a change of a text: `python -m scripts.catalogues`, then translate what it names
(docs/languages.md).
"""

import json
import re
import shutil
import subprocess
from collections import Counter

import polib
import pytest

from scripts import catalogues
from scripts.catalogues import (
    FOLDERS,
    PLURALS,
    REVIEW,
    ROOT,
    PageMessage,
    all_entries,
    by_owner,
    catalogue_path,
    catalogue_paths,
    found_messages,
    read_catalogue,
    script_of,
)

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
MARKUP = re.compile(r"<[^>]*>")
NUMBERS = ("n", "changed", "words")
"""What counts in a plural: a form for exactly one number, such as two, may say it in a word."""
OF_ONE_NUMBER = {"ar": (0, 1, 2)}


@pytest.fixture(scope="module")
def found():
    return found_messages()


@pytest.fixture(params=FOLDERS)
def language(request):
    return request.param


def forms(entry):
    return [entry.msgstr_plural[number] for number in sorted(entry.msgstr_plural)] or [entry.msgstr]


def sources(entry, number, language):
    """The English text that a form stands for."""
    return entry.msgid_plural if entry.msgid_plural and (number or len(forms(entry)) == 1) else entry.msgid


def read(language):
    return all_entries(language).values()


def test_every_message_of_the_pages_is_in_the_catalogue_of_its_part_and_in_no_other(found, language):
    owned = by_owner(found)
    paths = {catalogue_path(language, ROOT / owner): messages.keys() for owner, messages in owned.items()}
    assert len(owned) > 5
    assert set(catalogue_paths(language)) == set(paths)
    for path, messages in paths.items():
        listed = {PageMessage(entry.msgid, entry.msgid_plural) for entry in read_catalogue(language, path)}
        assert sorted(messages - listed) == [], path
        assert sorted(listed - messages) == [], path


def test_every_message_is_translated_in_every_form(language):
    catalogue = list(read(language))
    assert [entry.msgid for entry in catalogue if entry.fuzzy or entry.obsolete] == []
    assert [entry.msgid for entry in catalogue if not all(text.strip() for text in forms(entry))] == []
    many = [entry for entry in catalogue if entry.msgid_plural]
    assert many
    assert {len(forms(entry)) for entry in many} == {catalogues.forms_of(language)}


def test_translations_have_the_placeholders_of_the_english_text(language):
    wrong = []
    for entry in read(language):
        for number, text in enumerate(forms(entry)):
            wanted, has = (Counter(PLACEHOLDER.findall(one)) for one in (sources(entry, number, language), text))
            if entry.msgid_plural and number in OF_ONE_NUMBER.get(language, ()):
                for name in NUMBERS:
                    wanted.pop(f"%({name})s", None)
                    has.pop(f"%({name})s", None)
            if wanted != has:
                wrong.append(text)
    assert wrong == []


def test_translations_have_the_markup_of_the_english_text_and_nothing_else(language):
    wrong = [
        text
        for entry in read(language)
        for number, text in enumerate(forms(entry))
        if Counter(MARKUP.findall(sources(entry, number, language))) != Counter(MARKUP.findall(text))
        or ('"' in MARKUP.sub("", text) and '"' not in MARKUP.sub("", entry.msgid))
        or (text[:1] == " ") != (entry.msgid[:1] == " ")
    ]
    assert wrong == []


def test_compiled_catalogues_say_what_the_texts_say(language):
    for path in catalogue_paths(language):
        compiled = polib.mofile(str(path.with_suffix(".mo")))
        assert compiled.metadata["Plural-Forms"] == PLURALS[language]
        told = {(entry.msgid, entry.msgid_plural): forms(entry) for entry in compiled}
        assert told == {(one.msgid, one.msgid_plural): forms(one) for one in read_catalogue(language, path)}, path


def test_the_scripts_have_the_texts_of_the_catalogues(found, language):
    script = catalogues.ROOT / "static" / "js" / "languages" / f"{language}.js"
    assert script.read_text(encoding="utf-8") == script_of(language, all_entries(language), found)


def test_catalogues_say_that_nobody_has_reviewed_them(language):
    for path in catalogue_paths(language):
        assert read_catalogue(language, path).metadata["X-Review"] == REVIEW
        assert f"X-Review: {REVIEW}" in path.read_text(encoding="utf-8").replace('"\n"', ""), path


@pytest.mark.parametrize(("language", "count", "form"), [
    ("de", 1, 0), ("de", 0, 1), ("es", 2, 1), ("ar", 0, 0), ("ar", 1, 1), ("ar", 2, 2), ("ar", 3, 3), ("ar", 10, 3),
    ("ar", 11, 4), ("ar", 99, 4), ("ar", 100, 5), ("ar", 102, 5), ("ar", 103, 3), ("zh-hans", 1, 0), ("zh-hans", 7, 0),
])  # fmt: skip
def test_the_rule_for_plurals_of_the_scripts_is_that_of_the_language(language, count, form):
    if shutil.which("node") is None:
        pytest.skip("no node")
    rule = PLURALS[language].partition("plural=")[2].rstrip(";")
    said = subprocess.run(
        ["node", "-e", f"const n = {count}; console.log(Number({rule}))"], capture_output=True, text=True, check=True
    )
    assert int(said.stdout) == form


def test_messages_are_found_in_templates_modules_and_scripts():
    template = """{% translate "One" %} {% blocktranslate count n=all with x=y %}{{ n }} of {{ x }}{% plural %}
    {{ n }}s 5 %{% endblocktranslate %} {{ at|date:_("j F") }}"""
    assert list(catalogues.in_template(template, "x.html")) == [
        PageMessage("j F"), PageMessage("One"), PageMessage("%(n)s of %(x)s", "\n    %(n)ss 5 %%"),
    ]  # fmt: skip
    module = 'from x import gettext\ngettext("Two")\nngettext("a", "b", 3)\ngettext(NAME)\n'
    assert list(catalogues.in_python(module, "x.py")) == [PageMessage("Two"), PageMessage("a", "b")]
    script = 'gettext("It\'s %(n)s", { n }); ngettext("%(n)s word", "%(n)s words", n);'
    told = [PageMessage("It's %(n)s"), PageMessage("%(n)s word", "%(n)s words")]
    assert list(catalogues.in_script(script, "x.js")) == told


@pytest.mark.parametrize("call", ['gettext(f"{x}")', 'gettext("a" + x)'])
def test_a_message_that_nobody_could_find_is_refused(call):
    with pytest.raises(catalogues.NotLiteralError):
        list(catalogues.in_python(f"from x import gettext\n{call}\n", "x.py"))


def test_new_messages_come_without_a_translation_and_old_ones_go(tmp_path):
    first, second = PageMessage("A new text"), PageMessage("%(n)s day", "%(n)s days")
    catalogues.bring_up_to_date("ar", {first: {"a.html"}, second: {"b.js"}}, tmp_path)
    path = catalogue_path("ar", tmp_path)
    kept = read_catalogue("ar", path)
    kept.find("A new text").msgstr = "نص"
    kept.save(str(path))
    assert catalogues.bring_up_to_date("ar", {first: {"c.html"}}, tmp_path) == []
    told = [(entry.msgid, entry.msgstr, entry.occurrences) for entry in read_catalogue("ar", path)]
    assert told == [("A new text", "نص", [("c.html", "")])]
    script = (tmp_path / "static/js/languages/ar.js").read_text(encoding="utf-8")
    assert json.loads(script.partition("words: ")[2].removesuffix(" };\n")) == {}


def test_a_message_moves_with_its_translation_to_the_catalogue_of_its_part(tmp_path):
    message = PageMessage("A new text")
    catalogues.bring_up_to_date("ar", {message: {"a.html"}}, tmp_path)
    core, part = catalogue_path("ar", tmp_path), catalogue_path("ar", tmp_path / "parts/mail")
    kept = read_catalogue("ar", core)
    kept.find("A new text").msgstr = "نص"
    kept.save(str(core))
    catalogues.bring_up_to_date("ar", {message: {"parts/mail/a.html", "parts/mail/b.html"}}, tmp_path)
    assert [entry.msgid for entry in read_catalogue("ar", core)] == []
    assert read_catalogue("ar", part).find("A new text").msgstr == "نص"
    catalogues.bring_up_to_date("ar", {message: {"a.html", "parts/mail/a.html"}}, tmp_path)
    assert catalogue_paths("ar", tmp_path) == [core]
    assert [entry.occurrences for entry in read_catalogue("ar", core)] == [[("a.html", "")]]
