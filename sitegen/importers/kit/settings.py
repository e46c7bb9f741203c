"""Settings under which a model ran, and what tells several of them apart."""

from collections.abc import Mapping, Sequence

Settings = Mapping[str, str]
"""What a run was set to, by the name of the setting."""


def differences(settings: Sequence[Settings]) -> list[str]:
    """Return for each of several settings what tells it from the others: "dtype float16".

    A text is empty where a run states none of the settings that differ.
    """
    names = dict.fromkeys(name for values in settings for name in values)
    differing = []
    for name in names:
        values = {each.get(name, "") for each in settings}
        if len(values) > 1:
            differing.append(name)
    texts = []
    for values_by_name in settings:
        words = [f"{name} {values_by_name[name]}" for name in differing if values_by_name.get(name)]
        texts.append(", ".join(words))
    return texts
