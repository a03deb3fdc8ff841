"""Prompts: files, placeholders that are replaced once, and texts that studies bring."""

import hashlib

import pytest

from llm.asking import Message
from llm.models import StudyPrompt
from llm.prompting import PromptInvalidError, load, own_prompt, parse, prompt_for

FILE = """---
version: 2
required: question
---

# system

Be brief. {{language}}

# user

{{question}}

# user

{{passages}}
"""
CODE = "{{7*7}} {% if x %} {x.__class__} ${x} {{x.y}} {{ Question }} {{}} {{{question}} %(question)s"


@pytest.fixture
def prompts(monkeypatch, tmp_path):
    """The folder of prompts of an app that exists only here, `llm`; it holds one, `greet`."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "greet.md").write_text(FILE)
    config = type("Config", (), {"name": "llm", "path": str(tmp_path)})
    monkeypatch.setattr("llm.prompting.apps.get_app_configs", lambda: [config])
    load.cache_clear()
    yield tmp_path / "prompts"
    load.cache_clear()


def test_a_prompt_is_read_from_its_file(prompts):
    prompt = load("llm", "greet")
    assert (prompt.key, prompt.version, prompt.system) == ("llm/greet", "2", "Be brief. {{language}}")
    assert prompt.user == "{{question}}\n\n# user\n\n{{passages}}"
    assert (prompt.names, prompt.required) == ({"language", "question", "passages"}, {"question"})
    assert prompt.mark.digest == prompt.digest


def test_the_digest_is_that_of_the_texts_alone(prompts):
    canonical = b'{"system":"Be brief. {{language}}","user":"{{question}}\\n\\n# user\\n\\n{{passages}}"}'
    assert load("llm", "greet").digest == hashlib.sha256(canonical).hexdigest()
    assert parse("x/y", FILE.replace("version: 2", "version: 3")).digest == load("llm", "greet").digest
    assert parse("x/y", FILE.replace("brief", "Brief")).digest != load("llm", "greet").digest


def test_a_prompt_without_a_system_message():
    prompt = parse("x/y", "---\nversion: 1\n---\n# user\nSay {{word}}.\n")
    assert prompt.fill({"word": "yes"}) == (Message("user", "Say yes."),)


def test_check_17_placeholders_are_replaced_once_and_by_name_only(prompts):
    values = {
        "question": f"{CODE} {{{{passages}}}}",
        "passages": "{{question}} {{language}} \\1 \\g<0>",
        "language": "x",
    }
    system, user = load("llm", "greet").fill(values)
    assert system == Message("system", "Be brief. x")
    assert user == Message("user", f"{values['question']}\n\n# user\n\n{values['passages']}")


def test_check_17_what_only_looks_like_code_stays_in_the_text_of_a_study(prompts):
    prompt = own_prompt(
        "llm", "greet", 1, CODE.replace("{{{question}}", ""), "{{question}} " + CODE.replace("{{{question}}", "")
    )
    system, user = prompt.fill({"question": "Why?"})
    assert system.content == CODE.replace("{{{question}}", "")
    assert user.content == "Why? " + CODE.replace("{{{question}}", "")


def test_values_that_nothing_asks_for_are_left_out_and_those_that_are_must_be_given(prompts):
    own = own_prompt("llm", "greet", 4, "", "Answer {{ question }} now.")
    assert own.fill({"question": "Why?", "passages": "", "language": "de"}) == (Message("user", "Answer Why? now."),)
    with pytest.raises(PromptInvalidError, match=r"was given no text for \{\{language\}\}, \{\{passages\}\}"):
        load("llm", "greet").fill({"question": "Why?"})


@pytest.mark.parametrize(
    ("system", "user", "reason"),
    [
        ("", "{{question}} {{answer}}", r"There is no placeholder \{\{answer\}\} here; known are \{\{lang"),
        ("{{secret}}", "{{question}}", r"There is no placeholder \{\{secret\}\}"),
        ("", "Answer.", r"must hold \{\{question\}\}"),
        ("", " \n", "no text for the user's message"),
        ("", "{{question}}\x00", "NUL"),
        ("\ud83d", "{{question}}", "surrogate"),
        ("", "{{question}}" + "x" * 100_000, "longer than 100000 characters"),
    ],
)  # fmt: skip
def test_the_text_of_a_study_that_cannot_stand_in(prompts, system, user, reason):
    with pytest.raises(PromptInvalidError, match=reason):
        own_prompt("llm", "greet", 1, system, user)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# user\nx", "needs a head"),
        ("---\nversion: 1\n---\nx", "a section # user"),
        ("---\nversion: 1\n---\n# user\n \n", "no text"),
        ("---\nversion:\n---\n# user\nx", "needs a version"),
        ("---\nrequired: a\n---\n# user\n{{a}}", "needs a version"),
        ("---\nversion: 1\nversion: 2\n---\n# user\nx", "one line each"),
        ("---\nversion: 1\ncolour: blue\n---\n# user\nx", "one line each of version, required"),
        ("---\nversion: 1\nrequired: a, b\n---\n# user\n{{a}}", r"must hold \{\{b\}\}"),
    ],
)
def test_a_file_that_is_not_right(text, reason):
    with pytest.raises(PromptInvalidError, match=reason):
        parse("x/y", text)


@pytest.mark.parametrize(("app", "name"), [("llm", "other"), ("nowhere", "greet")])
def test_a_prompt_that_is_not_there(prompts, app, name):
    with pytest.raises(PromptInvalidError, match=f"There is no prompt {app}/{name}"):
        load(app, name)


def test_a_study_uses_the_newest_text_that_it_brought(prompts, study):
    assert prompt_for(study, "llm", "greet") == load("llm", "greet")
    for number, user in ((1, "One {{question}}"), (2, "Two {{question}}")):
        digest = own_prompt("llm", "greet", number, "", user).digest
        StudyPrompt.objects.create(study=study, key="llm/greet", number=number, user=user, digest=digest)
    prompt = prompt_for(study, "llm", "greet")
    assert (prompt.key, prompt.version, prompt.user) == ("llm/greet", "own-2", "Two {{question}}")
    assert prompt.digest == StudyPrompt.objects.get(number=2).digest


def test_another_study_keeps_ours(prompts, study, make_study):
    StudyPrompt.objects.create(study=study, key="llm/greet", number=1, user="{{question}}", digest="x")
    assert prompt_for(make_study("other"), "llm", "greet").version == "2"
