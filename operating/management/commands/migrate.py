"""`python manage.py migrate`, which first makes a backup if the database has data and a migration is waiting."""

from typing import Any

from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import CommandError, CommandParser
from django.core.management.commands.migrate import Command as DjangoMigrate
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from operating.backup_format import BackupRefusedError
from operating.making_backups import backup_before_migration
from operating.stored_tables import applied, first_filled, tables_of

UNCHANGED = (
    "The migration failed and changed nothing: the version that ran before still starts. {backup}Report the message."
)
BETWEEN = (
    "The migration failed after {count} of its steps, so the database is between two versions and nothing starts on "
    "it. {backup}To go back, restore that backup with the earlier version into an empty database "
    "(docs/operating.md, Going back)."
)


class Command(DjangoMigrate):
    help = f"{DjangoMigrate.help} Makes a backup first if the database has data (BACKUP_BEFORE_MIGRATE)."
    requires_system_checks = [Tags.database]  # the others load every page, and a start would wait for them

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--without-backup", action="store_true", help="make no backup first")

    def handle(self, *args: Any, **options: Any) -> None:
        before = set(applied(MigrationLoader(connection))) if self._changes_data(options) else None
        if before is None:
            super().handle(*args, **options)
            return
        backup = self._backup(options, before)
        finished = False
        try:
            super().handle(*args, **options)
            finished = True
        finally:
            if not finished and before:
                self._explain(before, backup)

    def _changes_data(self, options: dict[str, Any]) -> bool:
        """Whether a migration is waiting, on the installation's own database."""
        if options["database"] != DEFAULT_DB_ALIAS or options["plan"] or options["check_unapplied"]:
            return False
        executor = MigrationExecutor(connection)
        return bool(options["app_label"] or executor.migration_plan(executor.loader.graph.leaf_nodes()))

    def _backup(self, options: dict[str, Any], before: set[tuple[str, str]]) -> str:
        """Make the backup if there is anything to lose; return a sentence that names it."""
        if options["without_backup"] or not settings.BACKUP_BEFORE_MIGRATE:
            return ""
        if first_filled(tables_of(MigrationLoader(connection), before).values()) is None:
            return ""
        try:
            path = backup_before_migration()
        except BackupRefusedError as problem:
            raise CommandError(
                f"{problem} Nothing was migrated, because no backup could be made first. "
                "BACKUP_BEFORE_MIGRATE=false migrates without one."
            ) from problem
        self.stdout.write(f"Made a backup before the migration: {path}")
        return f"A backup from before it is {path}. "

    def _explain(self, before: set[tuple[str, str]], backup: str) -> None:
        count = len(set(applied(MigrationLoader(connection))) - before)
        sentence = BETWEEN if count else UNCHANGED
        self.stderr.write(sentence.format(count=count, backup=backup))
