"""Compare the settings under which models ran."""

from collections.abc import Mapping, Sequence

Settings = Mapping[str, str]
"""The settings of a run, by name."""


def differences(settings: Sequence[Settings]) -> list[str]:
    """Return one text per run with the settings that differ between runs: "dtype float16".

    A text is empty if its run states none of the settings that differ.
    """
    names: dict[str, None] = {}
    for run_settings in settings:
        names.update(dict.fromkeys(run_settings))
    differing_names = []
    for name in names:
        values = {run_settings.get(name, "") for run_settings in settings}
        if len(values) > 1:
            differing_names.append(name)
    texts = []
    for run_settings in settings:
        stated = [name for name in differing_names if run_settings.get(name)]
        texts.append(", ".join(f"{name} {run_settings[name]}" for name in stated))
    return texts
