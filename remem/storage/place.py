"""The place of a store: whether a path can hold one, by its folder, rights and file system; which file lies there; how
files are made private, and stand on the disk for good. Reads no store."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from remem.errors import InvalidInputError, NotFoundError, StoreError, StoreReadOnlyError
from remem.storage.faults import mapped_errors

# WAL needs memory that all processes of a store share. These file systems may have users on several machines.
# fmt: off
NETWORK_FILE_SYSTEMS = frozenset((
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs",
    "nfs", "nfs4", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "vmhgfs", "webdav", "fuse.beegfs",
    "fuse.ceph", "fuse.davfs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.goofys", "fuse.mfs", "fuse.rclone",
    "fuse.s3fs", "fuse.smbnetfs", "fuse.sshfs", "fuse.vmhgfs-fuse", "network drive",
))
# fmt: on
PRIVATE = 0o600
_OCTAL = re.compile(r"\\([0-7]{3})")
_MOUNT_LINE = re.compile(r"^.+? on (?P<point>/.*) \((?P<kind>[^,)]+)[,)]")
_DRIVE_REMOTE = 4


def check_place(path: str | os.PathLike[str], create: bool) -> str:
    """The absolute path of a store, after checking that one can be there.

    Raises InvalidInputError for a path that is none, NotFoundError where the file is missing and `create` is false,
    StoreReadOnlyError where it is missing and cannot be made, StoreError for a missing folder, for what is not a file,
    and for a network file system.
    """
    text = _check_text(path)
    full = os.path.realpath(text)
    with mapped_errors(full):
        folder = os.path.dirname(full)
        if not os.path.isdir(folder):
            raise StoreError(f"store {full}: its folder does not exist. Create the folder first.", path=full)
        _check_kind(full, create)
        kind = find_network(full)
    if kind is not None:
        raise StoreError(
            f"store {full}: it lies on a network file system ({kind}), where SQLite's write-ahead log does not work. "
            "Choose a path on a local disk.",
            path=full,
        )
    return full


def is_writable(path: str) -> bool:
    """Whether this process may write the file and make files beside it, as SQLite has to."""
    return _may_write(path) and _may_write(os.path.dirname(path))


def make_private(path: str) -> None:
    """Makes an empty file that its owner alone may read and write. One that is there keeps its rights; where none can
    be made, whoever opens it next says why."""
    if os.name != "posix":
        return
    try:
        # Not by open(): closing that handle would drop the locks that SQLite has in this process on the same file.
        os.mknod(path, stat.S_IFREG | PRIVATE)
    except FileExistsError:
        return
    except OSError:  # only root may do that on macOS; what is made here has no locks yet
        with suppress(OSError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE))


def sync_file(path: str) -> None:
    """Has what was written to a file stand on the disk before this returns. Not for an open store: closing its file
    would drop SQLite's locks."""
    _sync(path, os.O_RDWR)


def sync_folder(path: str) -> None:
    """The same for the name of a file in its folder, where the system knows of that."""
    if os.name == "posix":
        _sync(os.path.dirname(path), os.O_RDONLY)


def get_identity(path: str) -> tuple[int, int]:
    """Device and inode: two files at one path differ in it. Raises OSError where there is none."""
    found = os.stat(path)
    return found.st_dev, found.st_ino


def make_uri(path: str, **options: str | int) -> str:
    """The SQLite URI of an absolute path."""
    return Path(path).as_uri() + "?" + "&".join(f"{name}={value}" for name, value in options.items())


def find_network(path: str) -> str | None:
    """The type of the network file system that an absolute path lies on, None for a local one (or an unknown one)."""
    kind = _find_kind(path)
    return kind if kind in NETWORK_FILE_SYSTEMS else None


def find_file_system(path: str, mounts: list[tuple[str, str]]) -> str:
    """The type of the mount that an absolute path lies on: the longest mount point above it, the last of equal ones."""
    best, kind = "", ""
    for point, mounted in mounts:
        if len(point) >= len(best) and (path + "/").startswith(point.rstrip("/") + "/"):
            best, kind = point, mounted
    return kind


def parse_mountinfo(text: str) -> list[tuple[str, str]]:
    """Mount points and file system types out of Linux's /proc/self/mountinfo."""
    mounts = []
    for line in text.splitlines():
        left, separator, right = line.partition(" - ")
        fields = left.split(" ")
        if separator and len(fields) > 4:
            mounts.append((_OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4]), right.split(" ")[0].lower()))
    return mounts


def parse_mount_listing(text: str) -> list[tuple[str, str]]:
    """Mount points and file system types out of what `mount` prints on macOS and BSD."""
    matches = (_MOUNT_LINE.match(line) for line in text.splitlines())
    return [(match["point"], match["kind"].lower()) for match in matches if match]


def _sync(path: str, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _check_text(path: str | os.PathLike[str]) -> str:
    text: object = path.__fspath__() if isinstance(path, os.PathLike) else path
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise InvalidInputError("the path of a store must be a text that names a file", field="path")
    if text == ":memory:":
        raise InvalidInputError("a store in memory is not supported; give the path of a file", field="path")
    return text


def _check_kind(path: str, create: bool) -> None:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if not create:
            raise NotFoundError(f"store {path}: there is no such file.", path=path) from None
        if not _may_write(os.path.dirname(path)):
            raise StoreReadOnlyError(f"store {path}: its folder cannot be written.", path=path) from None
        return
    if stat.S_ISDIR(mode):
        raise StoreError(f"store {path}: it is a folder. Give the path of a file in it.", path=path)
    if not stat.S_ISREG(mode):
        raise StoreError(f"store {path}: it is not a regular file.", path=path)


def _may_write(path: str) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _find_kind(path: str) -> str:
    kind = ""
    if sys.platform == "linux":
        with suppress(OSError), open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            kind = find_file_system(path, parse_mountinfo(file.read()))
    elif sys.platform == "win32":
        import ctypes

        drive = os.path.splitdrive(path)[0]
        if drive.startswith("\\\\") or ctypes.windll.kernel32.GetDriveTypeW(drive + "\\") == _DRIVE_REMOTE:
            kind = "network drive"
    else:
        with suppress(OSError, subprocess.SubprocessError):
            listing = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=True).stdout
            kind = find_file_system(path, parse_mount_listing(listing))
    return kind
