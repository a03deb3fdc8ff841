"""The turns of a study's revision sessions as tables count them: by people's labels, and by those of each run."""

from collections.abc import Iterator
from functools import cached_property

from annotation.models import JudgeRun, Study
from reports.figures.rows.turn_rows import SessionRows, session_rows
from sessions.models import Turn, TurnLabel
from sessions.transcript import with_ratings_of_all
from sessions.turn_labels import labeller_name

PEOPLE = "people"


class SessionAnswers:
    """A study's sessions, read once: with the labels of people, and once more for each run that labelled turns."""

    def __init__(self, study: Study) -> None:
        self.study = study

    @cached_property
    def people(self) -> SessionRows:
        """All turns, with the labels that count when no labeller is chosen."""
        return session_rows(self.study)

    @cached_property
    def runs(self) -> dict[str, SessionRows]:
        """All turns with the labels of a run, by the run's name among labellers, without runs that were replaced."""
        labels = TurnLabel.objects.filter(turn__session__study=self.study, is_current=True).exclude(run="")
        replaced = set(
            JudgeRun.objects.filter(rater__study=self.study, replaced_by__isnull=False).values_list("rater", "name")
        )
        names = {
            labeller_name(one)
            for one in labels.select_related("rater").order_by("rater", "run", "replicate", "kind", "turn")
            if (one.rater_id, one.run) not in replaced
        }
        return {name: session_rows(self.study, name) for name in sorted(names & set(self.people.labellers))}

    def labelled(self, field: str) -> Iterator[tuple[str, SessionRows]]:
        """People, then each run, with their rows, if any of their turns has a label in this field of `TurnRow`."""
        for name, rows in [(PEOPLE, self.people), *self.runs.items()]:
            if any(getattr(turn, field) is not None for turn in rows.turns):
                yield name, rows

    @cached_property
    def comments(self) -> dict[tuple[str, int], str | None]:
        """The comment of each turn that was labelled with an error, by its session's key and its number."""
        labelled = TurnLabel.objects.filter(
            turn__session__study=self.study, kind=TurnLabel.Kind.ERROR_CATEGORY, is_current=True
        )
        turns = Turn.objects.filter(pk__in=labelled.values("turn")).select_related("session", "annotation")
        told = with_ratings_of_all([(turn.session, [turn]) for turn in turns])
        return {(one.turn.session.key, one.turn.number): one.comment for (one,) in told}
