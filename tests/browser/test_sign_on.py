"""Signing in by a provider in a browser, whose content policy lets it go there and come back."""

import pytest
from django.core.cache import cache
from playwright.sync_api import expect

from parts.sign_on.environment import OidcProvider
from tests.browser.accessibility import findings
from tests.parts.sign_on.oidc_server import CLIENT, SECRET, Provider


@pytest.mark.thorough
def test_a_person_goes_to_the_provider_and_comes_back_signed_in(new_desk, settings, axe):
    site = Provider()
    settings.OIDC = OidcProvider(site.address, CLIENT, SECRET, "Campus")
    cache.clear()
    desk = new_desk()
    desk.page.goto(f"{desk.address}/sign-in/?next=/my-settings/")
    assert findings(desk.page, axe) == []
    desk.page.get_by_role("link", name="Sign in with Campus").click()
    expect(desk.page).to_have_url(f"{desk.address}/my-settings/")
    expect(desk.page.locator(".topbar-person")).to_have_text("Ada Ndoye")
    desk.page.goto(f"{desk.address}/oidc/return/?code=x&state=x")
    expect(desk.page.get_by_role("heading")).to_have_text("Sign-in did not work")
    assert findings(desk.page, axe) == []
    assert [fault for fault in desk.faults if site.address not in fault] == []
    desk.faults.clear()  # the provider is another site
    site.shutdown()
    site.server_close()
    cache.clear()
