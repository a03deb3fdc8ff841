"""A version with more migrations of one app than this one: for tests and benchmarks of updates."""

from collections.abc import Mapping
from pathlib import Path

from django.apps import apps

PACKAGE = """
from {package} import migrations
__path__ += migrations.__path__
"""
SETTINGS = """
from config.settings import *
MIGRATION_MODULES = {{"{app}": "later.migrations"}}
"""


def write_later_version(folder: Path, app: str, migrations: Mapping[str, str]) -> str:
    """Write settings with these migrations, by their names, beside those that the app has; return their module.

    `folder` must be in the path of Python.
    """
    package = folder / "later" / "migrations"
    package.mkdir(parents=True, exist_ok=True)
    for old in package.glob("*.py"):
        old.unlink()
    (package.parent / "__init__.py").write_text("")
    (package / "__init__.py").write_text(PACKAGE.format(package=apps.get_app_config(app).name))
    for name, text in migrations.items():
        (package / f"{name}.py").write_text(text)
    (folder / "later_settings.py").write_text(SETTINGS.format(app=app))
    return "later_settings"
