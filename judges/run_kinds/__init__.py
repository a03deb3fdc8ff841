"""The kinds of runs, one module each, found by the registry (`judges.run_kind`)."""
