"""The two outputs of a pair as exchangeable: which of them is called first must not change a figure.

Agreement by chance depends on how often each value is used. "First" and "second" say only in which order the two
outputs were listed, so they are equally likely by chance: wherever the shares of values enter a figure, the shares of
first and second are replaced by their mean. Observed agreement does not depend on the order and stays as it is.

Otherwise figures would depend on the names of systems. With one system preferred in 95 % of 100 pairs, alpha is 0.77;
if pairs were listed by name, it would be -0.001 for the same answers.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # web servers load this module and not scipy, which takes much memory
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sides:
    """All values of choices within pairs, ascending (K,), and what each becomes if the two outputs change places.

    `mirror` (K,) has the place of that value.
    """

    values: Floats
    mirror: Ints

    def shared(self, counts: "Floats | csr_array") -> Floats:
        """Counts (..., K) of the values, with those of first and second replaced by their mean."""
        dense = counts if isinstance(counts, np.ndarray) else counts.toarray()
        mean: Floats = (dense + dense[..., self.mirror]) / 2
        return mean

    def shared_table(self, table: Floats) -> Floats:
        """Tables (..., K, K) of two columns of values, averaged with the tables of the exchanged outputs."""
        mean: Floats = (table + table[..., self.mirror, :][..., self.mirror]) / 2
        return mean
