"""Read and check a results folder; no other package reads `results/`.

In: the path of a results folder, of one benchmark or of one bundle. Out: `models.results.Results`,
which holds every record that could be read and every problem that was found, none raised alone.
`files` knows where files lie and how they are read as they are written, `checks` compares what was
read with rules, `readers` reads a folder with all checks, and `compare` checks what became of
published results between two states of a folder. Each imports only the ones before it. Read
`readers.folder.read_results` first, then `readers.bundles.read_bundle`, and for two states
`compare.history.history_problems`.
"""
