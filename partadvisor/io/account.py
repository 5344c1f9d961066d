"""Which operating system account runs a scratch server, and what that account can reach.

PostgreSQL refuses to run as root, and root is what a container or a CI job usually is. A scratch server
then runs as ``nobody``, which exists everywhere and owns nothing; an account such as ``postgres`` may own
somebody's real data.
"""

from __future__ import annotations

import os
import pwd
import shutil
import stat
from pathlib import Path

import msgspec

from partadvisor.model.errors import UsageError

_UNPRIVILEGED = "nobody"


class Account(msgspec.Struct, frozen=True):
    """User and group ids to switch to."""

    uid: int
    gid: int


def server_account() -> Account | None:
    """The account to switch to, or None when the server can run as the current user.

    Raises:
        UsageError: we are root and there is no unprivileged account.
    """
    if os.geteuid() != 0:
        return None
    try:
        entry = pwd.getpwnam(_UNPRIVILEGED)
    except KeyError:
        raise UsageError(
            f'cannot start a server as root: account "{_UNPRIVILEGED}" does not exist',
            hint="Run partadvisor as an unprivileged user.",
        ) from None
    return Account(entry.pw_uid, entry.pw_gid)


def can_use(path: Path, account: Account | None) -> bool:
    """Whether the account may read and traverse ``path``, and traverse every directory above it."""
    if account is None:
        return True
    read_and_search = stat.S_IROTH | stat.S_IXOTH
    return _allows(path, account, read_and_search) and all(
        _allows(parent, account, stat.S_IXOTH) for parent in path.resolve().parents
    )


def _allows(path: Path, account: Account, wanted: int) -> bool:
    """Permission bits only; ``wanted`` is given in the bits of "other"."""
    found = path.stat()
    if found.st_uid == account.uid:
        wanted <<= 6
    elif found.st_gid == account.gid:
        wanted <<= 3
    return found.st_mode & wanted == wanted


def copy_installation(bin_dir: Path, target: Path) -> Path:
    """Copies the installation of ``bin_dir`` so that every account can use it; returns the copy's bin directory.

    Only what running needs: 27 MB of the 42 MB of the embedded installation. A wheel keeps its shared
    libraries in ``PACKAGE.libs`` beside ``PACKAGE``, and its programs find them by that relative path.
    """
    skip = shutil.ignore_patterns("*.a", "pgxs", "pkgconfig", "man", "doc", "locale")
    installation = bin_dir.parent
    package = installation.parent
    copied = target / package.name / installation.name
    for name in (bin_dir.name, "lib", "lib64", "share"):
        if (installation / name).is_dir():
            shutil.copytree(installation / name, copied / name, symlinks=True, ignore=skip)
    libraries = package.with_name(f"{package.name}.libs")
    if package.name and libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    for path in (target, *target.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o444 | (0o111 if mode & stat.S_IXUSR else 0))
    return copied / bin_dir.name
