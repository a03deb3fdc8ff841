"""Figures of raters that parts add to those of the page *Rater checks*."""

from dataclasses import dataclass


@dataclass(frozen=True)
class RaterColumn:
    """A figure of each rater: the mean of shares from 0 to 1, or with `counts_passed` how many of them are 1.

    `shares` is the dotted name of a function of a study that yields a rater's primary key, a column's key and a share;
    columns may name the same one. A worker computes the figures.
    """

    key: str
    title: str
    about: str
    shares: str
    counts_passed: bool = False
