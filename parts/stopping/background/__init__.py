"""Background work of stop rules: looks are taken, and raters compared."""
