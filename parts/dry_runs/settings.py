"""The section `dry_run`, by which a study is known as a dry run wherever it goes, also through files."""

from collections.abc import Mapping
from typing import Annotated

from config.strict_models import SettingsModel, must_be

OF = "of"


class DryRunMark(SettingsModel):
    """Of which study this is a dry run."""

    of: Annotated[str, must_be("the slug of the study that was copied")]


def mark_of(slug: str) -> Mapping[str, str]:
    """The section of a copy of the study called `slug`."""
    return {OF: slug}
