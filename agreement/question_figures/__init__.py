"""Every figure of one question, with intervals, as plain values for JSON: one module per shape of answers."""
