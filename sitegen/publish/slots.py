"""Fills the places that authored pages leave for generated parts."""


def fill_slot(page: str, slot: str, content: str) -> str:
    """Put a generated part where the page's author left a place for it.

    Args:
        page: A built page.
        slot: Name of the place; the author wrote `<div data-slot="NAME"></div>`.
        content: HTML.
    """
    return page.replace(f'<div data-slot="{slot}"></div>', content)
