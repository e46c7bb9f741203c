"""Load the special functions of SciPy that intervals and tests use."""

from importlib import import_module

import numpy as np

_UNUSED = ("f2py", "testing")
"""Parts of numpy that take as long to load as everything else that SciPy needs."""


def load_special_functions() -> None:
    """Load `scipy.special` without numpy's Fortran compiler and test tools.

    SciPy copies every name of numpy. Numpy loads these two parts when their names are first
    accessed, unless the names have a value; they have a value only until SciPy is loaded.
    """
    absent = [name for name in _UNUSED if name not in vars(np)]
    for name in absent:
        setattr(np, name, None)
    try:
        import_module("scipy.special")
    finally:
        for name in absent:
            if vars(np).get(name, np) is None:
                delattr(np, name)
