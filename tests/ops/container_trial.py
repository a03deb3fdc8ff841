"""The containers of docker-compose.yml, built and run by a Docker engine: the operator's recipes, step by step.

    python -m tests.ops.container_trial [--folder FOLDER]

Clones this repository and follows docs/operating.md in a compose project of its own, which it deletes at the end: the
containers start, their limits are looked at from the inside, people answer through the proxy, processes are killed,
everything is taken down and started again, updated to a later version, taken back, restored into new volumes from a
backup, and served by HTTPS. The canonical export is compared after everything but HTTPS. Images that
`python -m tests.ops.substitute_images` has made are used if the official ones are not there. The program needs root
and an engine on this machine, because it kills what containers run. It ends with code 1 at the first step that does not
hold, with the containers' logs in the folder if one is named.
"""

import argparse
import http.client
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scripts import compose
from tests.house import ROOT
from tests.load.raters import OVER
from tests.operating.drill import LATER, PASSWORD, RATERS, REDUNDANCY, Drill, check
from tests.ops.conftest import below, clean_environment, free_port
from tests.ops.substitute_images import has_official_images, substitutes, uses_substitutes
from tests.ops.test_image_update import PROBES

LONGEST = 180.0
PROJECT = "interrater-trial"
MANY = 400
"""Tasks that annotators answer while processes are killed."""
SERVICES = ("backup", "postgres", "proxy", "redis", "web", "workers")
INSIDE = 'id -u; grep -E "^(CapBnd|NoNewPrivs):" /proc/1/status | tr -d "[:space:]"'
NO_RIGHTS = "CapBnd:0000000000000000NoNewPrivs:1"
OURS = re.compile(r"image: interrater:\S+")
TOOLS = ("docker", "git", "make", "openssl")


def what_is_missing() -> str:
    """Say what a trial needs and this machine lacks: root, an engine, tools, or images; "" if nothing."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "root on Linux"
    if missing := [name for name in TOOLS if shutil.which(name) is None]:
        return " and ".join(missing)
    try:
        for words in (("version",), ("compose", "version")):
            subprocess.run(["docker", *words], capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return "a Docker engine with compose"
    if has_official_images() or uses_substitutes():
        return ""
    return "images: docker compose pull, or python -m tests.ops.substitute_images"


@dataclass
class Trial(Drill):
    """A clone whose containers have a project, volumes and an image of their own."""

    settings: dict[str, str] = field(default_factory=dict)
    """The environment of every command: nothing of the operator's shell that compose would read."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.project = f"{PROJECT}-{os.getpid()}"
        read = {found["name"] for found in compose.VALUE.finditer(compose.FILE.read_text(encoding="utf-8"))}
        self.settings = {
            name: value
            for name, value in clean_environment().items()
            if name not in read and not name.startswith("COMPOSE_")
        }
        self.settings |= {"COMPOSE_PROJECT_NAME": self.project, "PORT": str(self.port), "RETRIEVAL": "0"}

    def environment(self, **more: str) -> dict[str, str]:
        return self.settings | more

    def compose(self, *words: str, **more: str) -> str:
        return self.run("docker", "compose", *words, **more)

    def manage(self, *words: str, service: str = "web") -> str:
        return self.compose("exec", "-T", service, "python", "manage.py", *words)

    def digest(self) -> str:
        return self.manage("canonical_export").strip()

    def ids(self) -> dict[str, str]:
        """The ids of the containers that run, by their services."""
        lines = [json.loads(line) for line in self.compose("ps", "--format", "json").splitlines()]
        return {line["Service"]: line["ID"] for line in lines}

    def inspected(self, service: str) -> dict:
        return json.loads(self.run("docker", "inspect", self.ids()[service]))[0]

    def is_well(self, service: str) -> bool:
        """Whether the service's own check finds it healthy, and the site says that all its parts are."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=30) as response:
                parts = json.load(response)
        except (OSError, http.client.HTTPException):
            return False
        state = self.inspected(service)["State"]
        return parts["status"] == "ok" and state["Status"] == "running" and state["Health"]["Status"] == "healthy"

    def pid(self, service: str) -> int:
        """The id on this machine of what the container runs; 0 if it does not run."""
        about = self.inspected(service)
        pid = int(about["State"]["Pid"])
        if pid:
            check(about["Id"] in Path(f"/proc/{pid}/cgroup").read_text(), "the engine runs on another machine")
        return pid


def wait_until(holds: Callable[[], bool], sentence: str) -> None:
    latest = time.monotonic() + LONGEST
    while not holds():
        check(time.monotonic() < latest, sentence)
        time.sleep(0.5)


def commit(trial: Trial, message: str) -> None:
    trial.run("git", "add", "--all", where=trial.upstream)
    names = ("-c", "user.name=Trial", "-c", "user.email=trial@example.org")
    trial.run("git", *names, "commit", "--quiet", "--message", message, where=trial.upstream)


def clone(trial: Trial) -> None:
    """A clone of the last commit, whose image and whose base images have names of their own."""
    with trial.step("clone, and make env"):
        trial.run("git", "clone", "--quiet", str(ROOT), str(trial.upstream), where=trial.folder)
        chosen = substitutes() if uses_substitutes() else {}
        print(f"          base images: {', '.join(chosen.values()) or 'the official ones'}")
        for name in ("Dockerfile", "docker-compose.yml"):
            file = trial.upstream / name
            text = OURS.sub(f"image: {trial.project}", file.read_text(encoding="utf-8"))
            for official, substitute in chosen.items():
                text = text.replace(official, substitute)
            file.write_text(text.replace('--after, "14"', '--after, "2"'), encoding="utf-8")  # five minutes otherwise
        commit(trial, "Name the images of a trial, and end what hangs soon")
        trial.run("git", "tag", "earlier", where=trial.upstream)
        trial.run("git", "clone", "--quiet", str(trial.upstream), str(trial.site), where=trial.folder)
        trial.run("make", "env")
        with (trial.site / ".env").open("a", encoding="utf-8") as settings:
            settings.write("ALLOWED_HOSTS=localhost,127.0.0.1\nSSL_REDIRECT=false\n")


def start(trial: Trial, title: str) -> None:
    with trial.step(title):
        trial.compose("up", "-d", "--wait")
    check(sorted(trial.ids()) == sorted(SERVICES), f"these run: {trial.ids()}")
    check(trial.status("/readyz") == 200, "it is not ready")


def look_inside(trial: Trial) -> None:
    """Users, rights, files and ports of the containers that run, and where passwords can be read."""
    with trial.step("look at users, rights, file systems, ports and secrets from the inside"):
        secrets = [file.read_text(encoding="utf-8").strip() for file in (trial.site / "secrets").iterdir()]
        check(len(secrets) == 4, "there are not four secrets")
        for name in SERVICES:
            user, found = trial.compose("exec", "-T", name, "sh", "-c", INSIDE).split()
            asked = compose.read()["services"][name]["user"].partition(":")[0]
            check(user == asked != "0", f"{name} runs as {user}")
            check(found == NO_RIGHTS, f"{name}: {found}")
            written = trial.compose("exec", "-T", "-u", "0", name, "sh", "-c", "touch /x 2>&1 || true")
            check("Read-only file system" in written, f"root can write in {name}: {written}")
            check(trial.inspected(name)["HostConfig"]["ReadonlyRootfs"], f"{name} has a root that can be written")
            about = json.dumps(trial.inspected(name)) + trial.run("docker", "top", trial.ids()[name])
            check(not any(secret in about for secret in secrets), f"docker shows a secret of {name}")
            mounts = {mount["Destination"] for mount in trial.inspected(name)["Mounts"] if mount["Type"] == "volume"}
            declared = compose.filled(compose.read()["services"][name].get("volumes", []), {})
            check(mounts == {compose.volume_target(volume) for volume in declared}, f"{name}: the volumes {mounts}")
        published = {name: trial.inspected(name)["HostConfig"]["PortBindings"] or {} for name in SERVICES}
        check(
            published.pop("proxy") == {"8080/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(trial.port)}]}
            and not any(published.values()),
            f"other ports are published: {published}",
        )
    with trial.step("look at networks: databases and backup do not reach the proxy's"):
        (address,) = (net["IPAddress"] for net in trial.inspected("proxy")["NetworkSettings"]["Networks"].values())
        ask = f"timeout 5 bash -c 'exec 3<>/dev/tcp/{address}/8080' 2>/dev/null; echo $?"
        found = {name: trial.compose("exec", "-T", name, "sh", "-c", ask).strip() for name in SERVICES}
        expected = {name: "0" if name in ("proxy", "web", "workers") else "124" for name in SERVICES}
        check(found == expected, f"how asking the proxy ended: {found}")
        inside = json.loads(trial.run("docker", "network", "inspect", f"{trial.project}_inside"))
        check(inside[0]["Internal"] is True, "the inner network leads outside")


def prepare(trial: Trial) -> dict:
    """Make an owner, a study and annotators who are signed in; return what the raters need."""
    with trial.step("an owner, a study and its annotators"):
        trial.compose(
            "run", "--rm", "-T", "-e", f"DJANGO_SUPERUSER_PASSWORD={PASSWORD}", "-e",
            "DJANGO_SUPERUSER_EMAIL=owner@example.org", "web", "python", "manage.py", "createsuperuser", "--noinput",
            "--username", "owner",
        )  # fmt: skip
        said = trial.compose(
            "run", "--rm", "-T", "--volume", f"{trial.site}/tests:/app/tests:ro", "-e", "STATIC_ROOT=/tmp/static",
            "-e", "DJANGO_SETTINGS_MODULE=config.settings", "web", "python", "-m", "tests.load.prepare", str(RATERS),
            str(MANY), str(REDUNDANCY),
        )  # fmt: skip
    plan = {"port": trial.port, "ledgers": str(trial.folder), "fault": "killed", "places": MANY * REDUNDANCY}
    plan |= json.loads(said.splitlines()[-1])
    (trial.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    return plan


def probe(trial: Trial) -> None:
    with trial.step("ask the proxy for files outside"):
        for path in PROBES:
            connection = http.client.HTTPConnection("127.0.0.1", trial.port, timeout=30)
            connection.request("GET", path)
            answer = connection.getresponse()
            body = answer.read()
            connection.close()
            check(answer.status in (400, 404) and b"root:" not in body and b"SECRET_KEY" not in body, path)


def answer_while_processes_are_killed(trial: Trial) -> None:
    """Kill what each container runs, as a crash would, while people answer: what they were told is what is kept."""
    words = [sys.executable, "-m", "tests.load.raters", str(trial.folder / "plan.json")]
    with subprocess.Popen(words, cwd=trial.site, env=trial.settings, stdout=subprocess.PIPE, text=True) as raters:
        try:
            for name in ("web", "workers", "redis", "postgres", "proxy"):
                kill(trial, name)
            hang(trial)
        finally:
            (trial.folder / OVER).touch()
        with trial.step(f"{RATERS} annotators end their work"):
            told = json.loads(raters.communicate(timeout=LONGEST)[0])
    check(told["errors"] == [], f"{told['errors'][:3]}")
    check(told["submissions"] == MANY * REDUNDANCY, f"{told['submissions']} answers were acknowledged")
    print(f"          sent again: {told['refused']}")
    ledgers = (trial.folder / f"rater-{number}.jsonl" for number in range(RATERS))
    acknowledged = {json.loads(line)["client_key"] for file in ledgers for line in file.read_text().splitlines()}
    ask = "SELECT client_key FROM annotation_annotation WHERE is_current"
    kept = trial.compose("exec", "-T", "postgres", "psql", "-U", "interrater", "-d", "interrater", "-Atc", ask).split()
    check({uuid.UUID(one) for one in kept} == {uuid.UUID(one) for one in acknowledged}, "an answer is not kept, or new")
    check(len(kept) == MANY * REDUNDANCY, f"{len(kept)} answers are kept")


def kill(trial: Trial, name: str) -> None:
    with trial.step(f"kill {name}, until it and all other parts are well again"):
        before, restarts = trial.pid(name), trial.inspected(name)["RestartCount"]
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: trial.inspected(name)["RestartCount"] == restarts + 1, f"{name} is not started again")
        wait_until(lambda: trial.is_well(name), f"after a kill of {name} the site is not well")


def hang(trial: Trial) -> None:
    """Stop what the web server's container runs without ending it: its health check does, the second time."""
    with trial.step("let web hang, until its health check has ended it and all parts are well again"):
        restarts = trial.inspected("web")["RestartCount"]
        for pid in below(trial.pid("web")):
            os.kill(pid, signal.SIGSTOP)
        wait_until(lambda: trial.inspected("web")["RestartCount"] > restarts, "web stays as it is")
        wait_until(lambda: trial.is_well("web"), "after web was ended the site is not well")


def same(trial: Trial, before: str, after: str) -> None:
    check(trial.digest() == before, f"after {after} the data differs")
    trial.manage("checkdata")


def update_and_go_back(trial: Trial, before: str) -> None:
    (trial.upstream / "parts/webhooks/migrations/0002_later.py").write_text(LATER, encoding="utf-8")
    commit(trial, "A later version")
    trial.run("git", "tag", "later", where=trial.upstream)
    with trial.step("update (deploy/update.sh later)"):
        trial.run("deploy/update.sh", "later")
    check("[X] 0002_later" in trial.manage("showmigrations", "webhooks"), "the database was not migrated")
    same(trial, before, "the update")
    (backup,) = trial.compose(
        "exec", "-T", "web", "sh", "-c", "ls /var/lib/interrater/backups/before-migration-*"
    ).split()
    with trial.step("go back (deploy/go_back.sh earlier BACKUP)"):
        trial.run("deploy/go_back.sh", "earlier", backup)
    check("0002_later" not in trial.manage("showmigrations", "webhooks"), "the later version still runs")
    same(trial, before, "going back")


def restore(trial: Trial, plan: dict, before: str) -> None:
    """As on a new machine that has the old secrets: new volumes, and a backup."""
    with trial.step("back up, and delete all containers and volumes"):
        trial.manage("backup", "/backups/now.zip", service="backup")
        with (trial.folder / "now.zip").open("wb") as kept:
            words = ["docker", "compose", "exec", "-T", "backup", "cat", "/backups/now.zip"]
            subprocess.run(words, cwd=trial.site, env=trial.settings, stdout=kept, check=True)
        trial.compose("down", "--volumes")
    with trial.step("restore into new volumes, and start"):
        trial.compose("up", "-d", "--wait", "postgres", "redis")
        once = ["docker", "compose", "run", "--rm", "--no-deps", "-T", "backup"]
        with (trial.folder / "now.zip").open("rb") as kept:
            copy = [*once, "sh", "-c", "cat > /backups/old.zip"]
            subprocess.run(copy, cwd=trial.site, env=trial.settings, stdin=kept, check=True)
        trial.run(*once, "python", "manage.py", "restore", "/backups/old.zip")
        trial.compose("up", "-d", "--wait")
    same(trial, before, "the restore")
    check(trial.status("/", plan["sessions"][0]) == 200, "who was signed in is not any more")


def https(trial: Trial) -> None:
    """The proxy speaks HTTPS with a certificate that it alone can read; plain HTTP is sent there."""
    folder, ports = trial.folder / "tls", (free_port(), free_port())
    folder.mkdir()
    trial.run(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-keyout", str(folder / "key.pem"),
        "-out", str(folder / "certificate.pem"),
    )  # fmt: skip
    shutil.copy(folder / "certificate.pem", trial.folder / "authority.pem")
    for path in (folder, *folder.iterdir()):
        os.chown(path, 101, 101)
        path.chmod(0o500 if path.is_dir() else 0o400)
    trial.settings |= {
        "COMPOSE_FILE": "docker-compose.yml:deploy/https.yml", "TLS_FOLDER": str(folder), "SSL_REDIRECT": "true",
        "HTTP_PORT": f"127.0.0.1:{ports[0]}", "HTTPS_PORT": f"127.0.0.1:{ports[1]}",
    }  # fmt: skip
    with trial.step("start with HTTPS (deploy/https.yml)"):
        trial.compose("up", "-d", "--wait")
    trusted = ssl.create_default_context(cafile=str(trial.folder / "authority.pem"))
    asking = http.client.HTTPSConnection("localhost", ports[1], timeout=30, context=trusted)
    asking.request("GET", "/sign-in/")
    check(asking.getresponse().status == 200, "HTTPS does not serve")
    plain = http.client.HTTPConnection("localhost", ports[0], timeout=30)
    plain.request("GET", "/sign-in/")
    answer = plain.getresponse()
    check(answer.status == 308 and answer.headers["Location"].startswith("https://"), "HTTP is not sent to HTTPS")


def run(trial: Trial) -> None:
    clone(trial)
    try:
        with trial.step("build the image"):
            trial.compose("build")
        start(trial, "start (docker compose up -d --wait)")
        look_inside(trial)
        plan = prepare(trial)
        probe(trial)
        answer_while_processes_are_killed(trial)
        before = trial.digest()
        trial.manage("checkdata")
        with trial.step("take everything down; volumes stay"):
            trial.compose("down")
        start(trial, "start again")
        same(trial, before, "the new start")
        update_and_go_back(trial, before)
        restore(trial, plan, before)
        https(trial)
    except BaseException:
        with (trial.folder / "containers.log").open("wb") as log:
            words = ["docker", "compose", "logs", "--no-color", "--timestamps"]
            subprocess.run(words, cwd=trial.site, env=trial.settings, stdout=log, stderr=log, check=False)
        raise
    finally:
        clean_up(trial)
    print(f"{sum(seconds for _, seconds in trial.steps):7.1f} s  all")


def clean_up(trial: Trial) -> None:
    """Remove containers, volumes and images of the trial, whatever has failed."""
    label = f"label=com.docker.compose.project={trial.project}"
    for words in (
        ("compose", "down", "--volumes", "--remove-orphans"), ("image", "rm", "--force", trial.project),
        ("image", "prune", "--force", "--filter", label),
    ):  # fmt: skip
        subprocess.run(["docker", *words], cwd=trial.site, env=trial.settings, capture_output=True, check=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="an empty folder that is kept; else a temporary one")
    given = parser.parse_args()
    if missing := what_is_missing():
        sys.exit(f"The trial needs {missing}.")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # and so cleans up
    with tempfile.TemporaryDirectory(prefix="interrater-containers-") as temporary:
        trial = Trial((given.folder or Path(temporary)).absolute())
        trial.folder.mkdir(parents=True, exist_ok=True)
        trial.folder.chmod(0o711)
        run(trial)


if __name__ == "__main__":
    sys.exit(main())
