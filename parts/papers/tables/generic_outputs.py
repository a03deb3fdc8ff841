"""InstruSum, table 12: outputs of a model for the instruction against its generic outputs."""

from annotation.blinding import shown_systems
from parts.papers.paper_answers import PaperAnswers
from parts.papers.paper_table import PaperTable, TableBody
from parts.papers.tables.output_pairs import same_model_pairs, similarity_table


class GenericOutputs(PaperTable):
    """A row per two systems of one model, of which the study marks the second as generic."""

    key = "instrusum_12"
    title = "Specific and generic outputs of a model"
    source = "InstruSum, table 12"

    def body(self, answers: PaperAnswers) -> TableBody | None:
        generic, _ = same_model_pairs(answers.codes.arrays.systems, shown_systems(answers.study))
        return similarity_table(answers, generic, ("specific", "generic"))


TABLE = GenericOutputs()
