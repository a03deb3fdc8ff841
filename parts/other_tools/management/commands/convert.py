"""Convert files of another annotation tool into a folder that import_study reads: see docs/formats.md."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.reading import ImportRefusedError
from parts.other_tools.conversion_choices import ChoicesNeededError, ConversionChoices, FieldRoles
from parts.other_tools.converting import converted, write_conversion
from parts.other_tools.other_tool import other_tools


def _named(text: str) -> tuple[str, str]:
    name, mark, value = text.rpartition("=")
    if not (name and mark and value):
        raise ArgumentTypeError(f"write NAME=VALUE, not {text!r}")
    return name, value


def _sides(text: str) -> tuple[str, tuple[str, str]]:
    name, value = _named(text)
    left, mark, right = value.partition(",")
    if not (left and mark and right) or left == right:
        raise ArgumentTypeError(f"write QUESTION=LEFT,RIGHT with two fields, not {text!r}")
    return name, (left, right)


SEVERAL = (
    ("--outputs", str, "FIELD", "the fields that are judged"),
    ("--sides", _sides, "QUESTION=LEFT,RIGHT", "the fields shown left and right when a question compared two"),
    ("--shows", _named, "NAME=FIELD", "the field that a tag showed, a label stands for or a question is about"),
    ("--rater", _named, "FILE=NAME", "who answered in a file; * if each label of a record is of another person"),
)
"""The options that take several values: what reads one, its form and its help."""


class Command(BaseCommand):
    help = "Convert files of another annotation tool into a folder that import_study reads. Nothing is imported."
    requires_system_checks: list[str] = []  # no database is read

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tool", choices=sorted(other_tools()))
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a file, or a folder with files")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a new or empty folder")
        parser.add_argument("--study", type=Path, metavar="FILE", help="a study file whose questions were asked")
        parser.add_argument("--slug", help="the study's name (default: that of the folder)")
        parser.add_argument("--instruction", metavar="FIELD", help="the field with the instruction")
        parser.add_argument("--document", metavar="FIELD", help="the field with the document")
        for option, read, form, text in SEVERAL:
            parser.add_argument(option, nargs="+", action="extend", default=[], type=read, metavar=form, help=text)

    def handle(self, *args: Any, **options: Any) -> None:
        out: Path = options["out"]
        told = ConversionChoices(
            FieldRoles(options["instruction"], options["document"], tuple(options["outputs"])),
            dict(options["sides"]),
            dict(options["shows"]),
            dict(options["rater"]),
        )
        try:
            done = converted(
                other_tools()[options["tool"]],
                options["files"],
                options["slug"] or out.absolute().name,
                told,
                options["study"],
            )
            write_conversion(done, out)
        except ChoicesNeededError as needed:
            lines = [f"{choice.problem}. {choice.hint}." for choice in needed.asked]
            raise CommandError("\n".join([*lines, "Nothing was written."])) from None
        except ImportRefusedError as refused:
            more = [f"and {refused.more} more"] if refused.more else []
            raise CommandError("\n".join([*map(str, refused.problems), *more, "Nothing was written."])) from None
        for sentence in (*done.summary, *done.example):
            self.stdout.write(sentence)
        self.stdout.write(f"Look at {out / next(iter(done.files))}, then: manage.py import_study {out}")
