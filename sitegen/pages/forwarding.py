"""Pages at former addresses, which lead readers to where something is now."""

from sitegen.pages.environment import Templates


def forwarding_page(old: str, new: str, templates: Templates) -> str:
    """Write the whole page at a former address.

    Args:
        old: The former address.
        new: Where it leads; both below the site's root, ending in `/`.
        templates: Where the template stands, and what is known of the site.
    """
    imprint = templates.imprint
    return templates.fill("forwarding.html.j2", old, {"new": new, "site": imprint.site, "name": imprint.name})
