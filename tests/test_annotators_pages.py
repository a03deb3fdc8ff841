"""Every page that an annotator may open is among those with languages, and all texts of these pages are marked."""

import ast
import inspect
import re
import textwrap
from fnmatch import fnmatchcase
from functools import cache
from types import CodeType, FunctionType, ModuleType

import pytest
from django import forms
from django.urls import URLPattern, get_resolver
from django.utils.functional import Promise

from accounts.languages import annotators_pages
from config.parts import parts
from tests.house import template_name
from tests.house import templates as house_templates
from tests.test_routes import row_of
from tests.world import ROUTES

TEMPLATES = {template_name(path): path for path in house_templates()}
IN_ENGLISH = {
    "admin*": "operators' pages", "/admin/*": "operators' pages", "*api:*": "answers for programs",
    "healthz": "an answer for programs", "readyz": "an answer for programs", "metrics": "figures for programs",
    "reports:*": "researchers' reports, and how their figures are computed", "managing:*": "researchers' pages",
    "annotation:archived": "studies that somebody runs; nothing leads an annotator to its empty list",
    "annotation:my_data_file": "a file", "revision_sessions:label_turn": "researchers label turns",
}  # fmt: skip
"""The routes that may be in English although they answer annotators, or nobody in the study of the test: why."""
ANSWERS = {"200", "204", "302", "409", "422"}
NAMED_BY_KIND = (
    "protocols",
    "questions",
    "desk",
    "errors",
    "sessions/dock",
    "listwise",
    "pairwise",
    "way_in/steps",
)
"""Folders of templates that no view names: protocols, questions, errors and steps do."""
OF_RESEARCHERS = {
    "annotation/_study_head.html", "annotation/_run_groups.html", "annotation/_run.html", "_workers.html",
    "_workers_status.html",
}  # fmt: skip
"""Parts that pages of annotators show only to people who run a study or the site."""
OURS = re.compile(r"(accounts|annotation|config|parts|sessions)\.")
HIDDEN = re.compile(
    r"\{#.*?#\}|\{% block (?:page|body)_\w+ %\}.*?\{% endblock %\}|<script.*?</script>|<style.*?</style>|<!--.*?-->"
    r"|\{% (comment|blocktranslate)\b.*?%\}.*?\{% end\1 %\}",
    re.DOTALL,
)
SAID = re.compile(
    r"""\b(?:aria-label|title|alt|placeholder)="([^"]*)"|\|(?:default|yesno|pluralize):["']([^"']*)["']"""
)
NAMED = re.compile(r"""["']([\w/]+\.html)["']""")
PLACE = re.compile(r"""\{% fragments "([^"]*)\"""")
WORD = re.compile(r"[A-Za-z]{2,}")
NAMES = {"Interrater", "yes", "no", "Esc", "Ctrl", "Aa",
         "output"}  # fmt: skip
"""Names, names of keys, and values that scripts read."""


def statuses(route, person):
    return {row[person] for row in (row_of(route, "GET"), row_of(route, "POST")) if row}


def test_every_page_that_an_annotator_may_open_is_in_their_language():
    """Also pages that answer nobody in the study of the table, which has no sessions and no second stage."""
    wrong = []
    for route in set(ROUTES) - annotators_pages():
        if any(fnmatchcase(route, pattern) for pattern in IN_ENGLISH):
            continue
        if statuses(route, "annotator") & ANSWERS:
            wrong.append(f"{route} answers annotators")
        elif not any(statuses(route, person) & ANSWERS for person in ("owner", "researcher", "superuser")):
            wrong.append(f"{route} answers nobody who runs a study")
    assert wrong == [], "add it to the annotators_pages of its part, or say here why it is in English"


def views(patterns=None, namespace=""):
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLPattern):
            yield namespace + (pattern.name or ""), pattern.callback
        else:
            inner = namespace + (f"{pattern.namespace}:" if pattern.namespace else "")
            yield from views(pattern.url_patterns, inner)


def codes(code):
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from codes(inner)


@cache
def reached():
    """The functions and forms of our own that views of annotators' pages name, and that those name."""
    todo = [view for route, view in views() if route in annotators_pages()]
    found = []
    while todo:
        one = inspect.unwrap(todo.pop())
        if one in found or not OURS.match(one.__module__):
            continue
        found.append(one)
        if not isinstance(one, FunctionType):
            continue
        names = {name for code in codes(one.__code__) for name in code.co_names}
        known = [one.__globals__.get(name) for name in names]
        known += [getattr(module, name, None) for module in known if isinstance(module, ModuleType) for name in names]
        todo += [
            other for other in known
            if isinstance(other, FunctionType) or (isinstance(other, type) and issubclass(other, forms.Form))
        ]  # fmt: skip
    return found


@cache
def templates():
    """The templates of annotators' pages, with all parts that they include or extend."""
    todo = [
        text for one in reached() if isinstance(one, FunctionType) for code in codes(one.__code__)
        for text in (*code.co_consts, *(one.__globals__.get(name) for name in code.co_names))
        if isinstance(text, str) and text.endswith(".html")
    ]  # fmt: skip
    todo += [name for name in TEMPLATES if name.rpartition("/")[0] in NAMED_BY_KIND]
    found = set()
    while todo:
        name = todo.pop()
        if name not in found | OF_RESEARCHERS and name in TEMPLATES:
            found.add(name)
            text = TEMPLATES[name].read_text(encoding="utf-8")
            here = [part.fragments.get(place, ()) for place in PLACE.findall(text) for part in parts()]
            todo += [*NAMED.findall(text), *(piece.template for pieces in here for piece in pieces)]
    return sorted(found)


def unmarked(text):
    """The words of a template that stand outside of marks of translation."""
    text = HIDDEN.sub(" ", text)
    said = " ".join(one or other for one, other in SAID.findall(text) if not other.endswith(".html"))
    shown = re.sub(r"<[^>]*>", " ", re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", text))
    return [word for word in WORD.findall(re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", said) + shown) if word not in NAMES]


def test_all_texts_of_annotators_templates_are_marked():
    assert len(templates()) > 100
    found = {name: unmarked(TEMPLATES[name].read_text(encoding="utf-8")) for name in templates()}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("text", [
    "<p>Save</p>", '<a title="Save">{% translate "Go" %}</a>', '{{ x|default:"Task" }}', "note{{ n|pluralize:'en' }}",
    "{% if x %}Save{% endif %}",
])  # fmt: skip
def test_an_unmarked_text_is_found(text):
    assert unmarked(text)


def test_forms_and_notices_of_annotators_pages_are_marked():
    wrong = []
    for one in reached():
        if isinstance(one, FunctionType):
            tree = ast.parse(textwrap.dedent(inspect.getsource(one)))
            wrong += [f"{one.__module__}.{one.__name__}: {ast.unparse(call)}" for call in notices(tree)]
            continue
        for name, field in one.base_fields.items():
            said = [field.label, field.help_text]
            wrong += [f"{one.__name__}.{name}: {text}" for text in said if text and not isinstance(text, Promise)]
    assert wrong == []


def notices(tree):
    """The calls that show a person a text that is neither translated nor made elsewhere."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        owner = call.func.value
        is_message = isinstance(owner, ast.Name) and owner.id == "messages"
        says = (is_message or call.func.attr == "add_error") and len(call.args) > 1
        if says and isinstance(call.args[1], (ast.Constant, ast.JoinedStr)):
            yield call
