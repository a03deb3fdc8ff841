"""Studies as a program makes, fills and steers them: settings, states, items, files, final answers."""
