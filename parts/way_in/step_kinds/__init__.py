"""The kinds of steps, each in a module that binds ENTRY_STEP."""
