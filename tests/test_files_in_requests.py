"""No request reads a PDF, XML, an archive, a workbook or Parquet: workers do, whatever address the file was sent to."""

import ast
import subprocess
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.handlers.wsgi import WSGIRequest
from django.db import transaction
from django.http import HttpResponse
from django.test import RequestFactory

from config.middleware import RequestMiddleware
from config.outside_requests import ReadInRequestError
from files.reading.parquet_tables import parquet_objects
from operating.backup_format import OpenBackup
from parts.other_tools.tool_files import read_tool_file, xml_of
from reports.kept.bundle_checking import unpack
from retrieval.paper_formats import read_paper
from tests.house import named, nodes, sources, tree
from tests.retrieval.conftest import holding_pdf
from tests.world import ROUTES

PARSERS = {
    "pypdf",
    "fitz",
    "pdfminer",
    "pyarrow",
    "fastparquet",
    "pandas",
    "polars",
    "openpyxl",
    "xlrd",
    "docx",
    "odf",
    "lxml",
    "xml",
    "defusedxml",
    "zipfile",
    "tarfile",
    "gzip",
    "bz2",
    "lzma",
    "PIL",
}
"""Packages that read what is hard to read, by the first part of their names."""
NAMES_ONLY = {"Element", "ParseError", "DefusedXmlException"}
"""Classes that annotations and handlers name, and that read nothing."""
NO_FILES = {"parts/datasets/crowd_labels.py": "tables in memory, of workers"}
WRITERS = {
    "files/tables/parquet_types.py": "types of columns",
    "operating/backing_up.py": "writes backups",
    "files/writing/parquet_files.py": "writes tables",
    "reports/kept/zip_archive.py": "writes exports",
}
OF_OUR_OWN = {"reports/kept/archive.py": "takes a file out of an export that a worker of this site has written"}
PROGRAMS = {"retrieval/paper_formats/pdf_pages.py": "a program in a process of its own, which no module imports"}
READERS = {
    "parts/other_tools/tool_files.py": {"read_tool_file", "xml_of"},
    "files/reading/parquet_tables.py": {"parquet_objects"},
    "operating/backup_format.py": {"__init__"},
    "reports/kept/bundle_checking.py": {"unpack"},
}
"""Modules that read such files, and the functions by which others come in: each refuses to run in a request."""
READS = {
    "PdfReader",
    "ParquetFile",
    "read_table",
    "fromstring",
    "iterparse",
    "load_workbook",
    "ZipFile",
    "is_zipfile",
    "TarFile",
    "ParquetDataset",
    "read_parquet",
    "read_excel",
}


def packages_in(path: Path) -> set[str]:
    """The packages of PARSERS that a module imports, wherever in it."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not {one.name for one in node.names} <= NAMES_ONLY:
            found.add(node.module.partition(".")[0])
    return found & PARSERS


def reads_in(tree_or_function: ast.AST) -> set[str]:
    """What a piece of code calls that reads such files; an archive that is opened to be written is not read."""
    found = set()
    for node in ast.walk(tree_or_function):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            modes = {
                one.value
                for one in [*node.args, *(word.value for word in node.keywords)]
                if isinstance(one, ast.Constant)
            }
            if name in READS and not (name == "ZipFile" and "w" in modes):
                found.add(name)
    return found


def test_every_module_that_could_read_such_a_file_is_listed():
    found = {named(path) for path in sources() if packages_in(path)}
    assert found == {*NO_FILES, *WRITERS, *OF_OUR_OWN, *PROGRAMS, *READERS}


def test_writers_read_nothing_and_readers_refuse_requests():
    modules = {named(path): path for path in sources()}
    assert [name for name in {**NO_FILES, **WRITERS} if reads_in(tree(modules[name]))] == []
    for name, guarded in READERS.items():
        functions = [one for one in nodes(modules[name]) if isinstance(one, ast.FunctionDef)]
        refusing = {
            one.name
            for one in functions
            if any(isinstance(mark, ast.Name) and mark.id == "outside_of_requests" for mark in one.decorator_list)
        }
        assert refusing == guarded, name
        assert [one.name for one in functions if reads_in(one) and one.name not in refusing] == [], name


def test_no_module_imports_a_program_that_reads():
    names = {name.removesuffix(".py").replace("/", ".") for name in PROGRAMS}
    for path in sources():
        for node in nodes(path):
            if isinstance(node, ast.Import):
                assert names.isdisjoint(alias.name for alias in node.names), named(path)
            elif isinstance(node, ast.ImportFrom):
                assert names.isdisjoint(f"{node.module}.{alias.name}" for alias in node.names), named(path)


@pytest.mark.parametrize(
    "read",
    [
        lambda: read_paper("a.txt", b"Ferries."),
        lambda: read_tool_file(Path("a.xml")),
        lambda: xml_of(Path("a"), "<a/>"),
        lambda: parquet_objects(None, None),
        lambda: unpack(Path("a"), Path("b")),
        lambda: OpenBackup(Path("a")),
    ],
)
def test_a_reader_refuses_to_run_in_a_request(read):
    def answered(request):
        read()
        return HttpResponse()

    with pytest.raises(ReadInRequestError):
        RequestMiddleware(answered)(RequestFactory().get("/"))


def test_what_runs_outside_of_requests_reads():
    assert RequestMiddleware(lambda request: HttpResponse())(RequestFactory().get("/")).status_code == 200
    assert read_paper("a.txt", b"Ferries.").paragraphs == ("Ferries.",)


XML = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><View>&b;</View>'
HOSTILE = {
    "holding.pdf": holding_pdf(),
    "bomb.xml": XML,
    "bomb.zip": b"PK\x03\x04" + b"\0" * 60,
    "bomb.xlsx": b"PK\x03\x04",
    "bomb.parquet": b"PAR1" + b"\xff" * 40 + b"PAR1",
    "bomb.json": b"[" * 5000,
    "bomb.jsonl": b"[" * 5000,
    "bomb.yaml": b"a: &a [x]\nb: [*a, *a]\n",
    "bomb.csv": b"a,b\n1,2\n",
}
FIELDS = {"key": "q77", "question": "Why?", "table": "items", "slug": "from-a-file", "per_source": "1", "seed": "0"}
KINDS = ("application/pdf", "application/zip", "application/xml", "application/vnd.apache.parquet")


@pytest.fixture
def looked_at(monkeypatch):
    """The addresses that asked for the files of a request."""
    seen, files = set(), WSGIRequest.FILES

    def recorded(request):
        seen.add(request.path)
        return files.fget(request)

    monkeypatch.setattr(WSGIRequest, "FILES", property(recorded, files.fset))
    return seen


@pytest.fixture
def no_processes(monkeypatch):
    """Fail if a request starts a program, such as one that reads a file."""

    def refused(self, *args, **_):
        raise AssertionError(f"a request started {args}")

    monkeypatch.setattr(subprocess.Popen, "__init__", refused)


def sent(client, path, **request):
    """The response; nothing stays of what the request has done, and the client signed in."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        response = client.post(path, **request)
        if response.streaming:
            b"".join(response)
        transaction.set_rollback(True)
    client.cookies = cookies
    return response


def test_no_address_reads_a_file_that_is_sent_to_it(world, looked_at, no_processes):
    """A reader would raise in the request, and so fail the test."""
    clients, address = world
    places = [address(route) for route in ROUTES if "admin" not in route]
    for name, content in HOSTILE.items():
        for path in places if name == "holding.pdf" else sorted(looked_at & {*places}):
            for person in ("owner", "superuser"):
                files = {field: SimpleUploadedFile(name, content) for field in ("file", "papers", "files")}
                sent(clients[person], path, data={**FIELDS, **files})
    assert len(looked_at) >= 4
    for path in (path for path in places if path.startswith("/api/")):
        for kind in KINDS:
            response = sent(clients["token_write"], path, data=HOSTILE["holding.pdf"], content_type=kind)
            assert response.status_code >= 400 or response.status_code < 300
