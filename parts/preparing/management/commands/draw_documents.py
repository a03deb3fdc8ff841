"""Draw documents from a file of any size into a draft study: see docs/preparing.md."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from files.management.study_lookup import find_study
from parts.preparing.document_drawing import draw_documents
from parts.preparing.document_sampling import DocumentsRefusedError, WordRange
from parts.preparing.step_configuration import PreparationRefusedError


class Command(BaseCommand):
    help = "Draw a seeded, uniform sample of documents per source from a JSONL file into a draft study."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY")
        parser.add_argument("file", type=Path, metavar="FILE", help='JSONL: one {"id", "text", "source"} per line')
        parser.add_argument("--per-source", type=int, default=10, help="documents of each source, at most (10)")
        parser.add_argument("--fewest", type=int, help="fewest words of a document")
        parser.add_argument("--most", type=int, help="most words of a document")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["per_source"] < 1:
            raise CommandError("--per-source must be 1 or more.")
        try:
            sample = draw_documents(
                find_study(options["study"]), options["file"], None, per_source=options["per_source"],
                words=WordRange(options["fewest"], options["most"]), seed=options["seed"],
            )  # fmt: skip
        except (DocumentsRefusedError, PreparationRefusedError) as problem:
            raise CommandError(f"Nothing was drawn. {problem}") from None
        for source, counts in sorted(sample.counts.items()):
            read, in_range, drawn = counts["read"], counts["in_range"], counts["drawn"]
            self.stdout.write(f"{source or 'no source'}: {read} read, {in_range} in range, {drawn} drawn")
