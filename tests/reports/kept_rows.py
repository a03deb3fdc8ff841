"""Rows of kept reports, for tests that open every page and use every model."""

import hashlib
import json

from django.utils import timezone

from reports.kept.kept_exports import place_of
from reports.kept.kept_reports import digest_of
from reports.models import KeptExport, KeptReport
from reports.report_kinds.meta_evaluation import comparison_choices

FROZEN = "0123456789abcdef"
TABLE = "risum_5"


def add_kept_report(study, **more):
    """A finished report of the study; `more` replaces its fields."""
    now = timezone.now()
    fields = {
        "kind": "agreement", "choices": {"raters": ["CANARY-NAME"]}, "digest": "d", "state": "s", "status": "done",
        "figures": '{"CANARY-KEY": 1}', "read_at": now, "ended_at": now,
    }  # fmt: skip
    return KeptReport.objects.create(study=study, **{**fields, **more})


def add_meta_evaluations(study):
    """A meta-evaluation with nothing but an empty table, TABLE, once as it is kept and once as FROZEN."""
    choices = comparison_choices()
    table = {"title": "Best", "source": "riSum", "rows_are": "Judge", "columns": [], "rows": [], "notes": []}
    figures = {
        "study": study.slug, "protocol": study.protocol, "software": "0.1.0", "items": 0, "kinds": choices["kinds"],
        "raters": [], "people": [], "panel": [], "guidelines": {}, "replicates": 1, "beyond_papers": {"epsilon": 0.2},
        "questions": {}, "across": [], "tables": {TABLE: table},
    }  # fmt: skip
    shared = {"kind": "meta_evaluation", "choices": choices, "digest": digest_of(study, choices)}
    for key in (None, FROZEN):
        add_kept_report(study, **shared, figures=json.dumps(figures), frozen_as=key)


def add_kept_export(study, **more):
    """A finished export with a file; `more` replaces its fields."""
    now = timezone.now()
    fields = {
        "form": "csv", "state": "s", "status": "done", "has_file": True, "size": 4,
        "sha256": hashlib.sha256(b"PK..").hexdigest(),
        "contents": [{"name": "items.csv", "bytes": 4, "sha256": "1" * 64}], "read_at": now, "ended_at": now,
    }  # fmt: skip
    row = KeptExport.objects.create(study=study, **{**fields, **more})
    place_of(row).parent.mkdir(parents=True, exist_ok=True)
    place_of(row).write_bytes(b"PK..")
    return row
