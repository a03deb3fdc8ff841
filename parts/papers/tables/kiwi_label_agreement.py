"""KIWI, sections 4.2 and 4.3: how far people, and models that label turns, agree with people's labels."""

from collections.abc import Mapping
from itertools import combinations

from django.db.models import Q

from agreement.text_lengths import count_words
from agreement.turns.label_agreement import MOST_RATERS, Label, label_agreement
from llm.models import StudyPrompt
from llm.prompt_files import load_prompt, prompt_key
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody, TableCell, TableColumn, cell_of
from parts.papers.session_answers import SessionAnswers
from sessions.label_definitions import APP, PROMPTS
from sessions.models import TurnLabel
from sessions.turn_variants import turn_variant

ANCHOR = "agreement-between-labellers"
LONG_ENOUGH = 4
"""Words of an instruction that is taken for an example wherever a prompt has it."""
NOTES = (
    "Each pair of labellers with at least one person, over the turns that both labelled. Intervals draw turns.",
    "For a model, turns are left out whose instruction is an example in its prompt.",
)


class LabelAgreement(PaperTable):
    """A part per kind of label; a row per pair of labellers."""

    key = "kiwi_kappa"
    title = "Agreement on labels of turns"
    source = "KIWI, sections 4.2 and 4.3"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        sessions = answers.sessions
        if sessions is None:
            return None
        rows: list[tuple[str, list[TableCell]]] = []
        parts: list[str] = []
        for kind in TurnLabel.Kind:
            people = list(sessions.people.labels.get(kind.value, ()))
            names = sorted({rater for _, rater, _ in people})
            runs = {
                name: [one for one in found.labels.get(kind.value, ()) if one[1] == name]
                for name, found in sessions.runs.items()
            }
            shown = _shown_turns(sessions, kind.value) if any(runs.values()) else set()
            own = [_row(pair, people, set()) for pair in combinations(names, 2)] if len(names) <= MOST_RATERS else []
            own += [
                _row((run, name), [*labels, *people], shown) for run, labels in runs.items() if labels for name in names
            ]
            known = [row for row in own if row is not None]
            rows += known
            parts += [kind.label] * len(known)
        if not rows:
            return None
        columns = [
            TableColumn("cohen_kappa", "Cohen's kappa", "kappa", ANCHOR),
            TableColumn("percent_agreement", "Agreement", "share", ANCHOR), TableColumn("turns", "Turns", "count"),
            TableColumn("left_out", "Left out", "count"),
        ]  # fmt: skip
        return TableBody("Labellers", columns, rows, parts, NOTES)


def _row(pair: tuple[str, str], labels: list[Label], shown: set[str]) -> tuple[str, list[TableCell]] | None:
    """The agreement of two labellers without the turns `shown`, or None if they share no other turn."""
    own = [one for one in labels if one[1] in pair]
    kept = [one for one in own if one[0] not in shown]
    report = label_agreement(kept)
    if not report["pairs"]:
        return None
    both = {turn for turn, name, _ in own if name == pair[0]} & {turn for turn, name, _ in own if name == pair[1]}
    (entry,) = report["pairs"]
    undefined = {"cohen_kappa": report["undefined"].get("pairs.0.cohen_kappa", "")}
    figures: Mapping[str, object] = {**entry, "undefined": undefined}
    return " \N{EN DASH} ".join(pair), [
        cell_of(figures, ("cohen_kappa",)), cell_of(figures, ("percent_agreement",)), TableCell(float(entry["turns"])),
        TableCell(float(len(both & shown))),
    ]  # fmt: skip


def _shown_turns(sessions: SessionAnswers, kind: str) -> set[str]:
    """The turns whose instruction is an example in a prompt for labels of this kind: ours, or one of the study's."""
    if kind not in PROMPTS:
        return set()
    ours, key = load_prompt(APP, PROMPTS[kind]), prompt_key(APP, PROMPTS[kind])
    own = StudyPrompt.objects.filter(Q(key=key) | Q(key__startswith=f"{key}@"), study=sessions.study)
    prompt = _plain(
        "\n".join([ours.user, *(f"{system}\n{user}" for system, user in own.values_list("system", "user"))])
    )
    return {
        turn_variant(turn.session, turn.number)
        for turn in sessions.people.turns
        if _is_shown(_plain(turn.instruction), prompt)
    }


def _is_shown(instruction: str, prompt: str) -> bool:
    """Whether a prompt has an instruction as an example: in quotes, or if it is long enough, anywhere."""
    if count_words(instruction) < LONG_ENOUGH:
        return bool(instruction) and f'"{instruction}"' in prompt
    return instruction in prompt


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


TABLE = LabelAgreement()
