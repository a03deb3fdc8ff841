"""The newest part of a study's audit, read as far as it goes back and no further."""

from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from accounts.models import AuditEntry


def entries_since(study: str, moment: datetime) -> QuerySet[AuditEntry]:
    """The entries after `moment` of the study with this slug, read by the index of study and time.

    SQLite begins reading at `moment` only if the study is compared with a value; with a range it reads all the study's
    entries. PostgreSQL begins there with a range, too; with a value it may read the entries of all other studies.
    """
    entries = AuditEntry.objects.filter(at__gt=moment)
    if connection.vendor == "sqlite":
        return entries.filter(study=study)
    return entries.filter(study__gte=study, study__lte=study)
