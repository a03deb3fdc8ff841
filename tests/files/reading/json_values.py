"""Any value of JSON in any place of a record, for tests of readers."""

from hypothesis import strategies as st

SCALARS = st.one_of(
    st.sampled_from(["x", "y z", 1, 2, 1.5]), st.none(), st.booleans(), st.integers(-5, 10**19), st.floats(),
    st.text(max_size=5),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


def places(value, path=()):
    """The paths of all values inside a JSON value."""
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from places(inner, (*path, key))


def replaced(value, path, new):
    """A copy with another value at a path."""
    if not path:
        return new
    copied = value.copy()
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied
