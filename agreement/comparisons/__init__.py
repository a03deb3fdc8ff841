"""Tests between systems. `catalogue/p_values.py` lists their p-values, with all others."""
