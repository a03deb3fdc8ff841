"""Studies with papers, and generated files of papers."""

import zlib
from io import BytesIO

import pytest
from django.test import override_settings
from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject, StreamObject

from annotation.models import Item, Membership, Study
from config.background.claiming import run_waiting
from retrieval.index_builds import ensure_index
from tests.conftest import make_person

PAPERS = {
    "ferries": [
        "Ferries to the northern islands sail at nine in the morning.",
        "In winter the harbour freezes and no ferry sails.",
        "Tickets are sold on board; children travel free of charge.",
    ],
    "trains": [
        "The night train leaves the capital at eleven.",
        "Sleeping cars must be booked two weeks ahead.",
        "",
        "Dogs travel free of charge when they are small.",
    ],
}


@pytest.fixture(autouse=True)
def var(tmp_path):
    """A data folder for the test."""
    with override_settings(VAR=tmp_path / "var"):
        yield tmp_path / "var"


def line_of(key: str, paragraphs: list[str]) -> dict:
    return {"id": key, "title": f"On {key}", "authors": ["A. Author"], "paragraphs": paragraphs}


def add_papers(study: Study, key: str, papers: dict[str, list[str]]) -> Item:
    documents = [line_of(name, paragraphs) for name, paragraphs in papers.items()]
    return Item.objects.create(
        study=study, key=key, digest=f"digest of {key}", content={"question": "Why?", "documents": documents}
    )


@pytest.fixture
def papers_study(db) -> Study:
    """A study of one item with two papers."""
    study = Study.objects.create(slug="papers", title="Papers", protocol="rating", redundancy=1)
    add_papers(study, "q1", PAPERS)
    return study


@pytest.fixture
def indexed(papers_study, django_capture_on_commit_callbacks) -> Study:
    """The same study with its index built."""
    build_now(papers_study)
    return papers_study


def build_now(study: Study):
    """Build the study's index now."""
    build = ensure_index(study)
    run_waiting()
    build.refresh_from_db()
    return build


@pytest.fixture
def asking(db) -> Study:
    """A study of questions with papers, owned by olga."""
    study = Study.objects.create(slug="asking", title="Asking", protocol="session", redundancy=1)
    Membership.objects.create(study=study, person=make_person("olga"), role="owner")
    return study


@pytest.fixture
def olga_s(client, asking):
    client.force_login(asking.memberships.get().person)
    return client


def make_pdf(
    pages: list[list[str]], *, stream: bytes | None = None, shared: bool = False, password: str = "", title: str = ""
) -> bytes:
    """Return a PDF with these lines on its pages, or with `stream` as the content of each page, `shared` or not."""
    writer = PdfWriter()
    font = DictionaryObject({
        NameObject("/Type"): NameObject("/Font"), NameObject("/Subtype"): NameObject("/Type1"),
        NameObject("/BaseFont"): NameObject("/Helvetica"),
    })  # fmt: skip
    kept, drawing = writer._add_object(font), None
    for lines in pages:
        page = writer.add_blank_page(612, 792)
        fonts = DictionaryObject({NameObject("/F1"): kept})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        if stream is not None:
            content = StreamObject()
            content._data = zlib.compress(stream, 9)
            content[NameObject("/Filter")] = NameObject("/FlateDecode")
        else:
            content = DecodedStreamObject()
            content.set_data(_drawn(lines))
        drawing = drawing if shared and drawing is not None else writer._add_object(content)
        page[NameObject("/Contents")] = drawing
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    made = BytesIO()
    writer.write(made)
    return made.getvalue()


def _drawn(lines: list[str]) -> bytes:
    """Return the operators that draw the lines below each other; an empty line leaves a gap."""
    drawn = ["BT /F1 10 Tf 12 TL 50 750 Td"]
    for line in lines:
        plain = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        drawn.append(f"({plain}) Tj T*" if line else "T*")
    return " ".join([*drawn, "ET"]).encode("latin-1")


def holding_pdf() -> bytes:
    """Return a PDF of 9 KB that takes a minute and more to read: its pages share one drawing, which is packed well."""
    drawing = b"BT /F1 9 Tf " + b"1 0 0 1 0 0 Tm " * 150_000 + b"(Ferries sail at nine.) Tj ET"
    return make_pdf([[]] * 28, stream=drawing, shared=True)
