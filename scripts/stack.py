"""`make stack`: what docker-compose.yml starts, without Docker: the same processes with the same settings.

PostgreSQL and Redis are servers of its own on free ports; all they keep is in a temporary folder that is removed at
the end. Two settings differ, because no proxy stands before it: see OVERRIDES.
"""

import os
import re
import secrets
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.compose import Described, services
from scripts.launcher import read_port
from scripts.problems import StopError, stop
from scripts.secrets_file import NEW
from scripts.supervisor import Service, Supervisor

ROOT = Path(__file__).resolve().parent.parent
OVERRIDES = {"SSL_REDIRECT": "false", "BEHIND_PROXY": "false", "ALLOWED_HOSTS": "localhost,127.0.0.1"}
SLOWEST_START = 90.0
SERVERS = {"postgres": 5432, "redis": 6379, "web": 8000}
"""The services that listen, and on what the file has them listen."""
TOOLS = ("postgres", "initdb", "createdb", "pg_isready", "redis-server", "redis-cli")
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=TERM", "--")


def tools_path() -> str:
    """PATH with the folders in which distributions hide PostgreSQL; raises StopError where a program is missing."""
    hidden = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, hidden)])
    for tool in (*TOOLS, *(["setpriv"] if os.geteuid() == 0 else [])):
        if shutil.which(tool, path=path) is None:
            raise StopError(f"{tool} is missing: sudo apt install postgresql redis-server, then start again.")
    return path


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


@dataclass
class Stack:
    """The services of the file, moved to this machine: other ports, other folders, the same everything else."""

    folder: Path
    path: str
    ports: Mapping[str, int]
    described: list[Described] = field(default_factory=list)

    def __post_init__(self) -> None:
        values = {**{name: secrets.token_urlsafe(50) for name in NEW}, **OVERRIDES}
        self.described = services(values)

    def place(self, service: Described, mount: str) -> Path:
        """The folder that stands for a volume or a piece of memory; volumes of the same place are shared."""
        shared = mount == "/var/lib/interrater"
        return self.folder / ("var" if shared else f"{service.name}{mount.replace('/', '-')}")

    def moved(self, service: Described, text: str, shell: bool = False) -> str:
        """`text` with this machine's ports and folders for the container's."""
        new = {f"@{name}:{port}": f"@127.0.0.1:{self.ports[name]}" for name, port in SERVERS.items()}
        if (port := SERVERS.get(service.name)) is not None:
            own = self.ports[service.name]
            new |= {f"0.0.0.0:{port}": f"127.0.0.1:{own}", f"--port {port}": f"--port {own} --bind 127.0.0.1"}
            new[str(port)] = str(own)
        for mount in service.mounts:
            folder = str(self.place(service, mount))
            new[mount] = shlex.quote(folder) if shell else folder
        alternatives = "|".join(re.escape(old) for old in sorted(new, key=len, reverse=True))
        return re.sub(rf"(?:(?<![\w/])|(?=@))(?:{alternatives})(?!\w)", lambda found: new[found[0]], text)

    def command(self, service: Described, words: tuple[str, ...]) -> list[str]:
        """A command of the file as it runs here."""
        program, *rest = (self.moved(service, word, shell=words[0] == "sh") for word in words)
        if program == "postgres":
            rest += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        if program == "python":
            return [sys.executable, *rest]
        found = shutil.which(program, path=self.path) or program
        return [*(AS_POSTGRES if program == "postgres" and os.geteuid() == 0 else ()), found, *rest]

    def environment(self, service: Described) -> dict[str, str]:
        """What the service finds in its environment: nothing of ours but where programs are."""
        plain = {name: os.environ[name] for name in KEPT if name in os.environ}
        told = {name: self.moved(service, value) for name, value in service.environment.items()}
        image = {"STATIC_ROOT": str(self.folder / "static"), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**plain, "PATH": self.path, **image, **told}

    def is_well(self, service: Described) -> bool:
        """What the file's health check says."""
        checked = subprocess.run(
            self.command(service, service.health), env=self.environment(service), cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return checked.returncode == 0

    def make_folders(self) -> None:
        for service in self.described:
            for mount in service.mounts:
                place = self.place(service, mount)
                place.mkdir(mode=0o700, exist_ok=True)
                if service.name == "postgres" and os.geteuid() == 0:
                    shutil.chown(place, "postgres", "postgres")


def prepare_postgres(supervisor: Supervisor, stack: Stack, service: Described) -> None:
    """What the image of PostgreSQL does at its first start, before the server runs: make the cluster with its user."""
    environment = stack.environment(service)
    owner = AS_POSTGRES if os.geteuid() == 0 else ()
    word = stack.folder / "word"
    word.write_text(environment["POSTGRES_PASSWORD"], encoding="ascii")
    if owner:
        shutil.chown(word, "postgres")
    made = supervisor.run_step(
        [
            *owner, str(shutil.which("initdb", path=stack.path)), "--pgdata", environment["PGDATA"], "--username",
            environment["POSTGRES_USER"], f"--pwfile={word}", "--auth-local=reject",
            *environment["POSTGRES_INITDB_ARGS"].split(),
        ],
        environment, quiet=True,
    )  # fmt: skip
    word.unlink()
    if made:
        raise StopError("PostgreSQL could not make its folder of data: what it said is above.")


def make_database(supervisor: Supervisor, stack: Stack, service: Described) -> None:
    """And after: the database."""
    environment = stack.environment(service)
    command = [
        str(shutil.which("createdb", path=stack.path)), "-h", "127.0.0.1", "-p", str(stack.ports["postgres"]), "-U",
        environment["POSTGRES_USER"], environment["POSTGRES_DB"],
    ]  # fmt: skip
    if supervisor.run_step(command, {**environment, "PGPASSWORD": environment["POSTGRES_PASSWORD"]}):
        raise StopError("The database could not be made: what PostgreSQL said is above.")


def start(supervisor: Supervisor, stack: Stack, service: Described) -> None:
    """Start one service and wait until it is well; one that nothing waits for needs no waiting."""
    command, environment = stack.command(service, service.command), stack.environment(service)
    if service.name == "migrate":
        for step in (["manage.py", "collectstatic", "--noinput", "--verbosity", "0"], command[1:]):
            if supervisor.run_step([sys.executable, *step], environment, quiet=True):
                raise StopError(f"{' '.join(step[:2])} failed: what it said is above.")
        return
    if service.name == "postgres":
        prepare_postgres(supervisor, stack, service)
    running = Service(service.name, command, environment=environment)
    well = supervisor.start_until(running, lambda: stack.is_well(service), SLOWEST_START)
    if not well and not supervisor.ending:
        raise StopError(f"{service.name} did not become well in {SLOWEST_START:.0f} s: what it said is above.")
    if service.name == "postgres" and well:
        make_database(supervisor, stack, service)
    print(f"{service.name}: well", flush=True)


def write_settings(stack: Stack) -> Path:
    """The settings of the application's processes, for commands beside them."""
    (web,) = (service for service in stack.described if service.name == "web")
    file = stack.folder / "settings.sh"
    lines = [f"export {name}={shlex.quote(value)}" for name, value in stack.environment(web).items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def launch(supervisor: Supervisor, folder: Path) -> None:
    """Start all, watch all."""
    ports = {"postgres": free_port(), "redis": free_port(), "web": read_port()}
    stack = Stack(folder, tools_path(), ports)
    stack.make_folders()
    for service in stack.described:
        if supervisor.ending:
            return
        start(supervisor, stack, service)
    print(f"\nThe stack runs at http://localhost:{ports['web']} (Ctrl-C ends it, and what it kept is gone).")
    print(
        f"An account: . {shlex.quote(str(write_settings(stack)))}; .venv/bin/python manage.py createsuperuser",
        flush=True,
    )
    supervisor.watch()


def main() -> int:
    os.umask(0o077)
    os.chdir(ROOT)
    supervisor = Supervisor()
    folder = Path(tempfile.mkdtemp(prefix="interrater-stack-"))
    folder.chmod(0o711)
    try:
        launch(supervisor, folder)
    except StopError as problem:
        return stop(problem)
    finally:
        supervisor.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
