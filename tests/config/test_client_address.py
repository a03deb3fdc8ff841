import pytest

from config.client_address import client_address


def address(rf, direct, forwarded=None):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_address(rf.get("/", REMOTE_ADDR=direct, headers=headers))


@pytest.mark.parametrize(
    ("direct", "found"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", ""),
        ("no address", ""),
    ],
)
def test_addresses_are_normalised_and_ipv6_ones_grouped_by_network(rf, direct, found):
    assert address(rf, direct) == found


def test_without_a_proxy_the_header_is_ignored(rf, settings):
    settings.PROXY_COUNT = 0
    assert address(rf, "192.0.2.1", "203.0.113.9") == "192.0.2.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "found"),
    [
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        (1, "198.51.100.1,forged, [2001:db8::7]", "2001:db8::/64"),
        (2, "198.51.100.1, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        (2, "203.0.113.9", "203.0.113.9"),
        (1, "", "192.0.2.1"),
        (1, None, "192.0.2.1"),
        (1, "203.0.113.9, unknown", "192.0.2.1"),
    ],
)
def test_only_entries_that_our_proxies_appended_are_believed(rf, settings, proxies, forwarded, found):
    settings.PROXY_COUNT = proxies
    assert address(rf, "192.0.2.1", forwarded) == found
