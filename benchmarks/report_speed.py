"""Processor time and memory of whole agreement reports that are large in one way, as multiples of alpha's time.

    OPENBLAS_NUM_THREADS=1 python benchmarks/report_speed.py [--cases NAME …] [--data FOLDER] [--url DATABASE_URL]

The unit is the nominal alpha of 3,000,000 ratings (`benchmarks.agreement`), best of three in a process of its own. Each
report is computed by a new process that has loaded the program, as a worker has, with the default number of draws.
`--data` is a folder with a study to import as a case of its own, such as the public rankings of WMT16.
"""

import argparse
import json
import subprocess
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

Lines = list[dict[str, object]]


def pairs(systems: int, items: int, outputs: int, raters: int = 3) -> tuple[str, Lines, Lines]:
    """A study of all pairs of the outputs of each item, of systems that are drawn at random and differ in strength."""
    rng = np.random.default_rng(systems)
    strength = rng.normal(size=systems)
    of_item = [np.sort(rng.choice(systems, outputs, replace=False)) for _ in range(items)]
    question = "{key: better, type: preference, text: Which is better?, allow_tie: true}"
    ratings: Lines = []
    for number, codes in enumerate(of_item):
        for a, b in combinations(codes.tolist(), 2):
            ends = [f"system-{a:03}", f"system-{b:03}"]
            first = 0.8 / (1 + np.exp(strength[b] - strength[a]))
            for rater, place in enumerate(rng.choice(3, size=raters, p=[first, 0.8 - first, 0.2])):
                row = {"item": f"i{number}", "outputs": ends, "rater": f"r{rater}", "question": "better"}
                ratings.append({**row, "value": (*ends, "tie")[place]})
    given = [[{"id": f"system-{code:03}", "text": "It sails at nine."} for code in codes] for codes in of_item]
    return _study("pairwise", question), [_item(number, outputs) for number, outputs in enumerate(given)], ratings


def sliders(ratings: int, step: float | None, systems: int = 4, raters: int = 5) -> tuple[str, Lines, Lines]:
    """A study of outputs that several people rate on a slider, with steps or continuous."""
    rng = np.random.default_rng(1)
    items = ratings // (systems * raters)
    names = [f"system-{code}" for code in range(systems)]
    quality = rng.normal(60, 15, (items, systems)) + np.arange(systems)
    given = np.clip(quality[:, :, None] + rng.normal(0, 12, (items, systems, raters)), 0, 100)
    given = given if step is None else np.rint(given / step) * step
    steps = "" if step is None else f", step: {step}"
    question = f"{{key: quality, type: slider, text: How good is it?, min: 0, max: 100{steps}}}"
    outputs = [{"id": name, "text": "It sails at nine."} for name in names]
    rows: Lines = [
        {"item": f"i{item}", "output": names[system], "rater": f"r{rater}", "question": "quality", "value": value}
        for (item, system, rater), value in np.ndenumerate(given)
    ]
    return _study("rating", question), [_item(number, outputs) for number in range(items)], rows


def _study(protocol: str, question: str) -> str:
    return f"title: Case\nprotocol: {protocol}\nredundancy: 3\nquestions:\n  - {question}\n"


def _item(number: int, outputs: object) -> dict[str, object]:
    return {"id": f"i{number}", "document": "The ferry sails at nine.", "outputs": outputs}


CASES = {
    "100 systems, 10,000 items": lambda: pairs(100, 10_000, 2),
    "100 systems, 300 items": lambda: pairs(100, 300, 9),
    "200 systems, 10,000 items": lambda: pairs(200, 10_000, 2),
    "200 systems, 300 items": lambda: pairs(200, 300, 9),
    "500,000 on a slider, steps of 1": lambda: sliders(500_000, 1),
    "500,000 on a slider, continuous": lambda: sliders(500_000, None),
}


KINDS = ("agreement", "details", "disagreement")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="*", default=list(CASES), help="which of them, by name; none for --data alone")
    parser.add_argument("--data", type=Path, help="a folder with a study, as one more case")
    parser.add_argument("--url", help="an empty database; default a temporary SQLite file")
    parser.add_argument("--compute", nargs="+", help="what a new process does: 'alpha', or a study's slug and a report")
    given = parser.parse_args()
    if given.compute:
        print(json.dumps(alpha() if given.compute == ["alpha"] else report(*given.compute)))
        return
    from benchmarks._own_database import own_database

    unit = _in_new_process("alpha")["seconds"]
    print(f"alpha of 3,000,000 ratings: {unit:.2f} s")
    print(f"{'study':32} {'report':12} {'processor s':>12} {'times alpha':>12} {'MiB':>6}", flush=True)
    with own_database(given.url) as temporary:
        for number, name in enumerate(given.cases):
            _measure(name, _written(temporary / f"case-{number}", *CASES[name]()), unit)
        if given.data:
            _measure(given.data.name, given.data, unit)


def _written(folder: Path, study: str, items: Lines, ratings: Lines) -> Path:
    """The folder with the files of a study, whose slug is the folder's name."""
    folder.mkdir()
    (folder / "study.yaml").write_text(f"slug: {folder.name}\n{study}")
    for table, lines in (("items", items), ("ratings", ratings)):
        (folder / f"{table}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _measure(name: str, folder: Path, unit: float) -> None:
    from django.core.management import call_command

    call_command("import_study", str(folder), stdout=sys.stderr)
    for kind in KINDS:
        found = _in_new_process(folder.name, kind)
        took = found["seconds"]
        print(f"{name:32} {kind:12} {took:12.1f} {took / unit:12.0f} {found['peak']:6.0f}", flush=True)


def _in_new_process(*what: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--compute", *what]
    found: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    return found


def alpha() -> dict[str, float]:
    from agreement.reliability.alpha import alpha as alpha_of
    from benchmarks.agreement import UNITS, flat

    given, seconds = flat(UNITS), []
    for _ in range(3):
        begun = time.process_time()
        alpha_of(*given, "nominal")
        seconds.append(time.process_time() - begun)
    return {"seconds": min(seconds)}


def report(slug: str, kind: str) -> dict[str, float]:
    import django

    django.setup()
    from annotation.models import Study
    from reports.kept.kept_reports import compute_here
    from reports.report_kinds.agreement import agreement_choices
    from reports.report_kinds.details import details_choices
    from reports.report_kinds.disagreement import disagreement_choices

    choices = {"agreement": agreement_choices, "details": details_choices, "disagreement": disagreement_choices}
    study, begun = Study.objects.get(slug=slug), time.process_time()
    compute_here(study, kind, choices[kind]())
    used = time.process_time() - begun
    return {"seconds": used, "peak": _peak()}


def _peak() -> float:
    """The most memory that this process has had, in MiB; what `resource` says includes what its parent had."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    main()
