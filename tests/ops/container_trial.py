"""The containers of docker-compose.yml, built and run by a Docker engine: the operator's recipes, step by step.

    python -m tests.ops.container_trial [--folder FOLDER]

Clones this repository and follows docs/operating.md in a compose project of its own, which it deletes at the end: the
containers start, their limits are looked at from the inside, people answer through the proxy, processes are killed,
everything is taken down and started again, updated to a later version, taken back, restored into new volumes from a
backup, and served by HTTPS. After each step the canonical export is compared. Images that
`python -m tests.ops.substitute_images` has made are used if the official ones are not there. The program ends with
code 1 at the first step that does not hold.
"""

import argparse
import http.client
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scripts import compose
from tests.house import ROOT
from tests.operating.drill import LATER, PASSWORD, RATERS, REDUNDANCY, TASKS, Drill, check
from tests.ops.conftest import below, free_port
from tests.ops.substitute_images import DIGEST, has_image, official_images

PROBES = ("/../../../etc/passwd", "/static/../../../../etc/passwd", "/static/..%2f..%2f..%2f..%2fetc/passwd",
          "/static/%2e%2e/config/settings.py")  # fmt: skip
LONGEST = 180.0
ANOTHER = "interrater-test"
SERVICES = ("backup", "postgres", "proxy", "redis", "web", "workers")
INSIDE = """
id -u
touch /app/x /etc/x /x 2>/dev/null && echo written || echo read-only
grep -E "^(CapEff|NoNewPrivs):" /proc/1/status | tr -d "[:space:]"
"""


def what_is_missing() -> str:
    """Say what a trial needs and this machine lacks: an engine, or images; "" if nothing."""
    try:
        for words in (("version",), ("compose", "version")):
            subprocess.run(["docker", *words], capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return "a Docker engine with compose"
    if has_all(official_images(digests=True)) or has_all(official_images()):
        return ""
    return "images: docker compose pull, or python -m tests.ops.substitute_images"


def has_all(images: Mapping[str, str]) -> bool:
    return all(map(has_image, images.values()))


@dataclass
class Trial(Drill):
    """A clone whose containers have a project and volumes of their own."""

    def __post_init__(self) -> None:
        super().__post_init__()
        os.environ |= {
            "COMPOSE_PROJECT_NAME": f"{ANOTHER}-{os.getpid()}",
            "PORT": str(self.port),
            "RETRIEVAL": "0",
            "COMPOSE_PROGRESS": "plain",
        }

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

    def serves(self) -> bool:
        try:
            return self.status("/sign-in/") == 200
        except (OSError, http.client.HTTPException, urllib.error.URLError):
            return False


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
    with trial.step("clone, and make env"):
        trial.run("git", "clone", "--quiet", str(ROOT), str(trial.upstream), where=trial.folder)
        if not has_all(official_images(digests=True)) and has_all(official_images()):
            for name in ("Dockerfile", "docker-compose.yml"):
                file = trial.upstream / name
                file.write_text(DIGEST.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
            commit(trial, "Name the images without digests, which substitutes do not have")
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
            user, *found = trial.compose("exec", "-T", name, "sh", "-c", INSIDE).split()
            asked = compose.read()["services"][name]["user"].partition(":")[0]
            check(user == asked != "0", f"{name} runs as {user}")
            check(found == ["read-only", "CapEff:0000000000000000NoNewPrivs:1"], f"{name}: {found}")
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
    with trial.step("look at networks: databases reach nothing outside theirs"):
        (address,) = (net["IPAddress"] for net in trial.inspected("proxy")["NetworkSettings"]["Networks"].values())
        ask = f"timeout 5 bash -c 'exec 3<>/dev/tcp/{address}/8080' 2>/dev/null && echo reached || echo apart"
        found = {name: trial.compose("exec", "-T", name, "sh", "-c", ask).strip() for name in SERVICES}
        apart = [name for name, word in found.items() if word == "apart"]
        check(apart == ["backup", "postgres", "redis"], f"the proxy: {found}")


def work(trial: Trial) -> dict:
    """Make an owner and a study, and let annotators answer it through the proxy; return who is signed in."""
    with trial.step(f"an owner and a study; {RATERS} annotators answer all of its tasks"):
        trial.compose(
            "run", "--rm", "-T", "-e", f"DJANGO_SUPERUSER_PASSWORD={PASSWORD}", "-e",
            "DJANGO_SUPERUSER_EMAIL=owner@example.org", "web", "python", "manage.py", "createsuperuser", "--noinput",
            "--username", "owner",
        )  # fmt: skip
        said = trial.compose(
            "run", "--rm", "-T", "--volume", f"{trial.site}/tests:/app/tests:ro", "-e", "STATIC_ROOT=/tmp/static",
            "-e", "DJANGO_SETTINGS_MODULE=config.settings", "web", "python", "-m", "tests.load.prepare", str(RATERS),
            str(TASKS), str(REDUNDANCY),
        )  # fmt: skip
        plan = json.loads(said.splitlines()[-1]) | {"port": trial.port, "ledgers": str(trial.folder)}
        (trial.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        told = json.loads(trial.run(sys.executable, "-m", "tests.load.raters", str(trial.folder / "plan.json")))
        check(told["errors"] == [], f"{told['errors'][:3]}")
        check(told["submissions"] == TASKS * REDUNDANCY, f"{told['submissions']} answers were acknowledged")
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


def kill_processes(trial: Trial) -> None:
    """Kill what each container runs, as a crash would; all of it starts again and serves."""
    for name in ("web", "workers", "redis", "postgres", "proxy"):
        with trial.step(f"kill {name}; the site serves again"):
            before = trial.inspected(name)["State"]["Pid"]
            os.kill(before, signal.SIGKILL)
            wait_until(lambda: trial.inspected(name)["State"]["Pid"] not in (0, before), f"{name} stays down")  # noqa: B023
            wait_until(trial.serves, f"after a kill of {name} the site does not serve")
            check(trial.inspected(name)["RestartCount"] == 1, f"{name} has not restarted once")


def hang(trial: Trial) -> None:
    """Stop what the web server's container runs without ending it: its health check does, at the second time."""
    with trial.step("let web hang; its health check ends it, and the site serves again"):
        before = trial.inspected("web")["State"]["Pid"]
        for pid in below(before):
            os.kill(pid, signal.SIGSTOP)
        words = [*compose.health_command(compose.read()["services"]["web"])[:-1], "1"]  # --after 1
        for _ in range(2):
            asked = ["docker", "compose", "exec", "-T", "web", *words]
            check(subprocess.run(asked, cwd=trial.site, check=False).returncode != 0, "the health check finds it well")
        wait_until(lambda: trial.inspected("web")["State"]["Pid"] not in (0, before), "web stays as it is")
        wait_until(trial.serves, "after web was ended the site does not serve")


def same(trial: Trial, before: str, after: str) -> None:
    check(trial.digest() == before, f"after {after} the data differs")
    trial.manage("checkdata")


def update_and_go_back(trial: Trial, before: str) -> None:
    (trial.upstream / "webhooks/migrations/0002_later.py").write_text(LATER, encoding="utf-8")
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
    """The recipe for a new machine: new volumes, the old key, and a backup."""
    with trial.step("back up, and delete all containers and volumes"):
        trial.manage("backup", "/backups/now.zip", service="backup")
        with (trial.folder / "now.zip").open("wb") as kept:
            words = ["docker", "compose", "exec", "-T", "backup", "cat", "/backups/now.zip"]
            subprocess.run(words, cwd=trial.site, stdout=kept, check=True)
        trial.compose("down", "--volumes")
    with trial.step("restore into new volumes, and start"):
        trial.compose("up", "-d", "--wait", "postgres", "redis")
        once = ["docker", "compose", "run", "--rm", "--no-deps", "-T", "backup"]
        with (trial.folder / "now.zip").open("rb") as kept:
            subprocess.run([*once, "sh", "-c", "cat > /backups/old.zip"], cwd=trial.site, stdin=kept, check=True)
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
    os.environ |= {
        "COMPOSE_FILE": "docker-compose.yml:deploy/https.yml", "TLS_FOLDER": str(folder), "SSL_REDIRECT": "true",
        "HTTP_PORT": str(ports[0]), "HTTPS_PORT": str(ports[1]),
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
        plan = work(trial)
        before = trial.digest()
        probe(trial)
        kill_processes(trial)
        hang(trial)
        same(trial, before, "the kills")
        with trial.step("take everything down; volumes stay"):
            trial.compose("down")
        start(trial, "start again")
        same(trial, before, "the new start")
        update_and_go_back(trial, before)
        restore(trial, plan, before)
        https(trial)
    finally:
        trial.compose("down", "--volumes", "--remove-orphans")
    print(f"{sum(seconds for _, seconds in trial.steps):7.1f} s  all")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, help="an empty folder that is kept; else a temporary one")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="interrater-containers-") as temporary:
        trial = Trial((given.folder or Path(temporary)).absolute())
        trial.folder.mkdir(parents=True, exist_ok=True)
        trial.folder.chmod(0o711)
        run(trial)


if __name__ == "__main__":
    sys.exit(main())
