"""What files add: the import of exclusions."""

from config.part import Part
from files.reading.exclusion_import import ExcludedRaterImport


class FilesPart(Part):
    importers = {ExcludedRaterImport.table: ExcludedRaterImport}


PART = FilesPart()
