"""All research data as sorted lines with one digest: equal digests mean equal data, whatever the kind of database.

Each line is a JSON object: the table, and the row by its columns. Left out is what concerns only this installation:
browser sessions, sign-in links, second factors, counts of wrong passwords, workers, what Django keeps for itself, and
what parts name.
"""

import hashlib
import json
from collections.abc import Iterator

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.parts import parts
from operating.stored_tables import applied, tables_of

OF_THE_INSTALLATION = frozenset({
    "accounts_browsersession", "accounts_knownaddress", "accounts_secondfactor", "accounts_signinlink",
    "accounts_wrongtrycount", "auth_permission", "config_worker", "django_admin_log", "django_content_type",
})  # fmt: skip


def canonical_lines() -> Iterator[bytes]:
    """Yield the lines, by table and primary key. Call it in a snapshot if others write."""
    loader = MigrationLoader(connection)
    left_out = OF_THE_INSTALLATION.union(*(part.tables_of_the_installation for part in parts()))
    for name, table in tables_of(loader, applied(loader)).items():
        if name in left_out:
            continue
        columns = list(table.columns)
        for line in table.lines():
            row = dict(zip(columns, json.loads(line), strict=True))
            yield json.dumps({"table": name, "row": row}, ensure_ascii=False, sort_keys=True).encode() + b"\n"


def canonical_digest() -> tuple[int, str]:
    """The number of lines, and the SHA-256 of all of them."""
    digest, count = hashlib.sha256(), 0
    for line in canonical_lines():
        digest.update(line)
        count += 1
    return count, digest.hexdigest()
