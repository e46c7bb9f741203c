"""Read and check a results folder; no other package reads `results/`.

In: the path of a results folder, of one benchmark or of one bundle. Out: `models.results.Results`,
which holds every record that could be read and every problem that was found, none raised alone.
A second door compares two states of a folder (`history`, `ownership`) and says what a change may
not do. Read `folder.read_results` first, then `bundles.read_bundle`.
"""
