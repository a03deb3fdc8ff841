"""What datasets add: the tables of training and analysis examples in an export."""

from config.part import Part
from parts.datasets.dataset_tables import AGGREGATED_LABELS, PREFERENCE_PAIRS, PREFERENCE_TIES, TRAINING_TURNS


class DatasetsPart(Part):
    derived_tables = (AGGREGATED_LABELS, PREFERENCE_PAIRS, PREFERENCE_TIES, TRAINING_TURNS)


PART = DatasetsPart()
