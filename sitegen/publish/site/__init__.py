"""Write the files of a site, from authored pages and generated ones, and check them.

In: a project, and pages and data as text. Out: a folder that replaces the last site. `tree` writes
and links its files. `authored` runs a program of `builders` on the authored pages, after
`authored_links` has removed links to pages that the site lacks; `branding` applies the project's
brand, and `stamping` puts generated pages into their shell. `styles` reduces style sheets, and
`search_index`, `feeds` and `sitemap` describe the pages to machines. `inputs` lists the files that
a site is made from, `cache` keeps results for the next build, and `object_files` packs them.
`manifest`, `link_check`, `page_weight` and `hosts` check the result, and `rebuild` builds a site
again to compare the two. Read `tree.replace_site` first, then `authored.building_authored`.
"""
