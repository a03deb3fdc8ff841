"""Script modules import each other by the names under which they are served."""

import re
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

IMPORT = re.compile(r'from "(\./[^"]+)"')
HASHED = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedStaticFiles"},
}


def test_every_import_of_a_collected_script_leads_to_a_hashed_file(tmp_path):
    with override_settings(STATIC_ROOT=tmp_path, STORAGES=HASHED):
        call_command("collectstatic", interactive=False, verbosity=0)
    scripts = list((tmp_path / "js").rglob("*.js"))
    imports = [(script, name) for script in scripts for name in IMPORT.findall(script.read_text(encoding="utf-8"))]
    assert len(imports) > 10
    assert [name for script, name in imports if not (script.parent / name).is_file()] == []
    assert all(re.search(r"\.[0-9a-f]{12}\.js$", name) for _, name in imports)


def test_no_script_or_template_is_longer_than_150_lines():
    root = Path(settings.BASE_DIR)
    files = [*(root / "static" / "js").rglob("*.js"), *(root / "templates").rglob("*.html")]
    assert {
        file.name: count for file in files if (count := len(file.read_text(encoding="utf-8").splitlines())) > 150
    } == {}
