"""Calls per second through claim, ledger and result, with 64 concurrent calls of 200 ms.

    python benchmarks/calling.py [--url DATABASE_URL --broker redis://...] [--calls 1000] [--in-flight 64]
        [--seconds 0.2] [--profile]

It starts a scripted server, queues all calls, then starts one worker with `--in-flight` threads and waits for the last
result. Without `--url` it uses SQLite and the file broker, in a temporary folder. It prints the calls per second
between the first start and the last end, how long the endpoint, the call and the row took, and the worker's CPU time.
It ends with an error if budget, ledger and results disagree. `--profile` makes a hundred calls in this process instead.
"""

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
ENDPOINTS = """
endpoints:
  bench:
    base_url: {address}
    in_flight: {in_flight}
    deadline: 60
    models: {{small: {{price_in: 1, price_out: 1, context: 100000}}}}
"""
PATIENCE = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database (default: a temporary SQLite file)")
    parser.add_argument("--broker", help="redis://... (default: files in a temporary folder)")
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--profile", action="store_true", help="run in this process and print where the time goes")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            DATABASE_URL=given.url or "", BROKER_URL=given.broker or "", VAR=folder, LOG_LEVEL="WARNING",
            CALL_THREADS=str(given.in_flight), DJANGO_SETTINGS_MODULE="config.settings",
            ENDPOINTS_FILE=f"{folder}/endpoints.yaml",
        )  # fmt: skip
        script = Path(folder, "script.json")
        script.write_text(f'[{{"text": "At nine.", "delay": {given.seconds}}}]')
        server = subprocess.Popen(
            [sys.executable, "-m", "llm.scripted", "--port", "0", "--script", str(script)],
            cwd=ROOT, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        address = server.stdout.readline().strip()
        Path(folder, "endpoints.yaml").write_text(ENDPOINTS.format(address=address, in_flight=given.in_flight))
        try:
            measure(given)
        finally:
            server.terminate()
            server.wait(timeout=20)


def measure(given) -> None:
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    rows = queue_calls(given.calls)
    if given.profile:
        profile(rows)
        return
    worker = subprocess.Popen([sys.executable, "-m", "config.worker", "calls"], cwd=ROOT)
    try:
        wait_for(rows, len(rows) - len(rows) // 10)
        begun = processor_seconds(worker.pid)
        wait_for(rows, 0)
        spent = processor_seconds(worker.pid) - begun
    finally:
        worker.send_signal(signal.SIGTERM)
        worker.wait(timeout=30)
    tell(given, rows, spent)


def queue_calls(count: int) -> list[int]:
    from annotation.models import Study
    from llm.completions import queue_completion
    from llm.models import Completion
    from llm.requests import Charge, Message, Request

    study = Study.objects.create(slug=f"bench-{time.time_ns()}", protocol="rating", redundancy=1)
    for number in range(count):
        text = f"Question {number}: " + "when does the ferry sail? " * 40
        queue_completion(Request("bench/small", (Message("user", text),), max_tokens=100), Charge(study, run="bench"))
    return list(Completion.objects.filter(study=study).values_list("pk", flat=True))


def wait_for(rows: list[int], left: int) -> None:
    """Wait until no more than `left` of the rows have no result."""
    from llm.models import Completion

    until = time.monotonic() + PATIENCE
    while Completion.objects.filter(pk__in=rows, status__in=["queued", "running"]).count() > left:
        if time.monotonic() > until:
            raise SystemExit(f"not done within {PATIENCE} seconds")
        time.sleep(0.2)


def processor_seconds(pid: int) -> float:
    fields = re.sub(r"^\d+ \(.*\) ", "", Path(f"/proc/{pid}/stat").read_text()).split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tell(given, rows: list[int], spent: float) -> None:
    from django.db.models import Avg, F, Max, Min

    from llm.models import Budget, Call, Completion

    calls = Call.objects.filter(work__in=[f"completion:{pk}" for pk in rows])
    done = Completion.objects.filter(pk__in=rows, status="done").count()
    times = calls.aggregate(first=Min("started_at"), last=Max("ended_at"), each=Avg(F("ended_at") - F("started_at")))
    taken = (times["last"] - times["first"]).total_seconds()
    whole = Completion.objects.filter(pk__in=rows, status="done").aggregate(each=Avg(F("ended_at") - F("started_at")))
    sent = [attempt["seconds"] for attempts in calls.values_list("attempts", flat=True) for attempt in attempts]
    budget = Budget.objects.get(run="bench", study=calls[0].study)
    print(f"{'PostgreSQL' if given.url else 'SQLite'}, {'Redis' if given.broker else 'files'}: {done} of {given.calls}")
    most = given.in_flight / given.seconds
    print(
        f"  {done / taken:.1f} calls per second over {taken:.1f} s; {given.in_flight} in flight would allow {most:.0f}"
    )
    print(f"  one request took {1000 * statistics.median(sent):.0f} ms (median)")
    print(f"  a call took {ms(times['each'])} ms, from claim to result {ms(whole['each'])} ms (means)")
    print(f"  the worker took {1000 * spent / (given.calls * 0.9):.1f} ms of CPU time per call, without its start")
    charged = sum(calls.values_list("price_charged", flat=True))
    if (budget.reserved, budget.spent, done, calls.count()) != (0, charged, given.calls, given.calls):
        raise SystemExit(f"the sums disagree: {budget.reserved=} {budget.spent=} {charged=} {calls.count()=}")


def ms(duration) -> str:
    return f"{1000 * duration.total_seconds():.0f}"


def profile(rows: list[int]) -> None:
    """Make the first hundred calls in this process, one after the other, and print what takes CPU time."""
    import cProfile
    import pstats

    from config.background.claiming import process_row

    process_row("completion", rows[0])
    profiler = cProfile.Profile()
    profiler.enable()
    for pk in rows[1:101]:
        process_row("completion", pk)
    profiler.disable()
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(
        "(work.main.(llm|config)|openai.__init|_client.py|ssl|create_default)", 40
    )


if __name__ == "__main__":
    main()
