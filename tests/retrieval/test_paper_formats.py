"""Papers from text, Markdown and JSON, and files that are refused."""

import json

import pytest
from django.core.management import CommandError, call_command

from retrieval.paper_formats import MOST_BYTES, PaperError, markdown, read_paper
from retrieval.papers import Paper
from tests.retrieval.conftest import make_pdf


def test_empty_lines_separate_the_paragraphs_of_plain_text():
    text = "On Ferries\n\nThe first line\ngoes on here.\n   \n\nThe second.\r\n\r\nThe third."
    paper = read_paper("folder/ferries.TXT", text.encode())
    assert (paper.id, paper.title) == ("ferries", "On Ferries")
    assert paper.paragraphs == ("The first line goes on here.", "The second.", "The third.")


def test_the_file_s_name_is_the_title_of_a_text_without_one():
    paper = read_paper("f.txt", b"It begins.\n\nIt ends.")
    assert (paper.title, paper.paragraphs) == ("f", ("It begins.", "It ends."))


def test_a_byte_order_mark_is_removed():
    assert read_paper("f.txt", "\ufeffÄrger.".encode()).paragraphs == ("Ärger.",)


def test_markdown_headings_paragraphs_items_and_code_become_text():
    text = (
        "# On *Ferries*\n\nThey **sail**\nat [nine](https://example.org).\n\n## Winter\n\n- the harbour `freezes`\n"
        "- nobody sails\n\n> A quotation.\n\n```python\nif ice:\n    stay()\n```\n\n"
        "| when | who |\n|---|---|\n| 9 | all |\n"
    )
    paper = read_paper("ferries.md", text.encode())
    assert paper.title == "On Ferries"
    assert paper.paragraphs == (
        "They sail at nine.", "Winter", "the harbour freezes", "nobody sails", "A quotation.", "if ice:\n    stay()",
        "when | who", "9 | all",
    )  # fmt: skip


def test_formulas_in_markdown_stay_as_they_are_written():
    paper = read_paper("x.md", b"Let \\(\\alpha_1*b*c\\) be.\n\n\\[\n\\sum_i x_i \\\\\n- y\n\\]\n\nIt costs $5.")
    assert paper.paragraphs == (r"Let \(\alpha_1*b*c\) be.", "\\[\n\\sum_i x_i \\\\\n- y\n\\]", "It costs $5.")


def test_html_in_markdown_is_removed():
    paper = read_paper("x.md", b"Hello <script>alert(1)</script> you\n\n<div>raw</div>\n\nBye")
    assert paper.paragraphs == ("Hello alert(1) you", "Bye")


def test_json_is_read_as_in_an_item_s_line():
    line = {"id": "own", "title": "T", "authors": ["A", "B"], "year": 2020, "paragraphs": ["one", "two"]}
    assert read_paper("f.json", json.dumps(line).encode()) == Paper.from_line(line)
    assert read_paper("f.json", b'{"paragraphs": ["one"]}').id == "f"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.docx", b"PK", "not a supported file"),
        ("x", b"text", "not a supported file"),
        ("x.txt", b"", "is empty"),
        ("x.txt", b" \n \n", "has no text"),
        ("x.txt", b"a\0b", "NUL"),
        ("x.txt", "Ärger".encode("latin-1"), "is not UTF-8"),
        ("x.txt", "text".encode("utf-16"), "UTF-16"),
        ("x.txt", b"a" * (MOST_BYTES + 1), "larger than"),
        ("x.md", b"a\n\n" * 5001, "longer than 5000 paragraphs"),
        (f"{'n' * 201}.txt", b"text", "1 to 200"),
        ("a\nb.txt", b"text", "printable"),
        ("x.json", b"[1]", "not a JSON object"),
        ("x.json", b"{", "is not JSON"),
        ("x.json", b'{"paragraphs": ["a"], "paragraphs": ["b"]}', "twice"),
        ("x.json", b'{"paragraphs": ["a"], "extra": 1}', "'extra'"),
        ("x.json", b'{"paragraphs": "a"}', "not a list of texts"),
        ("x.json", b'{"paragraphs": [1]}', "not a list of texts"),
        ("x.json", b'{"title": "a"}', "no paragraphs"),
        ("x.json", b'{"paragraphs": ["a"], "year": true}', "year"),
        ("x.json", b'{"paragraphs": ["a"], "url": "javascript:alert(1)"}', "url"),
        ("x.json", b'{"paragraphs": ["\\u0000"]}', "NUL"),
        ("x.json", b'{"paragraphs": ["\\ud800"]}', "surrogate"),
        ("x.json", b"[" * 5000, "nested deeper"),
        ("x.json", b'{"year": ' + b"9" * 10_000 + b', "paragraphs": ["a"]}', "too many digits"),
    ],
)
def test_invalid_files_are_refused_with_a_sentence(name, content, reason):
    with pytest.raises(PaperError) as refused:
        read_paper(name, content)
    said = str(refused.value)
    assert reason in said
    assert said.endswith(".")
    assert "\n" not in said


@pytest.mark.parametrize("name", ["../../etc/passwd.txt", "/etc/shadow.txt", "..\\..\\x.txt"])
def test_a_file_s_name_is_not_a_path(name):
    assert "/" not in read_paper(name, b"text").id
    assert "\\" not in read_paper(name, b"text").id


def test_the_command_writes_an_item_from_files_of_all_formats(tmp_path):
    files = {"a.txt": b"One.\n\nTwo.", "b.md": b"# B\n\nThree.", "c.pdf": make_pdf([["The ferry sails at nine."]])}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    out = tmp_path / "items.jsonl"
    paths = [str(tmp_path / name) for name in files]
    call_command("read_papers", *paths, "--question", "When?", "--id", "q", "--out", str(out), verbosity=0)
    line = json.loads(out.read_text())
    assert (line["id"], line["question"]) == ("q", "When?")
    assert [document["id"] for document in line["documents"]] == ["a", "b", "c"]
    assert line["documents"][2]["paragraphs"] == ["The ferry sails at nine."]


def test_the_command_writes_nothing_if_one_file_is_invalid(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"One.")
    (tmp_path / "b.pdf").write_bytes(b"no pdf")
    (tmp_path / "a.md").write_bytes(b"One.")
    out = tmp_path / "items.jsonl"
    paths = [str(tmp_path / name) for name in ("a.txt", "b.pdf", "a.md", "missing.txt")]
    with pytest.raises(CommandError) as refused:
        call_command("read_papers", *paths, "--question", "When?", "--id", "q", "--out", str(out))
    assert not out.exists()
    for words in ("b.pdf is not a PDF", "Two papers have the id 'a'", "missing.txt: cannot be read"):
        assert words in str(refused.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[" * 2_000_001, "is longer than 2000000 characters"),
        (b"|a" * 100_001, "has tables of more than 100000 cells"),
    ],
)
def test_oversized_markdown_is_refused_before_it_is_parsed(monkeypatch, content, words):
    monkeypatch.setattr(markdown, "MarkdownIt", None)
    with pytest.raises(PaperError, match=words):
        read_paper("long.md", content)
