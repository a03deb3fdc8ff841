"""Turning the second factor on in a browser, and signing in with it: by the key as text, and with a recovery code."""

import pyotp
import pytest
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import SecondFactor
from tests.browser.accessibility import findings

SIGN_IN = {"User name": "owner", "Password": "owner has a long password"}


def first_step(desk):
    desk.page.goto(f"{desk.address}/sign-in/")
    for label, text in SIGN_IN.items():
        desk.page.get_by_label(label, exact=True).fill(text)
    desk.page.get_by_role("button", name="Sign in").click()


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1366, 390])
def test_axe_finds_nothing_while_a_person_turns_it_on_and_signs_in_with_it(new_desk, owner, axe, width):
    desk = new_desk(viewport={"width": width, "height": 900}, reduced_motion="reduce")
    page = desk.page
    first_step(desk)
    expect(page).to_have_url(f"{desk.address}/")
    page.goto(f"{desk.address}/my-settings/")
    page.get_by_role("link", name="Second factor").click()
    assert findings(page, axe) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    image = page.get_by_role("img", name="QR code").bounding_box()
    assert image["width"] == image["height"] > 150
    key = page.locator(".qr-key code").inner_text().replace(" ", "")
    page.get_by_label("Code from your app").fill(pyotp.TOTP(key).at(timezone.now()))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator(".recovery-codes li")).to_have_count(10)
    assert findings(page, axe) == []
    recovery = page.locator(".recovery-codes li").first.inner_text()
    page.get_by_role("link", name="I have saved them").click()
    desk.context.clear_cookies()
    first_step(desk)
    expect(page).to_have_url(f"{desk.address}/sign-in/code/?next=%2F")
    page.get_by_label("Code from your app").fill("12345")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".field-error")).to_contain_text("wrong or has been used")
    page.get_by_text("Use a recovery code instead").click()
    assert findings(page, axe) == []
    page.get_by_label("Code from your app").fill("")
    page.get_by_label("Recovery code").fill(recovery)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{desk.address}/")
    assert len(SecondFactor.objects.get().recovery_hashes) == 9
    page.goto(f"{desk.address}/my-settings/second-factor/")
    expect(page.get_by_text("9 recovery codes left")).to_be_visible()
    assert findings(page, axe) == []
