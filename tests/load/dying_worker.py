"""A worker that dies at the worst moment: the ledger has the answer of its call, but the result is not yet written.

`python -m tests.load.dying_worker calls` runs `python -m config.worker calls`, but kills itself before it writes one
result in three at random, the third at the latest, until all workers together have died MOST_DEATHS times. DEATHS is
the file that counts them.
"""

import os
import random
import signal
import sys
from itertools import count
from pathlib import Path
from typing import Any

import django

from config.worker import main

django.setup()

from config.background.claiming import Claim  # noqa: E402

LATEST = 3
"""So that workers die even if there are few results."""
results = count(1)
write_result = Claim.finish


def die_or_write(claim: Claim, **fields: Any) -> Any:
    deaths = Path(os.environ["DEATHS"])
    is_due = random.random() < 1 / LATEST or next(results) >= LATEST
    if is_due and len(deaths.read_text().splitlines()) < int(os.environ["MOST_DEATHS"]):
        with deaths.open("a") as file:
            file.write("died\n")
        os.kill(os.getpid(), signal.SIGKILL)
    return write_result(claim, **fields)


if __name__ == "__main__":
    Claim.finish = die_or_write  # type: ignore[method-assign, assignment]
    sys.exit(main(sys.argv[1:]))
