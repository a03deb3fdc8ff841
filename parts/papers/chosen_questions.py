"""The questions that a reader may choose for tables of papers."""

from reports.comparison_tables import ComparisonQuestion

MAJORITY_OF = ComparisonQuestion(
    "majority_of", "Majority of", "the first yes-or-no question", "people's question for AUC in riSum's table 4"
)
MEAN_OF = ComparisonQuestion(
    "mean_of", "Mean of", "the first other question", "people's question for the distances of that table"
)
