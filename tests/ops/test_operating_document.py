"""docs/operating.md suffices: each way of running has its commands and its restore, and all that it names exists."""

import re
from importlib.util import find_spec

import pytest
from django.core.management import get_commands, load_command_class

from config.readiness import OWN_CHECKS
from tests.house import ROOT

TEXT = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
WAYS = {
    "make run": ".venv/bin/python manage.py COMMAND",
    "make stack": "settings.sh",
    "Docker": "docker compose run --rm --no-deps -T backup python manage.py COMMAND",
    "systemd": "/opt/interrater/deploy/systemd/manage.sh COMMAND",
    "Kubernetes": "kubectl -n interrater exec deploy/web -- python manage.py COMMAND",
}
RECIPES = {
    "make run": ("secret_key", ".venv/bin/python manage.py restore", "endpoints.yaml", "make run", "checkdata"),
    "make stack": (
        "OLD/secrets/secret_key /srv/new/secrets", "keys.env", "OLD/var/endpoints.yaml /srv/new/var", "RESTORE=",
        "make stack", "checkdata",
    ),
    "Docker": (
        "make env", "> secrets/secret_key", "compose build", "up -d --wait postgres redis", "> /backups/old.zip",
        "backup python manage.py restore", "endpoints.yaml", "up -d --wait\n", "backup python manage.py checkdata",
    ),
    "systemd": ("manage.sh restore", "endpoints.yaml", "enable --now interrater.target", "manage.sh checkdata"),
    "Kubernetes": (
        "make env", "> secrets/secret_key", "create secret", "/mine", "- ../restoring", "apply -k",
        "> /backups/old.zip", "job/restore -- python manage.py restore", "endpoints.yaml", "delete job restore",
        "apply -k", "deploy/web -- python manage.py checkdata",
    ),
}  # fmt: skip
"""What each restore has, in this order."""


def pieces() -> list[str]:
    """The lines of code and the marked words of the document, each with its comment left out."""
    lines = [line.strip() for line in TEXT.splitlines() if line.startswith("    ")]
    return [re.sub(r"\s+# .*", "", piece) for piece in [*lines, *re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", TEXT)]]


def commands() -> list[tuple[str, list[str]]]:
    """The commands of manage.py that the document names, each with its options."""
    known, found = get_commands(), []
    for piece in pieces():
        named = re.findall(r"(?:manage\.py|manage\.sh|^…)\s+(?!COMMAND\b|python\b)([a-z_]+)((?: [^|&;]+)?)", piece)
        if not named and piece.split()[0] in known and " " in piece:
            named = [tuple(piece.split(maxsplit=1))]
        found += [(name, re.findall(r"(?<!\S)--[a-z-]+", rest)) for name, rest in named]
    return found


def part(title: str) -> str:
    return re.search(rf"^##+ {title}\n(.*?)(?=^##+ |\Z)", TEXT, re.MULTILINE | re.DOTALL)[1]


@pytest.mark.parametrize("way", WAYS)
def test_there_is_a_form_of_commands_for_each_way_of_running(way):
    rows = dict(re.findall(r"^\| `?([^`|]+?)`? \| (.+) \|$", part("Running a command"), re.MULTILINE))
    assert WAYS[way] in rows[way]


@pytest.mark.parametrize("way", RECIPES)
def test_there_is_a_restore_for_each_way_of_running(way):
    head = f"`{way}`" if way.startswith("make") else way
    recipe = part("Restoring").split(f"**{head}**")[1].split("\n**")[0]
    lines = "\n".join(line for line in recipe.splitlines() if line.startswith("    ")) + "\n"
    for sign in RECIPES[way]:
        assert sign in lines
        lines = lines.partition(sign)[2]


def test_every_command_and_option_that_is_named_exists():
    known, missing = get_commands(), []
    named = commands()
    assert {"backup", "restore", "checkdata", "canonical_export", "createsuperuser"} <= dict(named).keys()
    assert ("archive_audit", ["--study", "--keep"]) in named
    for name, options in named:
        if name not in known:
            missing.append(name)
            continue
        command = load_command_class(known[name], name) if isinstance(known[name], str) else known[name]
        given = command.create_parser("manage.py", name)._option_string_actions
        missing += [f"{name} {option}" for option in options if option not in given]
    assert missing == []


def test_every_script_and_module_that_is_named_exists():
    text = "\n".join(pieces())
    scripts = set(re.findall(r"(?<![\w.-])deploy/[\w./-]*\w", text))
    assert {"deploy/update.sh", "deploy/go_back.sh", "deploy/systemd/manage.sh"} <= scripts
    own_copy = {"deploy/kubernetes/mine", "deploy/web"}  # what the reader makes; an object of Kubernetes
    assert {name for name in scripts - own_copy if not any(ROOT.glob(f"{name}*"))} == set()
    modules = set(re.findall(r"python3? -m ([\w.]+)", text))
    assert {"config.worker", "scripts.virtual_environment", "tests.operating.drill"} <= modules
    assert {name for name in modules if find_spec(name) is None} == set()


def test_an_update_with_systemd_installs_its_units_before_the_restart():
    lines = "\n".join(line for line in part("Updating and going back").splitlines() if line.startswith("    "))
    steps = ["git pull", "scripts.virtual_environment base", "cp deploy/systemd/interrater*", "daemon-reload",
             "systemctl restart interrater.target"]  # fmt: skip
    places = [lines.find(step) for step in steps]
    assert -1 not in places
    assert places == sorted(places)


def test_every_alert_and_every_part_says_what_to_do():
    alerts = re.findall(r"- alert: (\w+)", (ROOT / "deploy/prometheus/alerts.yml").read_text(encoding="utf-8"))
    rows = re.findall(r"^\| (`.+?) \| \S", part("When an alert fires"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {*alerts, *OWN_CHECKS, "database", "backup"}


def test_the_table_of_what_is_stored_names_every_folder_and_file():
    told = set(re.findall(r"`([\w.]+?)/?`", part("Where data is stored")))
    used = set()
    for app in ("accounts", "annotation", "config", "judges", "llm", "managing", "operating", "reports", "retrieval"):
        for file in (ROOT / app).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            for name in re.findall(r"\bVAR\)? / (\"[\w.]+\"|[A-Z]+)", text):
                used.add(name.strip('"') if name[0] == '"' else re.search(rf'^{name} = "(.+)"', text, re.MULTILINE)[1])
    assert {"metrics", "restoring.json", "uploads", "models", "last_backup.json"} <= used
    assert used - told == set()
