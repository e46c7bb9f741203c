"""Browser windows that are reused by several simulated readers."""

from playwright.sync_api import Page, ViewportSize

SIZE: ViewportSize = {"width": 1440, "height": 1000}


def leave(window: Page) -> None:
    """Remove every trace of a reader from a window."""
    window.unroute_all(behavior="ignoreErrors")
    window.goto("about:blank")
    window.mouse.move(-1, -1)
    if window.viewport_size != SIZE:
        window.set_viewport_size(SIZE)
    window.emulate_media(media="null", color_scheme="null", reduced_motion="null")
    session = window.context.new_cdp_session(window)
    session.send("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    session.detach()
