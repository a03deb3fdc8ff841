"""Labels of long names: short, and as different as the names."""

from hypothesis import given
from hypothesis import strategies as st

from reports.pages.display.plots import dot_plot
from reports.pages.display.short_names import CUT, IN_TABLES, MOST_LETTERS, short_names, short_rows

letters = st.text(alphabet="abc-", max_size=12)
"""Parts of names of few letters, so that many names are alike."""
alike = st.tuples(st.sampled_from(["", "p" * 40, "q" * 15]), letters, st.sampled_from(["", "s" * 40, "-v1"]))
families = st.lists(st.one_of(st.text(max_size=60), alike.map("".join)), unique=True, max_size=12)


@given(families)
def test_different_names_have_different_labels(names):
    labels = short_names(names)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)


@given(families)
def test_labels_have_at_most_so_many_letters_and_short_names_stay(names):
    for name, label in short_names(names).items():
        assert len(label) <= MOST_LETTERS
        assert (label == name) == (len(name) <= MOST_LETTERS)


@given(families)
def test_labels_do_not_depend_on_chance(names):
    assert short_names(names) == short_names(names)


def test_names_that_differ_in_the_middle_show_what_differs():
    names = [f"meta-llama-instruct-{size}-chat-with-a-long-prompt-v2" for size in ("7b", "13b", "70b")]
    labels = short_names(names)
    assert all(size in labels[name] for name, size in zip(names, ("7b", "13b", "70b"), strict=True))


def test_names_of_one_family_keep_their_different_ends():
    names = [f"uedin-syntax-transformer-ensemble.{number}" for number in (4001, 4002)]
    assert [label[-4:] for label in short_names(names).values()] == ["4001", "4002"]
    assert all(CUT in label for label in short_names(names).values())


@given(families.filter(lambda names: len(names) > 1))
def test_pairs_of_systems_stay_distinct(names):
    pairs = list(dict.fromkeys(f"{one} \N{MINUS SIGN} {other}" for one in names for other in names))
    labels = short_rows(pairs)
    assert len(set(labels.values())) == len(pairs)
    assert all(labels[pair] == pair for pair in pairs if max(map(len, pairs)) <= IN_TABLES)


def test_a_drawing_of_a_family_has_a_label_per_system():
    names = [f"a-shared-beginning-of-a-name-{number}-and-a-shared-end-of-it" for number in range(4)]
    plot = dot_plot(dict.fromkeys(names, 0.5), {}, (0, 1))
    assert len({dot.label for dot in plot.dots}) == 4
    assert sorted(dot.name for dot in plot.dots) == names
