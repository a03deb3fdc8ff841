"""What axe-core finds on a page, in light and in dark."""

from collections.abc import Sequence

from playwright.sync_api import Page

# Only what was found leaves the page: everything that axe looked at is up to a megabyte, which takes seconds to read.
RUN = """async () => {
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) => [id, impact, nodes.map(({ html }) => html.slice(0, 300))]);
}"""


def findings(page: Page, axe: str, schemes: Sequence[str] = ("dark", "light")) -> list[tuple]:
    """The findings in these colour schemes, of the page as it is now; it ends in the last."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe + ";0")
    found = []
    for scheme in schemes:
        # A colour on its way from one scheme to the other would be measured in between.
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found += [(scheme, *one) for one in page.evaluate(RUN)]
    return found
