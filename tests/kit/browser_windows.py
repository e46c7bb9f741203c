"""Windows of a browser, which one reader after the other opens."""

from playwright.sync_api import Page, ViewportSize

SIZE: ViewportSize = {"width": 1440, "height": 1000}


def leave(window: Page) -> None:
    """Leave nothing of a reader behind."""
    window.unroute_all(behavior="ignoreErrors")
    window.goto("about:blank")
    window.mouse.move(-1, -1)
    if window.viewport_size != SIZE:
        window.set_viewport_size(SIZE)
    window.emulate_media(media="null", color_scheme="null", reduced_motion="null")
    session = window.context.new_cdp_session(window)
    session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    session.detach()
