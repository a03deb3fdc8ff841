"""Prompts: files, placeholders, and studies' own texts."""

import hashlib

import pytest

from llm.models import StudyPrompt
from llm.prompt_files import PromptInvalidError, load_prompt, parse_prompt, prompt_for, study_prompt
from llm.requests import Message

pytestmark = pytest.mark.quick
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
    """The prompts folder of a fake app `llm` with one prompt, `greet`."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "greet.md").write_text(FILE)
    config = type("Config", (), {"name": "llm", "path": str(tmp_path)})
    monkeypatch.setattr("llm.prompt_files.apps.get_app_configs", lambda: [config])
    load_prompt.cache_clear()
    yield tmp_path / "prompts"
    load_prompt.cache_clear()


def test_a_prompt_is_read_from_its_file(prompts):
    prompt = load_prompt("llm", "greet")
    assert (prompt.key, prompt.version, prompt.system) == ("llm/greet", "2", "Be brief. {{language}}")
    assert prompt.user == "{{question}}\n\n# user\n\n{{passages}}"
    assert (prompt.names, prompt.required) == ({"language", "question", "passages"}, {"question"})
    assert prompt.reference.digest == prompt.digest


def test_the_digest_depends_on_the_texts_alone(prompts):
    canonical = b'{"system":"Be brief. {{language}}","user":"{{question}}\\n\\n# user\\n\\n{{passages}}"}'
    assert load_prompt("llm", "greet").digest == hashlib.sha256(canonical).hexdigest()
    assert parse_prompt("x/y", FILE.replace("version: 2", "version: 3")).digest == load_prompt("llm", "greet").digest
    assert parse_prompt("x/y", FILE.replace("brief", "Brief")).digest != load_prompt("llm", "greet").digest


def test_a_prompt_needs_no_system_message():
    prompt = parse_prompt("x/y", "---\nversion: 1\n---\n# user\nSay {{word}}.\n")
    assert prompt.fill({"word": "yes"}) == (Message("user", "Say yes."),)


def test_placeholders_are_replaced_once_and_by_name_only(prompts):
    values = {
        "question": f"{CODE} {{{{passages}}}}",
        "passages": "{{question}} {{language}} \\1 \\g<0>",
        "language": "x",
    }
    system, user = load_prompt("llm", "greet").fill(values)
    assert system == Message("system", "Be brief. x")
    assert user == Message("user", f"{values['question']}\n\n# user\n\n{values['passages']}")


def test_other_markup_in_a_study_s_text_is_not_interpreted(prompts):
    prompt = study_prompt(
        "llm", "greet", 1, CODE.replace("{{{question}}", ""), "{{question}} " + CODE.replace("{{{question}}", "")
    )
    system, user = prompt.fill({"question": "Why?"})
    assert system.content == CODE.replace("{{{question}}", "")
    assert user.content == "Why? " + CODE.replace("{{{question}}", "")


def test_unused_values_are_ignored_and_missing_ones_are_refused(prompts):
    own = study_prompt("llm", "greet", 4, "", "Answer {{ question }} now.")
    assert own.fill({"question": "Why?", "passages": "", "language": "de"}) == (Message("user", "Answer Why? now."),)
    with pytest.raises(PromptInvalidError, match=r"needs a text for \{\{language\}\}, \{\{passages\}\}"):
        load_prompt("llm", "greet").fill({"question": "Why?"})


@pytest.mark.parametrize(
    ("system", "user", "reason"),
    [
        ("", "{{question}} {{answer}}", r"Unknown placeholder \{\{answer\}\}\. Known are \{\{lang"),
        ("{{secret}}", "{{question}}", r"Unknown placeholder \{\{secret\}\}"),
        ("", "Answer.", r"must contain \{\{question\}\}"),
        ("", " \n", "no text in the user message"),
        ("", "{{question}}\x00", "NUL"),
        ("\ud83d", "{{question}}", "surrogate"),
        ("", "{{question}}" + "x" * 100_000, "longer than 100000 characters"),
    ],
)  # fmt: skip
def test_a_study_s_text_that_cannot_replace_ours_is_refused(prompts, system, user, reason):
    with pytest.raises(PromptInvalidError, match=reason):
        study_prompt("llm", "greet", 1, system, user)


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
        ("---\nversion: 1\nrequired: a, b\n---\n# user\n{{a}}", r"must contain \{\{b\}\}"),
    ],
)
def test_an_invalid_file_is_refused(text, reason):
    with pytest.raises(PromptInvalidError, match=reason):
        parse_prompt("x/y", text)


@pytest.mark.parametrize(("app", "name"), [("llm", "other"), ("nowhere", "greet")])
def test_a_missing_prompt_is_refused(prompts, app, name):
    with pytest.raises(PromptInvalidError, match=f"There is no prompt {app}/{name}"):
        load_prompt(app, name)


def test_a_study_uses_its_newest_own_version(prompts, study):
    assert prompt_for(study, "llm", "greet") == load_prompt("llm", "greet")
    for number, user in ((1, "One {{question}}"), (2, "Two {{question}}")):
        digest = study_prompt("llm", "greet", number, "", user).digest
        StudyPrompt.objects.create(study=study, key="llm/greet", number=number, user=user, digest=digest)
    prompt = prompt_for(study, "llm", "greet")
    assert (prompt.key, prompt.version, prompt.user) == ("llm/greet", "own-2", "Two {{question}}")
    assert prompt.digest == StudyPrompt.objects.get(number=2).digest


def test_another_study_uses_the_default(prompts, study, make_study):
    StudyPrompt.objects.create(study=study, key="llm/greet", number=1, user="{{question}}", digest="x")
    assert prompt_for(make_study("other"), "llm", "greet").version == "2"
