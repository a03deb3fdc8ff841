"""A study that declares all that there is about people is exported, and imports again with the same bytes."""

import json

import pytest

from annotation.dry_run_option import DRY_RUN
from annotation.studies import pace_plan
from annotation.studies.file_sections import recruiting_sections, study_sections
from annotation.studies.lifecycle import make_live
from annotation.studies.planning import plan_chunk
from files.reading import import_study
from files.writing import export_study
from parts.checks import settings as check_settings
from parts.crowds import link_settings, recruiter_settings
from parts.mail import reminder_section
from parts.routing import plan as routing_plan
from parts.second_stage import settings as stage_settings
from parts.stopping import plan_spec
from parts.way_in.entry_step import step_kinds
from parts.way_in.personal_questions import QUESTION_KEYS
from parts.way_in.step_kinds.qualification import RULE_KEYS

pytestmark = pytest.mark.quick
CHOICES = {"key": "country", "text": "Country?", "help": "Where you live.", "choices": ["DE", "AT", "CH"]}
STEPS = [
    {"key": "consent", "kind": "consent", "title": "Consent", "text": "We ask *you*.\n\nRead it.", "privacy": "Little.",
     "retention": "Ten years: “backups” for 30 days.", "on_withdrawal": "keep"},
    {"key": "screen", "kind": "screen", "intro": "First.", "questions": [
        CHOICES | {"fits": ["DE", "AT"]}, {"key": "degree", "text": "D?", "choices": ["none", "BA"], "at_least": "BA"},
        {"key": "years", "text": "Years?", "number": True, "least": 1, "most": 60}]},
    {"key": "about", "kind": "questionnaire", "intro": "Then.", "questions": [
        {"key": "fields", "text": "Fields?", "choices": ["law", "no", "1"], "multiple": True}]},
    {"key": "train", "kind": "training", "intro": "Learn.", "items": 2, "sample": 1, "rounds": 2},
    {"key": "test", "kind": "qualification", "intro": "Show.", "items": 2, "sample": 2, "attempts": 3,
     "cooldown_hours": 24, "since_guidelines": 1, "rules": [
         {"question": "good", "least": 2}, {"question": "well", "within": 1, "least": 1},
         {"question": "well", "alpha": 0.5}]},
    {"key": "pilot", "kind": "pilot", "intro": "Try.", "items": 1, "pool": "training", "payment": "2 euros"},
]  # fmt: skip
CHECKS = {
    "first": 5, "gold": {"share": 0.1}, "repeats": {"share": 0.05, "after": 4},
    "twins": {"share": 0.1, "after": 12, "damage": ["shuffle", "cut"], "questions": ["well"],
              "lower_is_better": ["well"]},
    "tolerance": {"well": 1}, "rules": [{"figure": "gold", "below": 0.6, "of": 5, "do": "pause"},
                                        {"figure": "twins", "below": 0.5, "of": 8, "do": "ask"},
                                        {"figure": "in_a_row", "above": 15, "of": 20, "do": "ask"}],
}  # fmt: skip
SHARED = {
    "intro": "Read texts.", "parameters": {"participant": "pid", "study": "st", "session": "se"}, "study_ids": ["s1"],
    "codes": {"complete": "C1", "failed": "F1", "withdrawn": "W1"}, "minutes": 90,
    "least": 3, "pay": {"complete": 2.5, "failed": 0.1}, "per_hour": 12, "currency": "EUR",
}  # fmt: skip
TOKEN = {"parameter": "t", "audience": "https://here.example",
         "keys": [{"kty": "RSA", "kid": "a", "n": "AQ", "e": "AQAB"}]}  # fmt: skip
OWN = {**SHARED, "codes": {"failed": "F1"}, "own_codes": ["complete"]}
RECRUITERS = {
    "prolific": {"profile": "prolific", **SHARED, "token": TOKEN},
    "generic": {"profile": "generic", "name": "Panel", **OWN, "return": "https://panel.example/?c={code}",
                "signature": {"parameter": "sig", "number": 2}},
}  # fmt: skip
ATTENTION = {"text": "Take b.", "question": "Which?", "choices": ["a", "b", "c"], "answer": "b"}
LINK = {"people": 30, "open": False, "intro": "Join us.", "minutes": 45, "attention": [ATTENTION]}
SOURCE = {"step": "screen", "question": "country"}
SECTIONS = {
    "stopping": {"looks": [20, 40], "alpha": 0.05, "correction": "pocock",
                 "third_rater": {"questions": ["well"], "more_than": 1},
                 "rules": [{"figure": "score", "question": "well", "until": "width", "width": 1.0}]},
    "routing": {"topics": {"names": ["law", "music"], "mode": "prefer", "choose": True, "most": 5}, "most_share": 0.5,
                "groups": [{**SOURCE, "quotas": {"DE": {"most": 9, "least": 2, "raters": 4}}}],
                "each_task": {**SOURCE, "seats": {"AT": 1}}},
    "pace": {"minutes_per_task": 2.5, "pay_per_task": 0.5, "floor_per_hour": 9, "currency": "EUR",
             "step_minutes": 12.5, "break_after_minutes": 50, "break_minutes": 10},
    "mail": {"remind_after_days": 3, "remind_at_most": 2},
    "adjudication": {"by": "annotators", "raters": ["rater-abcdefgh"]},
}  # fmt: skip


def whole_study(profile):
    return {
        "slug": "whole", "title": "All of it", "protocol": "rating", "redundancy": 2, "guidelines": "Read.",
        "questions": [{"key": "good", "type": "binary", "text": "Good?"},
                      {"key": "well", "type": "likert", "min": 1, "max": 5, "text": "How well?"}],
        "options": {"seed": 5},
        "recruiting": {"steps": STEPS, "checks": CHECKS, "recruiter": RECRUITERS[profile], "public_link": LINK,
                       "on_withdrawal": "erase", "guest_tokens": True},
        **SECTIONS,
    }  # fmt: skip


def lines():
    for number in range(12):
        yield {"id": f"i{number:02}", "document": "It sails at nine. It returns at noon.", "category": ["law"],
               "outputs": [{"id": "north", "text": "At nine. It returns."}]}  # fmt: skip
    for pool in ("training", "qualification", "attention"):
        for number in range(3):
            yield {"id": f"{pool}-{number}", "document": "Nine.", "pool": pool, "gold": {"good": True, "well": 5},
                   "feedback": "It says so.", "outputs": [{"id": "north", "text": "Nine."}]}  # fmt: skip


def keys_of(model):
    return {field.alias or name for name, field in model.model_fields.items()}


def imported(folder, owner):
    study = import_study(folder, owner=owner).study
    while plan_chunk(study):
        pass
    study.refresh_from_db()
    return study


def test_the_study_of_these_tests_declares_every_key():
    used = {one["kind"]: set() for one in STEPS}
    for step in STEPS:
        used[step["kind"]] |= set(step) - {"key", "kind", "title"}
    own_tasks = {"pilot": {"tasks"}}  # of protocols with pages of their own
    assert used == {key: set(kind.spec_keys) - own_tasks.get(key, set()) for key, kind in step_kinds().items()}
    assert {key for step in STEPS for one in step.get("questions", ()) for key in one} >= QUESTION_KEYS
    assert {key for rule in STEPS[4]["rules"] for key in rule} == set(RULE_KEYS) - {"found"}  # of marked spans
    assert set(CHECKS) == set(check_settings.CheckSettings.model_fields)
    assert {kind: set(CHECKS[kind]) for kind in check_settings.MODELS} == {
        kind: set(model.model_fields) for kind, model in check_settings.MODELS.items()
    }
    assert set(LINK) == set(link_settings.KEYS)
    assert {profile: set(body) for profile, body in RECRUITERS.items()} == {
        profile: set(keys) for profile, keys in recruiter_settings.KEYS_OF.items()
    }
    assert set(whole_study("prolific")["recruiting"]) == set(recruiting_sections())
    assert set(SECTIONS) == set(study_sections()) - {DRY_RUN}


def test_the_sections_of_these_tests_declare_every_key_within_them():
    stopping, routing = SECTIONS["stopping"], SECTIONS["routing"]
    [group], each = routing["groups"], routing["each_task"]
    source = set(routing_plan.AnswerSource.model_fields)
    declared = {
        "checks: rules": ({key for rule in CHECKS["rules"] for key in rule}, check_settings.CheckRule.model_fields),
        "recruiter: signature": (set(RECRUITERS["generic"]["signature"]), ("parameter", "number")),
        "recruiter: token": (set(TOKEN), ("parameter", "audience", "keys")),
        "stopping": (set(stopping), plan_spec.KEYS),
        "stopping: rules": ({key for rule in stopping["rules"] for key in rule}, plan_spec.RULE_KEYS),
        "stopping: third_rater": (set(stopping["third_rater"]), plan_spec.THIRD_KEYS),
        "routing": (set(routing), keys_of(routing_plan.RoutingSpec)),
        "routing: topics": (
            {"from"} | set(routing["topics"]),
            keys_of(routing_plan.TopicRule),
        ),  # it is another way to choose
        "routing: groups": (set(group), keys_of(routing_plan.GroupRule)),
        "routing: quotas": (
            {key for one in group["quotas"].values() for key in one},
            keys_of(routing_plan.QuotaLimits),
        ),
        "routing: each_task": (set(each), keys_of(routing_plan.SeatRule)),
        "routing: sources": (set(SOURCE), source),
        "pace": (set(SECTIONS["pace"]), pace_plan.StatedPace.model_fields),
        "mail": (set(SECTIONS["mail"]), reminder_section.ReminderSettings.model_fields),
        "adjudication": (set(SECTIONS["adjudication"]), (stage_settings.BY, stage_settings.RATERS)),
    }
    wrong = {section: used ^ set(known) for section, (used, known) in declared.items() if used != set(known)}
    assert wrong == {}
    assert set(declared) >= set(SECTIONS)


@pytest.mark.parametrize("profile", list(RECRUITERS))
def test_all_sections_are_exported_and_imported_with_the_same_bytes(tmp_path, owner, profile):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "study.json").write_text(json.dumps(whole_study(profile)))
    (tmp_path / "files" / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines()))
    study = imported(tmp_path / "files", owner)
    make_live(study, owner)
    export_study(study, tmp_path / "one")
    path = tmp_path / "one" / "study.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("slug: whole", "slug: again"), encoding="utf-8")
    again = imported(tmp_path / "one", owner)
    assert again.recruiting == study.recruiting == whole_study(profile)["recruiting"]
    assert {key: again.options.get(key) for key in SECTIONS} == SECTIONS
    export_study(again, tmp_path / "two")
    for name in ("study.yaml", "items.jsonl"):
        assert (tmp_path / "two" / name).read_bytes() == (tmp_path / "one" / name).read_bytes()
