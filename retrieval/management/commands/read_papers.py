"""`python manage.py read_papers FILE...`: write an item's line for `import_study` from papers."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from files.import_problems import ImportRefusedError
from files.line_reading import open_regular
from retrieval.paper_formats import MOST_BYTES, SUFFIXES, read_paper
from retrieval.papers import Paper
from retrieval.search_errors import PaperError


class Command(BaseCommand):
    help = (
        f"Make an item of a session study from papers ({', '.join(SUFFIXES)}). If one is invalid, nothing is written."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--question", required=True, help="the question to answer from the papers")
        parser.add_argument("--id", required=True, help="the item's id")
        parser.add_argument("--category", help="the question's topic")
        parser.add_argument("--out", type=Path, metavar="FILE", help="file to overwrite; standard output by default")

    def handle(self, *args: Any, **options: Any) -> None:
        papers, problems = [], []
        for path in options["files"]:
            try:
                papers.append(_read(path))
            except (PaperError, ImportRefusedError) as problem:
                problems.append(f"  {problem}")
        identities = [paper.id for paper in papers]
        problems += [
            f"  Two papers have the id {one!r}. Rename one of the files."
            for one in sorted(set(identities))
            if identities.count(one) > 1
        ]
        if problems:
            raise CommandError("\n".join(["Nothing was written.", *problems]))
        line = {"id": options["id"], "question": options["question"]}
        line |= {"category": options["category"]} if options["category"] else {}
        text = json.dumps(line | {"documents": [paper.line() for paper in papers]}, ensure_ascii=False)
        if options["out"] is None:
            self.stdout.write(text)
            return
        try:
            options["out"].write_text(text + "\n", encoding="utf-8")
        except OSError as problem:
            raise CommandError(f"{options['out']} cannot be written: {problem.strerror}.") from None
        self.stdout.write(f"Wrote {len(papers)} papers with {sum(len(p.paragraphs) for p in papers)} passages.")


def _read(path: Path) -> Paper:
    with open_regular(path) as file:
        return read_paper(path.name, file.read(MOST_BYTES + 1))
