"""Judge protocols: one module each, found by the registry. `docs/judges.md` says how to write one."""
