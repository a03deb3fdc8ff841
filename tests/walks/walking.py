"""A walk through the site: what is seen on each page, and what the database must hold in the end."""

from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Page, expect

from annotation.models import Annotation, Assignment
from tests.browser.accessibility import findings
from tests.browser.conftest import Desk, saved
from tests.browser.targets import CLICKED, small_targets
from tests.walks.hands import KeyboardHand, TouchHand

WIDE = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"


@dataclass
class Walk:
    """One person's way through a study. Pictures are taken if there is a folder for them, and axe asked if given."""

    name: str
    hand: KeyboardHand | TouchHand
    zoom: int = 100
    axe: str = ""
    pictures: Path | None = None
    desk: Desk = field(init=False)
    steps: int = 0
    sent: int = 0
    faults: list[str] = field(default_factory=list)
    axe_findings: list[str] = field(default_factory=list)

    @property
    def page(self) -> Page:
        return self.desk.page

    def see(self, what: str) -> None:
        """Look at the page as it is."""
        self.steps += 1
        if self.pictures:
            self.page.screenshot(path=self.pictures / f"{self.name}-{self.steps:02}-{what}.png")
        wide, room = self.page.evaluate(WIDE)
        if wide > room:
            self.faults.append(f"{what}: the page is {wide} px wide and has room for {room}")
        self.faults += [
            f"{what}: {small}"
            for small in small_targets(self.page, max(CLICKED, self.hand.smallest * 100 // self.zoom))
        ]
        if self.axe:
            dark = self.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
            found = findings(self.page, self.axe, ["dark" if dark else "light"])
            self.axe_findings += [f"{what}: {rule} ({impact}): {nodes[0][:160]}" for _, rule, impact, nodes in found]

    def sign_in(self, username: str, password: str) -> None:
        page, hand = self.page, self.hand
        page.goto(f"{self.desk.address}/")
        self.see("sign-in")
        hand.write(page.get_by_label("User name"), username)
        hand.write(page.get_by_label("Password"), password)
        hand.press(page.get_by_role("button", name="Sign in"))
        start = page.get_by_role("link", name="Start")
        expect(start).to_be_visible()
        self.see("home")
        hand.press(start)
        read = page.get_by_role("button", name="I have read the guidelines")
        expect(read).to_be_visible()
        self.see("guidelines")
        hand.press(read)

    def on_desk(self) -> Assignment:
        """The task that is on the desk."""
        expect(self.page.locator("#state")).to_have_text("saved")
        expect(self.page.locator("[aria-keyshortcuts]").first).to_be_attached()  # the page's script has begun
        key = self.page.locator("#desk").get_attribute("data-assignment")
        return Assignment.objects.get(key=key)

    def send(self, answers: dict) -> None:
        """Submit the task on the desk, and compare what the database then holds."""
        task = self.on_desk()
        saved(self.page)
        self.hand.press(self.page.locator("#submit"), "Enter")
        moved_on_or_ended(self.page, task)
        rows = Annotation.objects.filter(task=task.task_id, rater=task.rater_id, is_current=True)
        self.holds([(row.status, row.answers) for row in rows], [("submitted", answers)])

    def holds(self, found: object, expected: object) -> None:
        """Count an answer as sent, which the database must hold."""
        self.sent += 1
        if found != expected:
            self.faults.append(f"answer {self.sent}: the database holds {found} instead of {expected}")

    def end(self) -> None:
        expect(self.page.get_by_role("heading", name="All done")).to_be_visible()
        self.see("end")
        self.faults += self.desk.faults


def moved_on_or_ended(page: Page, task: Assignment) -> None:
    """Wait until the page shows another task, or is no desk any more."""
    expect(page.locator(f"#desk[data-assignment='{task.key}']")).to_have_count(0)
