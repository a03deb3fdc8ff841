"""What people answered, as flat arrays, from which every figure is computed.

`rating_arrays` has the ratings of one question, `pair_choices` choices between two outputs, `rankings` whole rankings,
`best_worst_answers` the best and the worst of several. `tally` counts values per unit; `scored_outputs` has one number
per output.
"""
