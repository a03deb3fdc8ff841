"""Dry runs: a copy is made, filled through the pages of the desk, looked at, and removed by one press."""
