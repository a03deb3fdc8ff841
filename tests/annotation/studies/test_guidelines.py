from html.parser import HTMLParser

import pytest

from accounts.models import AuditEntry
from annotation.formatting.markdown_text import TAGS
from annotation.members.membership import add_member
from annotation.models import Guideline
from annotation.studies.guideline_text import render, sections, sections_on
from config.erasure import open_erasure

pytestmark = pytest.mark.postgresql
PAGE, EDIT = "/studies/study/guidelines/", "/studies/study/guidelines/edit/"
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=https://evil.example/pixel>",
    "![pixel](https://evil.example/pixel)",
    '<form action="https://evil.example"><input name=a></form>',
    "<style>body{display:none}</style>",
    "<iframe src=https://evil.example></iframe>",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](java&#115;cript:alert(1))",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](vbscript:x)",
    "<a href='javascript:alert(1)'>x</a>",
    "<svg onload=alert(1)>",
    "<p onclick=alert(1) style='color:red'>x</p>",
    "[x](https://ok.example 'title\" onmouseover=\"alert(1)')",
    "<javascript:alert(1)>",
]


class Markup(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, dict(attributes)))


def markup_of(html):
    parser = Markup()
    parser.feed(html)
    return parser.found


@pytest.mark.parametrize("attack", ATTACKS)
def test_markdown_makes_no_markup_that_runs_or_fetches_anything(attack):
    for tag, attributes in markup_of(render(attack)):
        assert tag in TAGS | {"a"}
        assert set(attributes) <= {"href", "title", "rel"}
        assert attributes.get("href", "https:").startswith(("https:", "http:", "mailto:"))


def test_ordinary_markdown_is_kept():
    html = render(
        "# One\n\n**two** *three* `four`\n\n- a\n- b\n\n> q\n\n[l](https://ok.example)\n\n|a|b|\n|-|-|\n|1|2|"
    )
    for part in ("<h2>One</h2>", "<strong>two", "<em>three</em>", "<code>four</code>", "<li>a</li>", "<td>",
                 "<blockquote>", 'href="https://ok.example"', 'rel="noopener noreferrer nofollow"'):  # fmt: skip
        assert part in html


@pytest.mark.parametrize(
    "text", ["{{7*7}}", "{% load static %}", "{x.real}", "{0.__class__.__mro__}", "${7*7}", "{{ study.contact }}"]
)
def test_templates_inside_guidelines_are_literal_text(client, study, owner, text):
    client.force_login(owner)
    client.post(EDIT, {"text": f"before `{text}` after"})
    page = client.get(PAGE).content.decode()
    assert f"before <code>{text}</code> after" in page
    preview = client.post(EDIT, {"text": f"`{text}`", "preview": "1"}).content.decode()
    assert preview.count(text) == 2


def test_a_new_version_is_added_and_the_old_one_can_still_be_read(client, study, owner, rater):
    client.force_login(owner)
    assert client.post(EDIT, {"text": "Second\r\nversion "}).status_code == 302
    assert list(study.guidelines.values_list("number", "text")) == [(1, "Read *everything*."), (2, "Second\nversion ")]
    client.force_login(rater)
    assert "Second" in client.get(PAGE).content.decode()
    old = client.get(PAGE, {"version": "1"}).content.decode()
    assert "<em>everything</em>" in old
    assert "The current version is" in old
    assert "Write a new version" not in old


def test_a_preview_publishes_nothing(client, study, owner):
    client.force_login(owner)
    page = client.post(EDIT, {"text": "**bold**", "preview": "1"}).content.decode()
    assert "<strong>bold</strong>" in page
    assert "**bold**</textarea>" in page
    assert Guideline.objects.count() == 1


def test_publishing_the_same_text_makes_no_version(client, study, owner):
    client.force_login(owner)
    client.post(EDIT, {"text": "Read *everything*."})
    assert Guideline.objects.count() == 1
    assert not AuditEntry.objects.exists()


def test_publishing_is_recorded(client, study, owner):
    client.force_login(owner)
    client.post(EDIT, {"text": "x"})
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.actor.person, entry.study, entry.new) == (
        "guidelines published", owner, "study", {"version": 2},
    )  # fmt: skip


def test_a_text_that_cannot_be_stored_is_refused_and_kept_in_the_form(client, study, owner):
    client.force_login(owner)
    response = client.post(EDIT, {"text": "before\x00after"})
    assert response.status_code == 422
    assert Guideline.objects.count() == 1


@pytest.mark.parametrize("version", ["0", "2", "x", "-1", "1.0", "99999999999999999999", "\N{FULLWIDTH DIGIT ONE}"])
def test_a_version_that_does_not_exist_is_not_found(client, study, rater, version):
    client.force_login(rater)
    assert client.get(PAGE, {"version": version}).status_code == 404


def test_the_desk_gets_the_text_alone(client, study, rater):
    client.force_login(rater)
    fragment = client.get(PAGE, headers={"HX-Request": "true"}).content.decode()
    assert "<em>everything</em>" in fragment
    assert "<html" not in fragment


def test_a_study_without_guidelines_says_so(client, study, make_study, rater):
    bare = make_study("bare")
    with open_erasure("guidelines"):
        Guideline.objects.filter(study=bare).delete()
    add_member(bare, rater, "annotator", None)
    client.force_login(rater)
    assert "has no guidelines" in client.get("/studies/bare/guidelines/").content.decode()


PARTS = (
    "# All\n\nread\n\n## Checklist\n\n- a\n\n### Deeper\n\nb\n\n"
    "## *Example* `2`: x\n\n<script>y</script>\n\n# Next\n\nz"
)


def test_each_part_of_the_guidelines_ends_at_the_next_heading_of_its_level():
    parts = sections(PARTS)
    assert [part.title for part in parts] == ["All", "Checklist", "Deeper", "Example 2: x", "Next"]
    assert parts[0].html.count("<h3>") == 2
    assert parts[1].html.split("\n") == ["<ul>", "<li>a</li>", "</ul>", "<h4>Deeper</h4>", "<p>b</p>", ""]
    assert parts[2].html == "<p>b</p>\n"
    assert "<script" not in parts[3].html
    assert parts[4].html == "<p>z</p>\n"


def test_parts_are_found_by_the_first_word_of_their_headings():
    assert [part.title for part in sections_on(PARTS, "example")] == ["Example 2: x"]
    assert [part.title for part in sections_on(PARTS, "CHECKLIST")] == ["Checklist"]
    assert sections_on(PARTS, "none") == sections_on("", "example") == []
    assert sections("> # Quoted\n\n- # listed") == ()
