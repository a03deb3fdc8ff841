"""Processor time and memory of the agreement report and of its details, for a large study of three questions.

    python benchmarks/report_details.py [--url DATABASE_URL] [--ratings 600000]

Makes the study of `report_pages` in a database of its own. Each report is computed by one new process.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--ratings", type=int, default=600_000)
    parser.add_argument("--compute", choices=("agreement", "disagreement", "details"), help="what a new process does")
    given = parser.parse_args()
    if given.compute:
        compute(given.compute)
        return
    from benchmarks._own_database import own_database
    from benchmarks.report_pages import make_study

    with own_database(given.url):
        make_study(given.ratings)
        print("report          processor s   clock s    MiB", flush=True)
        for kind in ("agreement", "disagreement", "details"):
            subprocess.run([sys.executable, __file__, "--compute", kind], check=True)


def compute(kind: str) -> None:
    import django

    django.setup()
    from annotation.models import Study
    from benchmarks.report_pages import peak
    from reports.kept.kept_reports import compute_here
    from reports.report_kinds.agreement import agreement_choices
    from reports.report_kinds.details import details_choices
    from reports.report_kinds.disagreement import disagreement_choices

    choices = {"agreement": agreement_choices, "disagreement": disagreement_choices, "details": details_choices}
    begun, processor = time.perf_counter(), time.process_time()
    compute_here(Study.objects.get(), kind, choices[kind]())
    used, taken = time.process_time() - processor, time.perf_counter() - begun
    print(f"{kind:<14} {used:>12.1f} {taken:>9.1f} {peak():>6}", flush=True)


if __name__ == "__main__":
    main()
