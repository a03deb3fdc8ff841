"""Make and compare the rows of `tests.load.sessions`: `... sessions_rows make PEOPLE TURNS DIR|compare DIR DIR`."""

import json
import sys
from collections import Counter
from pathlib import Path

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db.models import Count, Max  # noqa: E402

from accounts.models import Person  # noqa: E402
from annotation.members.membership import add_member  # noqa: E402
from annotation.models import Study  # noqa: E402
from annotation.studies.lifecycle import make_live, prepare  # noqa: E402
from files.reading import import_study  # noqa: E402
from llm.models import Call  # noqa: E402
from sessions.models import Turn  # noqa: E402
from tests.load.engine import MODEL  # noqa: E402
from tests.load.prepare import signed_in  # noqa: E402

DEMO = Path(__file__).parent.parent.parent / "demo" / "session"


def make(people: int, turns: int, folder: Path) -> dict:
    """Create a live study with one question per person; return what the people need."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    folder.mkdir()
    study_file = (DEMO / "study.yaml").read_text(encoding="utf-8")
    (folder / "study.yaml").write_text(study_file.replace("extractive/extractive", MODEL), encoding="utf-8")
    items = [json.loads(line) for line in (DEMO / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    lines = [{**items[number % len(items)], "id": f"question-{number}"} for number in range(people)]
    (folder / "items.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    study = import_study(folder, owner=None).study
    members = [Person.objects.create(username=f"person-{number}", password="!") for number in range(people)]
    for member in members:
        add_member(study, member, "annotator", None)
    prepare(study, 60.0)
    make_live(study, None)
    return {"study": study.slug, "turns": turns, "sessions": [signed_in(member) for member in members]}


def compare(ledgers: Path, export: Path) -> dict:
    """Compare what the server acknowledged with the database and the export; `wrong` must be empty."""
    study, wrong = Study.objects.get(), []
    lines = [json.loads(line) for line in (export / "sessions.jsonl").read_text(encoding="utf-8").splitlines()]
    exported = {(line["item"], turn["number"]): turn for line in lines for turn in line["turns"]}
    kept = {
        (str(turn.session.task.assignments.get(rater=turn.session.rater).key), turn.number): turn
        for turn in Turn.objects.filter(discarded=False).select_related(
            "session__task", "session__rater", "session__item"
        )
    }  # fmt: skip
    acknowledged = 0
    for file in sorted(ledgers.glob("*.jsonl")):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            acknowledged += 1
            turn = kept.get((line["session"], int(line["turn"])))
            if turn is None:
                wrong.append(f"{line}: no such turn")
                continue
            sent = exported.get((turn.session.item.key, turn.number), {})
            if line["step"] == "instruct" and not turn.instruction == sent.get("instruction") == line["q-:instruction"]:
                wrong.append(f"{line}: {turn.instruction!r} in the database, {sent.get('instruction')!r} exported")
            if line["step"] == "rate" and (sent.get("rating"), sent.get("comment")) != (
                line["q-rating"], line["q-comment"],
            ):  # fmt: skip
                wrong.append(f"{line}: exported as {sent.get('rating')!r}, {sent.get('comment')!r}")
    doubled = Turn.objects.filter(discarded=False).values("session", "number").annotate(n=Count("pk")).filter(n__gt=1)
    wrong.extend(f"{row} exists twice" for row in doubled)
    wrong.extend(
        f"turn {turn.number} of {turn.session} is {turn.status} without answer or reason"
        for turn in kept.values() if not (turn.answer if turn.status == "done" else turn.reason)
    )  # fmt: skip
    return {
        "acknowledged": acknowledged, "study": study.slug,
        "sessions": dict(Counter(line["status"] for line in lines)),
        "turns": dict(Turn.objects.values_list("status").annotate(Count("pk"))),
        "restarted": Turn.objects.filter(attempt__gt=1).count(),
        "most_attempts": Turn.objects.aggregate(n=Max("attempt"))["n"],
        "ledger": dict(Call.objects.values_list("status").annotate(Count("pk"))), "wrong": wrong,
    }  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1] == "make":
        print(json.dumps(make(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))))
    else:
        print(json.dumps(compare(Path(sys.argv[2]), Path(sys.argv[3]))))
