"""The kinds of pages: one module each, which registers what it makes with `sitegen.pages.site`."""
