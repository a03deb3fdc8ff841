"""Web processes behind the proxy share a study; `python -m tests.load.processes` gives the full figures."""

import pytest

from tests.load.processes import agrees, over_quota, race_of_processes
from tests.load.test_race import server_under_test
from tests.own_proxy import missing_proxy

pytestmark = [pytest.mark.postgresql, pytest.mark.thorough]


@pytest.mark.parametrize("processes", [2, 4, 8])
def test_more_web_processes_behind_the_proxy_claim_no_more_than_the_quota(processes):
    if missing := missing_proxy():
        pytest.skip(missing)
    found = race_of_processes(server_under_test(), processes, raters=10, tasks=16)
    assert (over_quota(found), found["errors"]) == (0, [])
    assert agrees(found), found
