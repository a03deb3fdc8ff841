"""`make stack`: run the services of docker-compose.yml without Docker, with the same commands and settings.

It starts its own PostgreSQL and Redis on free ports. Their data is in a temporary folder that is removed at the end,
or in STACK_FOLDER, which is kept. RESTORE names a backup that is restored into a new folder instead of migrating.
What Docker reads from `.env` and `keys.env`, it reads from STACK_FOLDER/keys.env. OVERRIDES lists the two settings that
differ, because nothing in front of the proxy speaks HTTPS.
"""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from scripts.compose import ComposeService, services
from scripts.keys_file import read_keys
from scripts.launcher import read_port
from scripts.secrets_file import NEW, new_secret
from scripts.stop_errors import StopError, stop
from scripts.supervisor import Service, Supervisor

ROOT = Path(__file__).resolve().parent.parent
OVERRIDES = {"SSL_REDIRECT": "false", "ALLOWED_HOSTS": "localhost,127.0.0.1"}
SLOWEST_START = 90.0
SERVERS = {"postgres": 5432, "redis": 6379, "web": 8000, "proxy": 8080}
"""The services that listen, and their ports in the file."""
TOOLS = ("postgres", "initdb", "pg_isready", "redis-server", "redis-cli", "nginx", "bash")
KEYS = "keys.env"
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=TERM", "--")


def search_path() -> str:
    """Return PATH with the folders where distributions put PostgreSQL and nginx."""
    hidden = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", *map(str, hidden)])


def tools_path() -> str:
    """Return that path; raises StopError if a program is missing."""
    path = search_path()
    for tool in (*TOOLS, *(["setpriv"] if os.geteuid() == 0 else [])):
        if shutil.which(tool, path=path) is None:
            raise StopError(
                f"{tool} is missing: sudo apt install postgresql redis-server nginx-light, then start again."
            )
    return path


def free_port() -> int:
    with socket.socket() as asking:
        asking.bind(("127.0.0.1", 0))
        return int(asking.getsockname()[1])


@dataclass
class Stack:
    """The services of the file on this machine: ports and folders differ, everything else is the same.

    With `backup`, that file is restored into the new database, which is not migrated then.
    """

    folder: Path
    path: str
    ports: Mapping[str, int]
    backup: Path | None = None
    described: list[ComposeService] = field(init=False)
    keys: dict[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.keys = read_keys(self.folder / KEYS)
        self.described = services({**self.keys, **OVERRIDES})

    def place(self, service: ComposeService, mount: str) -> Path:
        """Return the folder that replaces a volume or tmpfs; services share the one that replaces the volume `var`."""
        shared = mount == "/var/lib/interrater"
        return self.folder / ("var" if shared else f"{service.name}{mount.replace('/', '-')}")

    def file_place(self, service: ComposeService, target: str) -> Path:
        """Return the path on this machine of a file of the container."""
        return self.folder / f"{service.name}-{Path(target).name}"

    def secret_place(self, name: str) -> Path:
        """Return the path on this machine of a secret."""
        return self.folder / "secrets" / name

    def moved(self, service: ComposeService, text: str, shell: bool = False) -> str:
        """Return `text` with the container's ports and folders replaced by this machine's."""
        new = {
            f"{at}{name}:{port}": f"{at}127.0.0.1:{self.ports[name]}"
            for name, port in SERVERS.items()
            for at in ("@", "//", "")
        }
        if (port := SERVERS.get(service.name)) is not None:
            own = self.ports[service.name]
            new |= {
                f"0.0.0.0:{port}": f"127.0.0.1:{own}",
                f"--port {port}": f"--port {own} --bind 127.0.0.1",
                f"listen {port}": f"listen 127.0.0.1:{own}",
                f"/dev/tcp/127.0.0.1/{port}": f"/dev/tcp/127.0.0.1/{own}",
                str(port): str(own),
            }
        new |= {place: str(self.file_place(service, place)) for place in service.files}
        new |= {place: str(self.secret_place(name)) for place, name in service.secrets.items()}
        for mount in service.mounts:
            folder = str(self.place(service, mount))
            new[mount] = shlex.quote(folder) if shell else folder
        alternatives = "|".join(re.escape(old) for old in sorted(new, key=len, reverse=True))
        return re.sub(rf"(?:(?<![\w/])|(?=@))(?:{alternatives})(?!\w)", lambda found: new[found[0]], text)

    def command(self, service: ComposeService, words: tuple[str, ...]) -> list[str]:
        """Return a command of the file as it runs on this machine."""
        if "--end" in words:  # there is no process 1 of a container here, and this machine's is not ours to end
            words = words[: words.index("--end")]
        program, *rest = (self.moved(service, word, shell=words[0] == "sh") for word in words)
        if program == "postgres":
            rest += ["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]
        if program == "python":
            return [sys.executable, *rest]
        found = shutil.which(program, path=self.path) or program
        return [*(AS_POSTGRES if program == "postgres" and os.geteuid() == 0 else ()), found, *rest]

    def environment(self, service: ComposeService) -> dict[str, str]:
        """Return the environment of the service: its own settings and keys, and of ours only the variables in KEPT."""
        plain = {name: os.environ[name] for name in KEPT if name in os.environ}
        keys = self.keys if service.reads_keys else {}
        told = {
            name: value if value == keys.get(name) else self.moved(service, value)
            for name, value in service.environment.items()
        }
        image = {"STATIC_ROOT": str(self.folder / "static"), "PYTHONDONTWRITEBYTECODE": "1"}
        return {**plain, **keys, "PATH": self.path, **image, **told}

    def is_well(self, service: ComposeService) -> bool:
        """Return whether the service passes the health check of the file."""
        checked = subprocess.run(
            self.command(service, service.health), env=self.environment(service), cwd=ROOT, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        return checked.returncode == 0

    def make_folders(self) -> None:
        """Make the folders that replace volumes, and the files: new secrets, and those of the repository, moved."""
        self.secret_place("").mkdir(mode=0o700, exist_ok=True)
        for name in NEW:
            place = self.secret_place(name.lower())
            if not place.exists():
                place.touch(0o600)
                place.write_text(new_secret(name) + "\n", encoding="ascii")
        for service in self.described:
            for mount in service.mounts:
                place = self.place(service, mount)
                # nginx started by root runs its workers as another user, and they must enter their folders.
                place.mkdir(mode=0o711 if service.name == "proxy" else 0o700, exist_ok=True)
                if service.name == "postgres" and os.geteuid() == 0:
                    shutil.chown(place, "postgres", "postgres")
            for target, file in service.files.items():
                text = self.moved(service, file.read_text(encoding="utf-8"))
                place = self.file_place(service, target)
                place.write_text(text, encoding="utf-8")
                place.chmod(0o644)  # for the same users; a page is opened when it is asked for


def has_cluster(stack: Stack, service: ComposeService) -> bool:
    """Return whether PostgreSQL has its whole data folder from an earlier start, which may have been cut."""
    return (Path(stack.environment(service)["PGDATA"]) / "PG_VERSION").exists() and not password_file(stack).exists()


def password_file(stack: Stack) -> Path:
    """Return the file that is there only while the data folder is being made."""
    return stack.folder / "word"


def prepare_postgres(supervisor: Supervisor, stack: Stack, service: ComposeService) -> None:
    """Create the cluster and its user, as the PostgreSQL image does at its first start, before the server runs."""
    environment = stack.environment(service)
    owner = AS_POSTGRES if os.geteuid() == 0 else ()
    word = password_file(stack)
    for part in Path(environment["PGDATA"]).iterdir():  # of a start that was cut; no server has run on it
        shutil.rmtree(part) if part.is_dir() else part.unlink()
    word.write_text(stack.secret_place("postgres_password").read_text(encoding="ascii"), encoding="ascii")
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
        raise StopError("PostgreSQL could not create its data folder; its messages are above.")


def make_database(stack: Stack, service: ComposeService) -> None:
    """Create the database unless it exists, once the server runs: an earlier start may have been cut before this."""
    environment = stack.environment(service)
    name, user = environment["POSTGRES_DB"], environment["POSTGRES_USER"]
    password = stack.secret_place("postgres_password").read_text(encoding="ascii").strip()
    try:
        with psycopg.connect(
            host="127.0.0.1", port=stack.ports["postgres"], user=user, password=password, dbname="postgres",
            autocommit=True,
        ) as connection:  # fmt: skip
            if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone() is None:
                connection.execute(SQL("CREATE DATABASE {}").format(Identifier(name)))
    except psycopg.Error as problem:
        raise StopError(f"The database could not be created: {problem}") from None


def start(supervisor: Supervisor, stack: Stack, service: ComposeService) -> None:
    """Start one service and wait until it is healthy; run `migrate` to its end, after collecting static files."""
    command, environment = stack.command(service, service.command), stack.environment(service)
    if service.name == "migrate":
        last = command[1:] if stack.backup is None else ["manage.py", "restore", str(stack.backup)]
        for step in (["manage.py", "collectstatic", "--noinput", "--verbosity", "0"], last):
            quiet = "restore" not in step  # which names the keys that are to be set
            if supervisor.run_step([sys.executable, *step], environment, quiet=quiet):
                raise StopError(f"{' '.join(step[:2])} failed; its messages are above.")
        return
    if service.name == "postgres" and not has_cluster(stack, service):
        prepare_postgres(supervisor, stack, service)
    running = Service(service.name, command, environment=environment)
    well = supervisor.start_until(running, lambda: stack.is_well(service), SLOWEST_START)
    if not well and not supervisor.ending:
        raise StopError(f"{service.name} was not healthy within {SLOWEST_START:.0f} s; its messages are above.")
    if service.name == "postgres" and well:
        make_database(stack, service)
    print(f"{service.name}: healthy", flush=True)


def write_settings(stack: Stack) -> Path:
    """Write the settings of the application's processes to a file that a shell can source; return its path."""
    (web,) = (service for service in stack.described if service.name == "web")
    file = stack.folder / "settings.sh"
    lines = [f"export {name}={shlex.quote(value)}" for name, value in stack.environment(web).items()]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def launch(supervisor: Supervisor, folder: Path) -> None:
    """Start all services and keep them running."""
    ports = {"postgres": free_port(), "redis": free_port(), "web": free_port(), "proxy": read_port()}
    stack = Stack(folder, tools_path(), ports, read_backup())
    stack.make_folders()
    for service in stack.described:
        if supervisor.ending:
            return
        start(supervisor, stack, service)
    end = "stop it" if kept_folder() else "stop it and delete its data"
    print(f"\nThe stack runs at http://localhost:{ports['proxy']} (press Ctrl-C to {end}).")
    settings = shlex.quote(str(write_settings(stack)))
    print("In another terminal, here, first read its settings; then commands are about the stack:")
    print(f"    . {settings}")
    print("    .venv/bin/python manage.py createsuperuser", flush=True)
    supervisor.watch()


def kept_folder() -> str:
    """Return STACK_FOLDER, "" if nothing is to be kept."""
    return os.environ.get("STACK_FOLDER", "").strip()


def read_backup() -> Path | None:
    """Return the file that RESTORE names, if any; raises StopError if it is not there."""
    given = os.environ.get("RESTORE", "").strip()
    if not given:
        return None
    file = Path(given).absolute()
    if not file.is_file():
        raise StopError(f"RESTORE names {file}, which is not a file. Name a backup, or start without RESTORE.")
    return file


def main() -> int:
    os.umask(0o077)
    kept = Path(kept_folder()).absolute() if kept_folder() else None
    os.chdir(ROOT)
    supervisor = Supervisor()
    try:
        if kept:
            kept.mkdir(parents=True, exist_ok=True)
        folder = kept or Path(tempfile.mkdtemp(prefix="interrater-stack-"))
        folder.chmod(0o711)
    except OSError as problem:
        return stop(StopError(f"STACK_FOLDER {kept} cannot be used: {problem.strerror}."))
    try:
        launch(supervisor, folder)
    except StopError as problem:
        return stop(problem)
    finally:
        supervisor.close()
        if not kept:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
