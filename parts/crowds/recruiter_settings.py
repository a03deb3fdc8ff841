"""The recruiter that a study file declares: `recruiting: recruiter:`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from django.utils.translation import gettext

from annotation.models import Study
from files.import_problems import FieldInvalidError
from parts.crowds.checked_values import (
    checked_list,
    checked_mapping,
    checked_minutes,
    checked_number,
    checked_text,
    matching,
)
from parts.crowds.models import OUTCOMES

RECRUITER = "recruiter"
PROLIFIC, GENERIC = "prolific", "generic"
PARTS = ("participant", "study", "session")
"""What a link says of a person: who, in which study of the recruiter, and in which submission."""
PROLIFIC_PARAMETERS = {"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"}
GENERIC_PARAMETERS = {"participant": "id"}
PROLIFIC_RETURN = "https://app.prolific.com/submissions/complete?cc={code}"
PROLIFIC_TOKEN = "prolific_token"  # noqa: S105 - the name of a parameter
COMMON = ("profile", "intro", "parameters", "study_ids", "codes", "minutes", "least", "pay", "per_hour", "currency")
KEYS_OF: Mapping[str, Sequence[str]] = {
    PROLIFIC: (*COMMON, "token"), GENERIC: (*COMMON, "name", "own_codes", "return", "signature"),
}  # fmt: skip
PARAMETER = re.compile("[A-Za-z][A-Za-z0-9_-]{0,59}")
CODE = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
GIVEN_ID = re.compile("[A-Za-z0-9][A-Za-z0-9._:@-]{0,99}")
"""An id as recruiters give them: nothing that a spreadsheet would take for a formula."""
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
PLACEHOLDERS = ("code", "outcome", *PARTS)
LONGEST_INTRO, LONGEST_NAME, LONGEST_RETURN, LONGEST_CURRENCY = 5000, 100, 1000, 8
MOST_IDS, MOST_KEYS, MOST_PAY, MOST_LEAST = 100, 20, 10_000, 100_000
KEY_PARTS = ("kty", "kid", "n", "e")


@dataclass(frozen=True)
class Recruiter:
    """What a study says of its recruiter."""

    body: Mapping[str, Any]

    @property
    def is_prolific(self) -> bool:
        return self.body["profile"] == PROLIFIC

    @property
    def name(self) -> str:
        return "Prolific" if self.is_prolific else self.body.get("name") or gettext("the recruiter")

    @property
    def parameters(self) -> Mapping[str, str]:
        """The name of the parameter of each of PARTS that a link has."""
        return self.body.get("parameters") or (PROLIFIC_PARAMETERS if self.is_prolific else GENERIC_PARAMETERS)

    @property
    def return_template(self) -> str:
        return PROLIFIC_RETURN if self.is_prolific else self.body.get("return", "")

    def fixed_code(self, outcome: str) -> str:
        return str(self.body.get("codes", {}).get(outcome, ""))

    def has_own_codes(self, outcome: str) -> bool:
        """Whether each person gets a code of their own for this outcome."""
        return outcome in self.body.get("own_codes", ())

    def return_address(self, code: str, outcome: str, ids: Mapping[str, str]) -> str:
        """The address that takes a person back, or "" if there is none or it needs a code that the outcome lacks."""
        template = self.return_template
        if not template or ("{code}" in template and not code):
            return ""
        known = {"code": code, "outcome": outcome, **ids}
        return PLACEHOLDER.sub(lambda found: quote(known.get(found[1], ""), safe=""), template)


def recruiter_of(study: Study) -> Recruiter | None:
    """Return the recruiter that the study declares, or None."""
    body = study.recruiting.get(RECRUITER)
    return Recruiter(body) if body else None


def checked_recruiter(value: Any, field: str) -> Mapping[str, Any]:
    """Return the settings of a recruiter. Raises FieldInvalidError."""
    profile = value.get("profile") if isinstance(value, dict) else None
    if not isinstance(profile, str) or profile not in KEYS_OF:
        raise FieldInvalidError(f"{field}.profile", f"must be {PROLIFIC} or {GENERIC}")
    body = checked_mapping(value, field, KEYS_OF[profile])
    checked_text(body, "intro", field, LONGEST_INTRO)
    checked_text(body, "name", field, LONGEST_NAME)
    checked_text(body, "currency", field, LONGEST_CURRENCY)
    _check_parameters(body, field)
    for number, one in enumerate(checked_list(body, "study_ids", field, MOST_IDS)):
        matching(one, GIVEN_ID, f"{field}.study_ids.{number}")
    _check_codes(body, field, profile)
    checked_minutes(body, field)
    if "least" in body and (type(body["least"]) is not int or not 1 <= body["least"] <= MOST_LEAST):
        raise FieldInvalidError(f"{field}.least", f"must be a whole number from 1 to {MOST_LEAST}")
    checked_number(body, "per_hour", field, MOST_PAY)
    pay = checked_mapping(body.get("pay", {}), f"{field}.pay", OUTCOMES)
    for outcome in pay:
        checked_number(pay, outcome, f"{field}.pay", MOST_PAY)
    if "return" in body:
        check_return(body["return"], f"{field}.return")
    _check_signature(body, field)
    _check_token(body, field)
    return body


def check_return(template: Any, field: str) -> None:
    """Raise FieldInvalidError unless `template` always leads to the one site that it names, over HTTP."""
    if not isinstance(template, str) or not 1 <= len(template) <= LONGEST_RETURN:
        raise FieldInvalidError(field, f"must be an address of at most {LONGEST_RETURN} characters")
    if not template.isascii() or not template.isprintable() or " " in template or "\\" in template:
        raise FieldInvalidError(field, "must be an address in plain letters, without spaces")
    try:
        parts = urlsplit(template)
        host = parts.hostname
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https") or "@" in parts.netloc or "{" in parts.netloc:
        raise FieldInvalidError(field, "must begin with https:// or http:// and the name of a site")
    for name in PLACEHOLDER.findall(template):
        if name not in PLACEHOLDERS:
            known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
            raise FieldInvalidError(field, f"has the unknown placeholder {{{name}}}; known are {known}")


def _check_parameters(body: Mapping[str, Any], field: str) -> None:
    here = f"{field}.parameters"
    names = checked_mapping(body.get("parameters", {}), here, PARTS)
    for part, name in names.items():
        matching(name, PARAMETER, f"{here}.{part}")
    if names and "participant" not in names:
        raise FieldInvalidError(here, "must name the parameter of the participant")
    if len(set(names.values())) < len(names):
        raise FieldInvalidError(here, "must have a different name for each part")


def _check_codes(body: Mapping[str, Any], field: str, profile: str) -> None:
    codes = checked_mapping(body.get("codes", {}), f"{field}.codes", OUTCOMES)
    for outcome, code in codes.items():
        matching(code, CODE, f"{field}.codes.{outcome}")
    if profile == PROLIFIC and "complete" not in codes:
        raise FieldInvalidError(f"{field}.codes", "must have a code for the outcome complete")
    for outcome in checked_list(body, "own_codes", field, len(OUTCOMES)):
        if outcome not in OUTCOMES or outcome in codes:
            known = ", ".join(OUTCOMES)
            raise FieldInvalidError(f"{field}.own_codes", f"must name outcomes without a fixed code, of {known}")


def _check_signature(body: Mapping[str, Any], field: str) -> None:
    if "signature" in body:
        here = f"{field}.signature"
        given = checked_mapping(body["signature"], here, ("parameter", "number"))
        matching(given.get("parameter"), PARAMETER, f"{here}.parameter")
        if type(given.get("number", 1)) is not int or not 1 <= given.get("number", 1) <= MOST_PAY:
            raise FieldInvalidError(f"{here}.number", f"must be a whole number from 1 to {MOST_PAY}")


def _check_token(body: Mapping[str, Any], field: str) -> None:
    if "token" not in body:
        return
    here = f"{field}.token"
    given = checked_mapping(body["token"], here, ("parameter", "audience", "keys"))
    matching(given.get("parameter", PROLIFIC_TOKEN), PARAMETER, f"{here}.parameter")
    if "audience" not in given:
        raise FieldInvalidError(f"{here}.audience", "must be given")
    checked_text(given, "audience", here, LONGEST_RETURN)
    keys = checked_list(given, "keys", here, MOST_KEYS)
    if not keys:
        raise FieldInvalidError(f"{here}.keys", "must have at least one key")
    for number, key in enumerate(keys):
        place = f"{here}.keys.{number}"
        if not isinstance(key, dict) or not all(isinstance(key.get(one), str) and key[one] for one in KEY_PARTS):
            raise FieldInvalidError(place, f"must be a public key with {', '.join(KEY_PARTS)}")
        if key["kty"] != "RSA" or "d" in key:
            raise FieldInvalidError(place, "must be a public RSA key")
