"""What a build does not load, as that takes longer than it uses it."""

import json
import subprocess
import sys


def modules_after(code: str) -> set[str]:
    """Name the modules that a new Python has loaded after some code."""
    command = f"{code}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, check=True)
    return set(json.loads(done.stdout))


def test_special_functions_come_without_compiler_and_test_tools() -> None:
    loaded = modules_after(
        "from sitegen.metrics.special_functions import load_special_functions\n"
        "load_special_functions()\n"
        "import scipy\n"
        "assert round(scipy.special.ndtri(0.975), 4) == 1.96"
    )
    assert "scipy.special" in loaded
    assert not loaded & {"numpy.f2py", "numpy.testing"}


def test_parts_of_numpy_that_were_left_out_load_when_they_are_asked_for() -> None:
    loaded = modules_after(
        "from sitegen.metrics.special_functions import load_special_functions\n"
        "load_special_functions()\n"
        "import numpy\n"
        "numpy.testing.assert_array_equal([1], [1])"
    )
    assert "numpy.testing" in loaded


def test_a_build_does_not_load_what_talks_to_servers() -> None:
    loaded = modules_after("import sitegen.pipeline.building\nimport sitegen.pipeline.writing")
    assert not loaded & {"ssl", "http.client", "urllib.request", "sitegen.models.schemas"}
