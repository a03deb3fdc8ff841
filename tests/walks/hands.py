"""The two ways to work through a page: by keyboard alone, and by touch."""

from playwright.sync_api import Locator, Page, expect

from tests.browser.targets import CLICKED, TAPPED

MOST_TABS = 250
IS_FOCUSED = "node => node === document.activeElement"


class KeyboardHand:
    """Presses the page's own keys; what has none is reached with Tab. Never clicks."""

    name = "keyboard"
    options: dict = {}
    smallest = CLICKED

    def press(self, control: Locator, *keys: str) -> None:
        """Use a control by its keys, or else focus it and press Enter."""
        expect(control).to_be_visible()
        if not keys:
            self.reach(control)
        for key in keys or ("Enter",):
            control.page.keyboard.press(key)

    def write(self, field: Locator, text: str, key: str = "") -> None:
        """Type into a field, and leave it if a key of the page led there."""
        expect(field).to_be_attached()
        if key:
            field.page.keyboard.press(key)
            expect(field).to_be_focused()
        else:
            self.reach(field)
        field.page.keyboard.type(text)
        if key:
            field.page.keyboard.press("Escape")

    def reach(self, control: Locator) -> None:
        for _ in range(MOST_TABS):
            if control.evaluate(IS_FOCUSED):
                return
            control.page.keyboard.press("Tab")
        raise AssertionError(f"{control} was not reached with Tab")


class TouchHand:
    """Taps, and writes with the keyboard on the screen; knows no keys."""

    name = "touch"
    options = {"has_touch": True, "is_mobile": True}
    smallest = TAPPED

    def press(self, control: Locator, *keys: str) -> None:
        bring(control)
        control.tap()

    def write(self, field: Locator, text: str, key: str = "") -> None:
        bring(field)
        field.tap()
        expect(field).to_be_focused()
        field.page.keyboard.insert_text(text)


HANDS = {hand.name: hand for hand in (KeyboardHand(), TouchHand())}


def bring(control: Locator) -> None:
    """Scroll to a control, as a person does before tapping; in a low window it may be behind the bar at the bottom."""
    control.evaluate("node => node.scrollIntoView({ block: 'center', behavior: 'instant' })")


SELECT = """([letter, count]) => {
    const node = document.querySelector(`[data-text-of="${letter}"]`);
    node.scrollIntoView({ block: "center" });
    const text = document.createTreeWalker(node, NodeFilter.SHOW_TEXT).nextNode();
    const end = [...text.data.matchAll(/\\S+/g)].slice(0, count).at(-1);
    document.getSelection().setBaseAndExtent(text, 0, text, end.index + end[0].length);
}"""


def hold_and_drag(page: Page, letter: str, words: int) -> None:
    """Select the first words of a text, as holding and dragging on a touch screen leaves them."""
    page.evaluate(SELECT, [letter, words])
