"""Agreement statistics over arrays of ratings: numpy and scipy only, nothing of the platform.

`report.describe` gives every figure of one question; the modules below it hold one idea each.
"""
