"""InstruSum, table 13: two outputs of one model, such as greedy and sampled ones; or outputs of any two systems."""

from itertools import combinations

from annotation.blinding import shown_systems
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody
from parts.papers.tables.output_pairs import MOST_SYSTEMS, same_model_pairs, similarity_table


class SimilarOutputs(PaperTable):
    """A row per two systems of one model; per any two if the study names no systems of one model."""

    key = "instrusum_13"
    title = "Similarity of systems' outputs"
    source = "InstruSum, table 13"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        systems = answers.codes.arrays.systems
        generic, pairs = same_model_pairs(systems, shown_systems(answers.study))
        if not generic and not pairs and len(systems) <= MOST_SYSTEMS:
            pairs = list(combinations(systems, 2))
        return similarity_table(answers, pairs, ("first", "second"))


TABLE = SimilarOutputs()
