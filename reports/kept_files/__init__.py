"""Exports and bundles that workers write once and everybody downloads: requests, files, pages, tombstones."""
