r"""Formulas in Markdown: typeset or exactly as written, never changed; prices, code and escapes stay what they are."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.formatting.markdown_text import MATH, MOST_TYPESET, TAGS
from annotation.formatting.typesetting import DEEPEST, LONGEST, mathml
from annotation.studies.guideline_text import render, sections

FORMULAS = [
    (r"Let \(\alpha\) be", r"\alpha"),
    (r"So \[x_1\] holds", "x_1"),
    (r"$x_1$ and *so*", "x_1"),
    (r"price $\$5$", r"\$5"),
    ("$$\\sum_i x_i$$", r"\sum_i x_i"),
    ("see $$x$$ here", "x"),
    ("\\[\nx = a\n- b\n\\]", "\nx = a\n- b\n"),
    ("text\n\\[\n\nx\n\n\\]\nmore", "\n\nx\n\n"),
    ("- one\n\n  \\[\n  a_1 \\\\\n  b\n  \\]\n- two", "\na_1 \\\\\nb\n"),
    (r"> \[ x \]", " x "),
    ("| a |\n|--|\n| \\(x_1\\) |", "x_1"),
    ("\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}", "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}"),
    ("the $k$th of them", "k"),
    ("设$x$为实数", "x"),
    ("# On \\(x^2\\)", "x^2"),
    ("*$a*b$*", "a*b"),
    (r"\(a<b\)", "a<b"),
    ("\\begin{cases}\na & x \\\\\nb & y\n\\end{cases}", "\\begin{cases}\na & x \\\\\nb & y\n\\end{cases}"),
    (r"\begin{array}{c} a \\ b\end{array}", r"\begin{array}{c} a \\ b\end{array}"),
    (r"Let \begin{pmatrix} a_1 & b \\ c & d_1 \end{pmatrix} be", r"\begin{pmatrix} a_1 & b \\ c & d_1 \end{pmatrix}"),
    (r"So \begin{align} a &= b \\ c &= d \end{align}.", r"\begin{align} a &= b \\ c &= d \end{align}"),
    (r"We have \begin{equation} a_1 + b \end{equation} here.", r"\begin{equation} a_1 + b \end{equation}"),
    (
        "So \\begin{align} a &= b \\\\\n- c &= d\n\\end{align} holds",
        "\\begin{align} a &= b \\\\\n- c &= d\n\\end{align}",
    ),
    ("\\(x\n> 0\\)", "x\n> 0"),
    ("1. \\(x\n> 0\\)", "x\n> 0"),
    ("- so \\(a\n- b\\)", "a\n- b"),
    ("so $a\n+ b$ and", "a\n+ b"),
    ("\\(a\n=\nb\\)", "a\n=\nb"),
    ("> \\(a\n> - b\\)", "a\n- b"),
    ("| $P(x | y)$ | 0.5 |\n|--|--|", "P(x | y)"),
    ("| a | b |\n|--|--|\n| $P(x | y)$ | 0.5 |", "P(x | y)"),
    ("| a | b |\n|--|--|\n| 1 | \\(\\|x\\|\\) |", r"\|x\|"),
]
ROWS = [
    (r"| \(|x|\) | $|y| + 1$ |", 2, [1, 1]),
    ("| $P(x | y)$ | 0.5 |", 2, [1, 0]),
    (r"| $$|x|$$ | \begin{vmatrix} a | b \end{vmatrix} |", 2, [1, 1]),
    ("| $5 | $10 |", 2, [0, 0]),
    ("|$5|$6|", 2, [0, 0]),
]
NONE = [
    "It costs $5 and we have $10.",
    "US$5 or A$6",
    "from $20,000 (about $18k) to 5$, not 5$, ok",
    "($) or ($)",
    "价格$5到$10",
    "a $HOME and $PATH, $A$B",
    "5 $/unit and 6 $/unit",
    "$5-$10",
    "$ 5 $",
    "$$ not a formula $$",
]
AS_WRITTEN = [
    r"\begin{unknown} a_1 \\ *b* \end{unknown}",
    "\\begin{unknown}\n*a* \\\\\n- b\n\\end{unknown}",
    r"\(\KL(p \mid q)\)",
    r"\(\frac{a\)",
    r"$50%$",
    r"\(\newcommand{\x}{y}\x\)",
    r"\[x \label{eq:1}\]",
    r"\(x \eqref{eq:1}\)",
    r"\(\href{javascript:alert(1)}{x}\)",
    "\\[\n\\unknown{\\alpha_1}\n*a* \\\\\n\\]",
    r"$\{_$",
    r"\(" + "{" * (DEEPEST + 1) + "x" + "}" * (DEEPEST + 1) + r"\)",
    r"\(" + "x" * (LONGEST + 1) + r"\)",
]
CUT_OFF = [r"so \(\alpha", r"and \[ x", r"x\) ends"]
CODE = ["`$x$`", r"`\(x\)`", "```\n$x$ \\[y\\]\n```", "    \\[x\\]", r"a $5 `$x` b"]


class Found(HTMLParser):
    """The elements of HTML with their attributes, and its text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize(("text", "latex"), FORMULAS)
def test_a_formula_is_typeset_from_the_latex_between_its_marks(text, latex):
    html = render(text)
    typeset = mathml(latex, "<math display" in html)
    assert typeset is not None
    assert html.count("<math") == 1
    assert Found(typeset).text in Found(html).text
    assert "\\" not in Found(html).text


def test_environments_and_line_beginnings_in_code_or_after_a_formula_are_markdown():
    assert render("`\\(x`\n> 0\\)").count("<blockquote") == 1
    assert render("\\(x\\)\n> y").count("<blockquote") == 1
    assert render("so \\(x\n\n> 0\\)").count("<blockquote") == 1


@pytest.mark.parametrize(("row", "cells", "formulas"), ROWS)
def test_bars_within_formulas_do_not_divide_the_cells_of_a_table(row, cells, formulas):
    html = render(f"| a | b |\n|--|--|\n{row}")
    found = html.split("<tbody>")[1].split("</td>")[:-1]
    assert len(found) == cells
    assert [min(cell.count("<math"), 1) for cell in found] == formulas
    kept = "".join(filter(str.isalnum, Found(html.split("<tbody>")[1]).text))
    assert kept == "".join(filter(str.isalnum, re.sub(r"\\(?:begin|end)\{\w+\}", "", row)))


def test_a_row_whose_prices_look_like_a_formula_stays_a_table():
    assert render("| $a | b$ |\n|--|--|\n| 1 | 2 |").count("<th>") == 2


@pytest.mark.parametrize("text", NONE)
def test_prices_and_variables_are_no_formulas(text):
    assert Found(render(text)).text.strip() == text


@pytest.mark.parametrize("text", AS_WRITTEN)
def test_a_formula_that_cannot_be_typeset_is_shown_exactly_as_it_is_written(text):
    html = render(f"Before {text} after" if "\n" not in text else text)
    assert "<math" not in html
    assert text in Found(html).text
    assert "<em>" not in html


@pytest.mark.parametrize("text", CUT_OFF)
def test_half_a_formula_keeps_its_backslash(text):
    assert Found(render(text)).text.strip() == text


@pytest.mark.parametrize("text", CODE)
def test_code_stays_as_it_is(text):
    html = render(text)
    assert "<math" not in html
    assert Found(html).text.strip() == text.strip("`\n ").replace("`", "")


def test_brackets_around_words_and_citations_are_still_escapes():
    assert render(r"\[not *a* link\] and \(so it is\), \[1\], \[2, 3\]") == (
        "<p>[not <em>a</em> link] and (so it is), [1], [2, 3]</p>\n"
    )


def test_no_number_is_added_to_equations_and_one_that_is_written_is_kept():
    assert "(1)" not in Found(render("\\begin{align} a &= b \\end{align}")).text
    assert "(7)" in Found(render(r"\[ x \tag{7} \]")).text


def test_headings_keep_their_formulas_as_they_are_written():
    assert sections(r"# Errors of \(x_1\)")[0].title == r"Errors of \(x_1\)"


@pytest.mark.parametrize("text", [text for text, _ in FORMULAS] + AS_WRITTEN)
def test_formulas_bring_no_element_or_attribute_that_runs_or_fetches_anything(text):
    for tag, attributes in Found(render(text)).elements:
        assert tag in TAGS | MATH
        assert not {"style", "href", "id", "xlink:href", "src"} & set(attributes)


PARTS = r"""\frac \sqrt { } ^ _ x 1 ( ) [ ] \left \right \begin{matrix} \end{matrix} & \\ \text{ | ' \sum % # $ < >
\color{red} \href{x} \style \class{a} \hspace{3em} \boxed \not \tag{1} \mathop ` \( \) \[ \] <b\tonclick=x>"""
LATEX = st.lists(st.sampled_from([" ", "\n", "\N{ARABIC LETTER ALEF}", *PARTS.split()]), max_size=25).map("".join)


@given(LATEX)
def test_any_text_with_marks_of_formulas_gives_clean_html(text):
    for one in (rf"\({text}\)", rf"\[{text}\]", f"${text}$", f"$$\n{text}\n$$", text):
        for tag, attributes in Found(render(one)).elements:
            assert tag in TAGS | MATH | {"a"}
            assert not {"style", "id", "xlink:href", "src", "onclick"} & set(attributes)


def test_of_a_text_full_of_formulas_a_bounded_number_is_typeset():
    assert render("$x^2$ " * 40_000).count("<math") == MOST_TYPESET // len("x^2")
