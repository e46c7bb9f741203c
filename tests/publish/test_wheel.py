"""The program as a wheel: what the build backend would make, packed without one."""

import csv
import subprocess
import sys
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from sitegen.publish.projects.wheel import program_wheel

ROOT = Path(__file__).parents[2]


def files_in(wheel: bytes) -> dict[str, bytes]:
    with ZipFile(BytesIO(wheel)) as archive:
        assert len(archive.namelist()) == len(set(archive.namelist()))
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def packed() -> dict[str, bytes]:
    return files_in(program_wheel().data)


def of_package(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name.startswith("sitegen/")}


def test_it_holds_what_the_build_backend_would_put_into_it(tmp_path: Path, packed: Mapping[str, bytes]) -> None:
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(hatch, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.iterdir()
    built = files_in(wheel.read_bytes())
    assert program_wheel().name == wheel.name
    assert packed.keys() == built.keys()
    assert of_package(packed) == of_package(built)


def test_its_record_has_every_file_with_its_sum(packed: Mapping[str, bytes]) -> None:
    (record,) = (name for name in packed if name.endswith(".dist-info/RECORD"))
    recorded_sums = {name: (digest, size) for name, digest, size in csv.reader(packed[record].decode().splitlines())}
    sums = {name: urlsafe_b64encode(sha256(data).digest()).decode().rstrip("=") for name, data in packed.items()}
    expected_sums = {name: (f"sha256={sums[name]}", str(len(data))) for name, data in packed.items()}
    assert recorded_sums == expected_sums | {record: ("", "")}


def test_how_the_program_came_to_this_machine_stays_here(packed: Mapping[str, bytes]) -> None:
    assert not [name for name in packed if name.endswith(("direct_url.json", "INSTALLER", "REQUESTED", ".pyc"))]
