"""`python manage.py checkdata`: look for rows that contradict each other. Changes nothing."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q

from annotation.models import Study
from config.snapshot import read_without_mapping, snapshot
from operating.data_check import SHOWN, DataCheck, Finding, all_checks, run_check


class Command(BaseCommand):
    help = "Look for inconsistent data. Exit code 1 if something was found. Nothing is changed."
    requires_system_checks: list[str] = []  # they load every page, and this reads tables only

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("check", nargs="*", help="only these checks; --list shows their names")
        parser.add_argument("--list", action="store_true", help="list the checks, and run none")
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument("--rows", type=int, default=SHOWN, help=f"how many rows to show of each ({SHOWN})")

    def handle(self, *args: Any, **options: Any) -> None:
        chosen = self._chosen(options["check"])
        if options["list"]:
            for check in chosen:
                self.stdout.write(f"{check.key}: {check.sentence}")
            return
        read_without_mapping()
        with snapshot():
            busy = list(
                Study.objects.filter(Q(being_erased=True) | ~Q(pending_import=None)).values_list("slug", flat=True)
            )
            findings = [run_check(check, options["rows"]) for check in chosen]
        found = [finding for finding in findings if finding.count]
        if options["json"]:
            told = {"checks": len(chosen), "busy": busy, "found": [finding.as_json() for finding in found]}
            self.stdout.write(json.dumps(told, ensure_ascii=False, indent=1))
        else:
            self._tell(found, busy, len(chosen))
        if found:
            raise SystemExit(1)

    def _chosen(self, keys: list[str]) -> tuple[DataCheck, ...]:
        checks = {check.key: check for check in all_checks()}
        unknown = [key for key in keys if key not in checks]
        if unknown:
            raise CommandError(f"There is no check {unknown[0]}. --list shows all.")
        return tuple(checks[key] for key in keys) if keys else all_checks()

    def _tell(self, found: list[Finding], busy: list[str], checks: int) -> None:
        if busy:
            self.stdout.write(f"Being imported or deleted meanwhile, so look again afterwards: {', '.join(busy)}.")
        for finding in found:
            self.stdout.write(f"{finding.check.key}: {finding.check.sentence} ({finding.count})")
            for row in finding.rows:
                self.stdout.write("  " + ", ".join(f"{name} {value}" for name, value in row.items()))
            if finding.count > len(finding.rows):
                self.stdout.write(f"  and {finding.count - len(finding.rows)} more")
        if not found:
            self.stdout.write(f"{checks} checks found nothing.")
