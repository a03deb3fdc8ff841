"""Background work of dry runs: copies are made and filled."""
