"""A registered plan, for tests that open every page and use every model."""

import hashlib

from django.utils import timezone

from config.model_fields import canonical_json
from config.software_version import SOFTWARE_VERSION
from config.text_validation import time_text
from parts.preregistration.models import Preregistration
from parts.preregistration.plan_facts import plan_facts
from parts.preregistration.registered_plans import PLAN_SCHEMA


def add_plan(study, **more):
    """A registered plan; `more` replaces its fields."""
    now = timezone.now()
    words = {"figures": [], "other_figures": "", "stop_rules": "After 3 raters per task.", "hypotheses": ""}
    about = {"schema": PLAN_SCHEMA, "study": study.slug, "title": study.title, "number": 1,
             "registered_at": time_text(now), "software": SOFTWARE_VERSION}  # fmt: skip
    body = canonical_json({**about, **plan_facts(study), **words})
    fields = {
        "number": 1, "status": "done", "body": body, "sha256": hashlib.sha256(body.encode()).hexdigest(),
        "registered_at": now, "ended_at": now,
    }  # fmt: skip
    return Preregistration.objects.create(study=study, **{**fields, **more})
