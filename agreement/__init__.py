"""Agreement statistics over arrays of ratings: numpy and scipy only, nothing of the platform.

`arrays` has what people answered, `question_figures` all of a question. The figures are in a room for each kind:
`reliability`, `disagreement`, `systems`, `comparisons` (tests), `spans`, `turns`, `answers`, `intervals`.
`meta_evaluation` compares judges with people. `catalogue` describes each figure, and lists each p-value. A module
contains one idea.
"""
