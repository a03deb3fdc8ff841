"""Intervals and standard errors, over resampled items or from formulas, and their place in reports of plain values."""
