"""Files and folders: local ones by the operating system, those with a URL by the package fsspec."""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import importlib
import os
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Location = str | os.PathLike[str]

#: What files that are not whole yet, and locks, are called.
HIDDEN = ".sunzi-"


@dataclass(frozen=True)
class Place:
    """A file or a folder: a local path, or a path of a file system of fsspec."""

    path: str
    system: Any = None

    @classmethod
    def of(cls, location: Location | Place) -> Place:
        """The place with this path or URL.

        Raises ImportError for a URL whose file system needs a package that is not there.
        """
        if isinstance(location, Place):
            return location
        path = os.fspath(location)
        if path.startswith("file://"):
            return cls(path.removeprefix("file://"))
        if "://" not in path:
            return cls(path)
        try:
            core = importlib.import_module("fsspec.core")
        except ImportError:
            raise ImportError(
                f'{path} is a URL, which needs the package fsspec (`pip install "sunzi[fsspec]"`) and that of its '
                "file system, such as s3fs"
            ) from None
        system, inside = core.url_to_fs(path)
        return cls(inside, system)

    def __str__(self) -> str:
        return self.path if self.system is None else str(self.system.unstrip_protocol(self.path))

    @property
    def name(self) -> str:
        return self.path.rstrip("/").rpartition("/")[2] if self.system else Path(self.path).name

    def child(self, name: str) -> Place:
        """The place of this name in the folder."""
        if self.system is None:
            return Place(os.path.join(self.path, name))
        return Place(f"{self.path.rstrip('/')}/{name}", self.system)

    def absolute(self) -> Place:
        """The same place, whatever the working directory is."""
        return Place(str(Path(self.path).resolve())) if self.system is None else self

    def exists(self) -> bool:
        return os.path.exists(self.path) if self.system is None else bool(self.system.exists(self.path))

    def is_folder(self) -> bool:
        return os.path.isdir(self.path) if self.system is None else bool(self.system.isdir(self.path))

    def make_folder(self) -> None:
        if self.system is None:
            os.makedirs(self.path, exist_ok=True)
        else:
            self.system.makedirs(self.path, exist_ok=True)

    def open(self) -> Any:
        """The file, to be read."""
        return open(self.path, "rb") if self.system is None else self.system.open(self.path, "rb")

    def matching(self, pattern: str) -> list[Place]:
        """The places that match the pattern, a path with `*`, in the order of their names."""
        if self.system is None:
            found = [Place(path) for path in glob.glob(pattern)]
        else:
            found = [Place(path, self.system) for path in self.system.glob(pattern)]
        return sorted(
            (place for place in found if not place.name.startswith(".")), key=lambda place: place.path
        )

    def stamp(self) -> tuple[object, ...]:
        """What changes when the file is written: its size and time, or what the file system tells instead."""
        if self.system is None:
            status = os.stat(self.path)
            return status.st_size, status.st_mtime_ns, status.st_ino
        status = self.system.info(self.path)
        return tuple(str(status.get(name)) for name in ("size", "ETag", "mtime", "LastModified", "created"))

    def digest(self) -> str:
        """SHA-256 of the contents, in hexadecimal."""
        with self.open() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()


def sources(locations: Location | Iterable[Location]) -> list[Place]:
    """The files that are named: each location is a file, a folder, of which the files `*.parquet` are taken, or a
    pattern with `*`.

    Raises FileNotFoundError for a location where nothing is.
    """
    if isinstance(locations, (str, os.PathLike)):
        locations = [locations]
    found = []
    for location in locations:
        place = Place.of(location)
        if place.is_folder():
            folder = place if place.system else Place(glob.escape(place.path))
            files = place.matching(folder.child("*.parquet").path)
            if not files:
                raise FileNotFoundError(errno.ENOENT, "no file *.parquet is in the folder", str(place))
        elif place.exists():
            files = [place]
        else:
            files = place.matching(place.path) if glob.has_magic(place.path) else []
            if not files:
                raise FileNotFoundError(errno.ENOENT, "there is no such file", str(place))
        found += files
    return found


@contextlib.contextmanager
def replacing(target: Place) -> Iterator[str]:
    """The path of a new local file that becomes the target when the block ends, whole and on its medium. After an
    exception there is neither."""
    name = f"{HIDDEN}{uuid.uuid4().hex}.parquet"
    if target.system is None:
        part = Path(target.path).with_name(name)
        try:
            yield str(part)
            _sync(part)
            os.replace(part, target.path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        if os.name != "nt":  # Where folders cannot be opened.
            _sync(part.parent)
        return
    with tempfile.TemporaryDirectory(prefix=HIDDEN) as folder:
        local = os.path.join(folder, name)
        yield local
        uploaded = f"{target.path.rpartition('/')[0]}/{name}"
        try:
            target.system.put_file(local, uploaded)
            target.system.mv(uploaded, target.path)
        except BaseException:
            with contextlib.suppress(Exception):
                target.system.rm_file(uploaded)
            raise


def _sync(path: Path) -> None:
    """Has a file or a folder written to its medium."""
    file = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(file)
    except OSError as error:
        # Some file systems know no such thing for folders.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(file)
