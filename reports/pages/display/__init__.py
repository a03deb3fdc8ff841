"""From figures to what a report's page prints: formatted numbers, tables, and positions in drawings.

No figure is computed here. Names and descriptions of figures are in the catalogues of `agreement`, all other words in
templates.
"""
