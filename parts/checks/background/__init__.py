"""Upkeep of hidden checks."""
