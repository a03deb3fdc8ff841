"""Agreement statistics over arrays of ratings: numpy and scipy only, nothing of the platform.

`report.describe` gives every figure of a rating question, `pair_report` those of choices and rankings,
`span_report` those of spans, `dimensions` those of two dimensions; the other modules hold one idea each.
"""
