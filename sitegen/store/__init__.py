"""Read and check a results folder; no other package reads `results/`.

The functions take the path of a results folder, of one benchmark or of one bundle, and return
`models.results.Results` with every record that could be read and every problem that was found.

`files` names the files and reads them without a model, `checks` compares records with rules,
`readers` reads a folder with all checks, and `compare` checks how published results changed between
two states of a folder. Each subpackage imports only those before it. Read
`readers.folder.read_results` first, then `readers.bundles.read_bundle`, and for two states
`compare.history.history_problems`.
"""
