"""Files where Spark keeps its own: local, or on any file system that it knows."""

from __future__ import annotations

from typing import Any

from sash.errors import SashError

__all__ = ["Files"]


class Files:
    """The few operations on files that logs and checkpoints need, below a folder. Names are relative to it.

    >>> files = Files(getfixture("spark"), f"{getfixture('tmp_path')}/log")
    >>> files.write("a/one", b"1"), files.rename("a/one", "a/two"), files.names("a"), files.read("a/two")
    (None, True, ['two'], b'1')
    """

    def __init__(self, spark: Any, folder: str) -> None:
        if not hasattr(spark, "_jsparkSession"):
            raise SashError(f"{folder}: its files are out of reach through Spark Connect: use a session without it")
        self._jvm = spark._jvm
        self._folder = self._jvm.org.apache.hadoop.fs.Path(folder)
        self._conf = spark._jsparkSession.sessionState().newHadoopConf()
        self._files = self._folder.getFileSystem(self._conf)

    def names(self, name: str = "") -> list[str]:
        """What is in a folder; nothing where there is none."""
        path = self._path(name)
        if not self._files.exists(path):
            return []
        return sorted(status.getPath().getName() for status in self._files.listStatus(path))

    def read(self, name: str) -> bytes:
        """The content of a file."""
        stream = self._files.open(self._path(name))
        try:
            return bytes(self._jvm.org.apache.commons.io.IOUtils.toByteArray(stream))
        finally:
            stream.close()

    def write(self, name: str, data: bytes) -> None:
        """A file with the content, in the place of an older one."""
        stream = self._files.create(self._path(name), True)
        try:
            stream.write(data)
        finally:
            stream.close()

    def rename(self, name: str, other: str) -> bool:
        """Give a file another name, at once; whether it could be done."""
        return bool(self._files.rename(self._path(name), self._path(other)))

    def delete(self, name: str) -> None:
        """Delete a file, or a folder with all that is in it."""
        self._files.delete(self._path(name), True)

    def copy_from(self, other: Files, name: str) -> None:
        """Copy a file or folder of another folder, under its name."""
        source, target = other._path(name), self._path(name)
        if other._files.exists(source):
            self._jvm.org.apache.hadoop.fs.FileUtil.copy(other._files, source, self._files, target, False, self._conf)

    def _path(self, name: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(self._folder, name) if name else self._folder
