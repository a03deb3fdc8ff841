"""The smallest editions of three faults, one after the other, at one site behind the proxy: a study for each."""

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.faults.faults import FAULTS, REDUNDANCY, SMALLEST, Site, after, wrong_in
from tests.faults.killed_proxy import ProxiedServer
from tests.faults.small_disks import can_mount, small_disk
from tests.load.race import compared, raced
from tests.load.server import environment, run
from tests.own_proxy import missing_proxy

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(bool(missing_proxy()), reason="nginx is missing"),
]  # fmt: skip
NAMES = ("web_killed", "power_cut", "disk_full")
MEGABYTES = 60


@dataclass
class StandingSite:
    """A running site with a study for each fault; its files are on a small disk, if one can be mounted."""

    folder: Path
    disk: Path | None
    stack: ExitStack

    def __post_init__(self):
        self.var = self.disk or self.folder
        self.env = environment(f"sqlite:///{self.var / 'load.sqlite3'}", self.var) | {"BEHIND_PROXY": "true"}
        size = map(str, (SMALLEST.raters, SMALLEST.tasks, REDUNDANCY, "rating", 2, len(NAMES)))
        self.plan = json.loads(run(["-m", "tests.load.prepare", *size], self.env))
        self.server = ProxiedServer(self.env, workers=2, threads=4, log=self.folder / "web.log")
        self.server.start()
        self.stack.callback(self.server.end)

    def wrong_after(self, name: str) -> list[str]:
        """Let a fault happen under load; say what is wrong in ledgers, database and export."""
        site = Site(self.folder / name, SMALLEST, self.stack)
        site.folder.mkdir()
        site.var, site.disk = self.var, self.disk
        fault = FAULTS[name](site)
        plan = self.plan | {"study": self.plan["studies"][NAMES.index(name)], "places": SMALLEST.tasks * REDUNDANCY}
        found = raced(self.env, site.folder, plan, self.server, fault)
        found |= compared(self.env, site.folder, plan["study"])
        return wrong_in({**found, **after(site, self.env, found)}, SMALLEST)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    with ExitStack() as stack:
        disk = stack.enter_context(small_disk(folder, MEGABYTES)) if can_mount(folder) else None
        yield StandingSite(folder, disk, stack)


def test_a_killed_web_server_loses_and_doubles_no_answer(site):
    assert site.wrong_after("web_killed") == []


def test_files_of_a_power_cut_open_with_every_acknowledged_answer(site):
    assert site.wrong_after("power_cut") == []


def test_a_full_disk_loses_and_doubles_no_answer(site):
    if site.disk is None:
        pytest.skip("only root can mount a small disk")
    assert site.wrong_after("disk_full") == []
