"""Maximum likelihood for Davidson's model with ties, for many tables of the same pairs of systems at once.

The log-likelihood is concave in theta and log nu. Take an edge i -> j for "i beat j" and edges both ways for "tied". A
finite maximum exists if every system can be reached from every other and, if there are ties, some cycle of edges has
more wins than ties. Otherwise the likelihood grows without bound in some direction.

Shapes: `counts` (3, P, b) has the wins of `first`, the wins of `second` and the ties of each of P pairs of systems in b
tables, and `seen` says which of them are not 0. `first` and `second` (P,) are the systems of a pair, with `first` <
`second`, and each pair is there once.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.sparse import csr_array
from scipy.sparse.csgraph import NegativeCycleError, bellman_ford, connected_components

from agreement.arrays.pair_choices import FIRST, TIE
from agreement.arrays.rating_arrays import Floats, Ints

ITERATIONS = 200
CLOSE = 1e-6
"""A fit has converged if its last step is at most this long: what remains is about the square."""
LONGEST_STEP = 2.0

Seen = NDArray[np.bool_]


def strong_components(seen: Seen, first: Ints, second: Ints, systems: int) -> Ints:
    """The strongly connected component of each system in each table, (b, S); no code is in two tables."""
    won, lost, tied = seen
    return _components(won | tied, lost | tied, first, second, systems)


def _components(down: Seen, up: Seen, first: Ints, second: Ints, systems: int) -> Ints:
    """Components of the graphs with edges first -> second if `down` (P, b) and second -> first if `up` (P, b).

    The tables are blocks of one graph. Its edges are sorted as they are made, because there are many of them, and none
    is there twice, because scipy's search for strong components fails on such.
    """
    tables, pairs = down.shape[1], first.size
    start, end = np.concatenate([first, second]), np.concatenate([second, first])
    order = np.lexsort((end, start))
    there = np.concatenate([down, up])[order]  # (2 P, b)
    table, edge = np.nonzero(there.T)
    nodes = tables * systems
    out = np.bincount(table * systems + start[order][edge], minlength=nodes) if pairs else np.zeros(nodes, np.int64)
    pointers = np.concatenate([[0], np.cumsum(out)])
    graph = csr_array((np.ones(edge.size), table * systems + end[order][edge], pointers), shape=(nodes, nodes))
    labels = connected_components(graph, directed=True, connection="strong")[1]
    return labels.reshape(tables, systems).astype(np.int64)


def has_maximum(seen: Seen, first: Ints, second: Ints, systems: int) -> Seen:
    """Whether the likelihood of each table has a finite maximum, (b,)."""
    won, lost, tied = seen
    labels = strong_components(seen, first, second, systems)
    connected: Seen = (labels == labels[:, :1]).all(axis=1)
    bounded = ~tied.any(axis=0) | (won & lost).any(axis=0)
    open_ = np.flatnonzero(connected & ~bounded)
    if open_.size:  # a cycle of wins alone is within a component of wins alone
        labels = np.sort(_components(won[:, open_], lost[:, open_], first, second, systems), axis=1)
        bounded[open_] = (np.diff(labels, axis=1) == 0).any(axis=1)
    for table in np.flatnonzero(connected & ~bounded):
        bounded[table] = _has_cycle_of_more_wins(seen[:, :, table], first, second, systems)
    return connected & bounded


def _has_cycle_of_more_wins(seen: Seen, first: Ints, second: Ints, systems: int) -> bool:
    """Whether some cycle of the connected graph of one table, `seen` (3, P), has more wins than ties.

    A win has length -1 and a tie 1: such a cycle has a negative length.
    """
    won, lost, tied = seen
    starts, ends, lengths = [], [], []
    for start, end, wins in ((first, second, won), (second, first, lost)):
        there = wins | tied
        starts.append(start[there])
        ends.append(end[there])
        lengths.append(np.where(wins[there], -1.0, 1.0))
    edges = (np.concatenate(starts), np.concatenate(ends))
    try:
        bellman_ford(csr_array((np.concatenate(lengths), edges), shape=(systems, systems)), indices=[0])
    except NegativeCycleError:
        return True
    return False


def fit(
    counts: Floats, first: Ints, second: Ints, systems: int, start: tuple[Floats, Floats] | None = None
) -> tuple[Floats, Floats]:
    """theta (S, b), with a mean of 0 in each table, and nu (b,) by Newton's method; NaN if it does not converge.

    Every table must have a maximum. `start` has theta (S,) and nu (1,) of a table that is like the others.
    """
    n, points, ties = counts.sum(axis=0), counts[FIRST] + counts[TIE] / 2, counts[TIE].sum(axis=0)
    tables = ties.size
    strength, nu = (np.zeros(systems), 2 * ties / np.maximum(n.sum(axis=0) - ties, 1)) if start is None else start
    theta = np.repeat(strength[:, None], tables, axis=1)
    with np.errstate(divide="ignore"):
        log_nu = np.log(np.where(ties > 0, nu, 0.0))
    found_theta, found_nu = np.full((systems, tables), np.nan), np.full(tables, np.nan)
    newton, active = _Newton(first, second, systems), np.arange(tables)
    for _ in range(ITERATIONS):
        step = newton.steps(theta, log_nu, n, points, ties)
        length = np.abs(step).max(axis=0, initial=0.0)
        step *= np.minimum(1, LONGEST_STEP / np.maximum(length, LONGEST_STEP))
        theta[:-1] += step[:-1]
        log_nu += step[-1]
        done, lost = length <= CLOSE, np.isnan(length)
        found_theta[:, active[done]], found_nu[active[done]] = theta[:, done], np.exp(log_nu[done])
        going = ~(done | lost)
        if not going.all():
            active, theta, log_nu, ties = active[going], theta[:, going], log_nu[going], ties[going]
            n, points = n[:, going], points[:, going]
        if not active.size:
            break
    return found_theta - found_theta.mean(axis=0), found_nu


class _Newton:
    """Newton's steps in theta and log nu. The theta of the last system stays, because only differences matter."""

    def __init__(self, first: Ints, second: Ints, systems: int) -> None:
        self.first, self.second, self.systems = first, second, systems
        pair = np.arange(first.size)
        shape = (systems, first.size)
        won, lost = (csr_array((np.ones(first.size), (one, pair)), shape=shape) for one in (first, second))
        self.signed, self.either = (won - lost).tocsr(), (won + lost).tocsr()
        self.inner = np.flatnonzero(second < systems - 1)
        self.cell = first[self.inner] + systems * second[self.inner]
        """Places of pairs of systems above the diagonal of the Hessian, whose columns lie one after the other."""

    def steps(self, theta: Floats, log_nu: Floats, n: Floats, points: Floats, ties: Floats) -> Floats:
        """The step of theta without the last system's, and of log nu, (S, b); NaN if the Hessian is singular.

        With one point for a win and half a point for a tie, the gradient is the points and ties minus their
        expectations, and the negative Hessian their covariance. Without ties log nu does not change.
        """
        up = np.exp((theta[self.first] - theta[self.second]) / 2)
        nu = np.exp(log_nu)
        total = up + 1 / up
        total += nu
        tie = nu / total
        mean = up / total + tie / 2
        tied = n * tie
        variance = n * (mean - mean * mean) - tied / 4
        gradient = np.asarray(self.signed @ (points - n * mean))
        gradient[-1] = ties - tied.sum(axis=0)
        cross = np.asarray(self.signed @ (tied * (0.5 - mean)))
        cross[-1] = np.where(ties == 0, 1.0, (tied - tied * tie).sum(axis=0))
        return self._solved(gradient, variance, cross)

    def _solved(self, gradient: Floats, variance: Floats, cross: Floats) -> Floats:
        """The solution of each table's equations (S, b), from the variances of pairs (P, b)."""
        diagonal = np.asarray(self.either @ variance)
        diagonal[-1] = cross[-1]
        inner = variance[self.inner].T.copy()
        hessian = np.zeros((self.systems, self.systems), order="F")
        cells, last = hessian.ravel(order="K"), self.systems - 1
        for table in range(gradient.shape[1]):
            cells[:] = 0
            cells[self.cell] = -inner[table]
            cells[:: self.systems + 1] = diagonal[:, table]
            cells[last * self.systems : -1] = cross[:-1, table]
            _, solution, failed = dposv(hessian, gradient[:, table], lower=0, overwrite_a=1)
            gradient[:, table] = np.nan if failed else solution
        return gradient
