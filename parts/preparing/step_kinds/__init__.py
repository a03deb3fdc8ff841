"""Kinds of steps: one module per kind, found by the registry."""
