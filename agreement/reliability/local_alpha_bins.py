"""The bins in which alpha within items is counted, for figures and for the pages that lead to their items."""

EDGES = tuple(round(-1 + step / 10, 1) for step in range(21))
"""Alpha within an item is above -1, because D_o / D_e < 2. All bins but the last exclude their upper edge."""
