"""Writes bytes: the site's tree, its shell, the authored pages, and bundles. The only part that writes."""
