"""How PostgreSQL plans what the site asks it."""

import pytest
from django.db import connection

pytestmark = pytest.mark.both


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="settings of PostgreSQL")
def test_statements_are_planned_once_for_disks_that_do_not_seek_and_not_compiled():
    found = {}
    with connection.cursor() as cursor:
        for name in ("plan_cache_mode", "random_page_cost", "jit"):
            cursor.execute(f"SHOW {name}")
            found[name] = cursor.fetchone()[0]
    assert found == {"plan_cache_mode": "force_generic_plan", "random_page_cost": "1.1", "jit": "off"}
