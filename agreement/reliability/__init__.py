"""How far raters agree: one module per coefficient."""
