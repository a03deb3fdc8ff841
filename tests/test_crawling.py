"""Which addresses a test that follows links opens."""

from tests.crawling import Addresses


def opened(start, added, of_a_kind, most=100, skip=()):
    waiting, found = Addresses(start, of_a_kind, most, skip), []
    for path in waiting:
        found.append(path)
        waiting.add(added)
    return found


def test_all_of_the_start_comes_and_of_the_rest_so_many_that_differ_in_numbers_alone():
    start, added = ["/a/1/", "/a/2/", "/a/3/"], ["/a/4/", "/b/1/", "/b/2/?c=1&amp;d=2", "/b/3/", "/b/4/", "/static/x"]
    assert opened(start, added, 2) == [*start, "/b/4/", "/b/3/", "/b/2/?c=1&d=2"]
    assert sorted(opened(start, added, None)) == ["/a/1/", "/a/2/", "/a/3/", "/a/4/", "/b/1/", "/b/2/?c=1&d=2",
                                                  "/b/3/", "/b/4/"]  # fmt: skip


def test_a_limit_stops_what_is_added_and_not_the_start():
    assert opened(["/a/", "/b/", "/c/"], ["/d/"], None, most=1) == ["/a/", "/b/", "/c/"]
    assert opened(["/a/", "/other/"], ["/b/other/"], None, skip=["other"]) == ["/a/"]
