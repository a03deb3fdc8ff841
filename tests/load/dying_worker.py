"""A worker that dies at the worst moment: the ledger has the answer of its call, but the result is not yet written.

`python -m tests.load.dying_worker calls` runs `python -m config.worker calls`, but kills itself before it writes one
result in three, until all workers together have died MOST_DEATHS times. DEATHS is the file that counts them.
"""

import os
import random
import signal
import sys
from pathlib import Path
from typing import Any

import django

from config.worker import main

django.setup()

from config.background.claiming import Claim  # noqa: E402

SHARE = 1 / 3
write_result = Claim.finish


def die_or_write(claim: Claim, **fields: Any) -> Any:
    deaths = Path(os.environ["DEATHS"])
    if len(deaths.read_text().splitlines()) < int(os.environ["MOST_DEATHS"]) and random.random() < SHARE:
        with deaths.open("a") as file:
            file.write("died\n")
        os.kill(os.getpid(), signal.SIGKILL)
    return write_result(claim, **fields)


if __name__ == "__main__":
    Claim.finish = die_or_write  # type: ignore[method-assign, assignment]
    sys.exit(main(sys.argv[1:]))
