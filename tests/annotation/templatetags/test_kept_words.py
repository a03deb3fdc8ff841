"""Fixed texts of templates are looked up once per language; texts with values each time."""

import pytest
from django.template import Context, Template
from django.utils import translation

from annotation.templatetags.kept_words import FixedWords


def shown(template, language, **values):
    with translation.override(language):
        return template.render(Context(values))


def kept(template):
    return [node for node in template.nodelist if isinstance(node, FixedWords)]


@pytest.mark.parametrize(
    "text", ['{% translate "Guidelines" %}', "{% blocktranslate %}Guidelines{% endblocktranslate %}"]
)
def test_a_fixed_text_is_kept_for_each_language(text):
    template = Template(text)
    assert [shown(template, one) for one in ("en", "de", "ar", "de")] == [
        "Guidelines", "Richtlinien", "الإرشادات", "Richtlinien",
    ]  # fmt: skip
    assert kept(template)[0].kept.keys() == {"en", "de", "ar"}


@pytest.mark.parametrize(("text", "german"), [
    ("{% translate name %}", "Richtlinien"),
    ('{% translate "Guidelines"|upper %}', "RICHTLINIEN"),
    ('{% translate "Guidelines" as word %}{{ word }}', "Richtlinien"),
    ("{% blocktranslate with number=n %}version {{ number }}{% endblocktranslate %}", "Version 2"),
])  # fmt: skip
def test_what_depends_on_a_value_is_not_kept(text, german):
    template = Template(text)
    assert kept(template) == []
    assert shown(template, "de", name="Guidelines", n=2) == german


def test_values_are_escaped_and_fixed_texts_are_not():
    template = Template('{% translate "Guidelines" %} {% blocktranslate %}version {{ n }}{% endblocktranslate %}')
    assert shown(template, "en", n="<b>") == "Guidelines version &lt;b&gt;"
