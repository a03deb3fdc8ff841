"""Counts the modules and functions of ours that one *Submit and next* enters, warm, in a rating study.

    python -m benchmarks.submit_path [--list]

From the first byte of the request to the redirect; with `--page` the next task's page is in the response, as a script
asks for it.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks._own_database import own_database
from benchmarks.desk import Browser, filled, make_study, send

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = 5
OTHERS = {"benchmarks", ".venv", "tests"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name them")
    given = parser.parse_args()
    with own_database(None) as folder:
        from accounts.models import Person
        from config.warm_up import warm_up

        person = Person.objects.create_user("annotator")
        study = make_study("rating", folder, person)
        browser = Browser(person)
        warm_up()
        browser.send("POST", f"/studies/{study.slug}/next/")
        where = browser.location
        for _ in range(WARM_UP):
            where = send(browser, where, filled(study, where, browser.send("GET", where)))
        form = filled(study, where, browser.send("GET", where))
        entered = Counter[str]()

        def note(frame: FrameType, event: str, _: Any) -> None:
            code, path = frame.f_code, Path(frame.f_code.co_filename)
            ours = path.is_relative_to(ROOT) and not OTHERS & set(path.relative_to(ROOT).parts)
            if event == "call" and ours and not code.co_name.startswith("<"):
                entered[
                    f"{path.relative_to(ROOT)}:{code.co_qualname if hasattr(code, 'co_qualname') else code.co_name}"
                ] += 1

        sys.setprofile(note)
        send(browser, where, form)
        sys.setprofile(None)
        modules = {name.partition(":")[0] for name in entered}
        print(f"{len(modules)} modules, {len(entered)} functions, {sum(entered.values())} calls")
        for name in sorted(entered) if given.list else ():
            print(f"{entered[name]:5} {name}")


if __name__ == "__main__":
    main()
