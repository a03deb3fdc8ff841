"""A race of raters for all slots of a study over HTTP, and what came of it.

python -m tests.load.race [--postgresql URL] --raters 20 --tasks 500 --redundancy 3
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.consistency import RACES
from tests.load.server import Server, environment, own_database, run


def race(server_url: str | None, raters: int, tasks: int, redundancy: int) -> dict:
    """Start a server on a new database, let the raters race, and compare ledgers, database and export."""
    with tempfile.TemporaryDirectory() as name, own_database(server_url, Path(name)) as database:
        folder = Path(name)
        env = environment(database, folder)
        plan = json.loads(run(["-m", "tests.load.prepare", str(raters), str(tasks), str(redundancy)], env))
        server = Server(env, threads=16 if server_url else 8)
        (folder / "ledgers").mkdir()
        server.start()
        try:
            plan |= {"port": server.port, "ledgers": str(folder / "ledgers")}
            (folder / "plan.json").write_text(json.dumps(plan))
            told = json.loads(run(["-m", "tests.load.raters", str(folder / "plan.json")], env))
        finally:
            server.end()
        run(["manage.py", "checkdata", *sorted(RACES)], env)
        run(["manage.py", "export_study", plan["study"], "--out", str(folder / "export")], env)
        found = json.loads(
            run(["-m", "tests.load.compare", plan["study"], str(folder / "ledgers"), str(folder / "export")], env)
        )
        return told | found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--postgresql", help="URL of a server on which to create a database (default: SQLite)")
    parser.add_argument("--raters", type=int, default=20)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--redundancy", type=int, default=3)
    given = parser.parse_args()
    json.dump(race(given.postgresql, given.raters, given.tasks, given.redundancy), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
