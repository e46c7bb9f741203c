"""However addresses and settings are changed, a command ends with words: `validate` refuses them, or a build works."""

import random
import shutil
from collections import Counter
from pathlib import Path

import pytest
from corpus.configurations import Configurations, use
from kit.command import sitegen
from kit.thoroughness import IS_WHOLE

CHANGES = 5000 if IS_WHOLE else 60
PARTS = 10 if IS_WHOLE else 2
BUILT = 2


@pytest.mark.parametrize("seed", range(PARTS))
def test_a_changed_configuration_is_refused_or_built(seed: int, tmp_path: Path) -> None:
    made = Configurations(tmp_path / "project")
    pages, ends = tmp_path / "pages", Counter[str]()
    for number in range(CHANGES // PARTS):
        dice = random.Random(f"{seed} {number}")  # noqa: S311 - to be repeated
        made.change(dice)
        shutil.rmtree(pages, ignore_errors=True)
        try:
            ends[use(made, dice, pages)] += 1
        except Exception as error:
            error.add_note(f"seed {seed}, change {number}")
            raise
        made.restore()
    assert ends["built"] > CHANGES // PARTS // 20, ends  # else it would try little


@pytest.mark.parametrize("seed", range(BUILT))
def test_what_validate_passes_is_built(seed: int, tmp_path: Path) -> None:
    made = Configurations(tmp_path)
    for number in range(1000):
        made.change(random.Random(f"built {seed} {number}"))  # noqa: S311 - to be repeated
        made.settings.unlink()
        if sitegen("validate", made.results).returncode == 0:
            break
        made.restore()
    done = sitegen("build", "--results", made.results, "--site", tmp_path / "site")
    assert done.returncode == 0 or (done.returncode == 2 and "[[redirects]]" in done.stderr), done.stderr
