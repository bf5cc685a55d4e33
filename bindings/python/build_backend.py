# SPDX-License-Identifier: Apache-2.0
"""Makes the wheel and the source archive (PEP 517, PEP 660) with the standard
library alone: the package is a few Python files, so a wheel is a zip of them.
The same sources give the same bytes."""

import base64
import hashlib
import io
import os
import re
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIME = (1980, 1, 1, 0, 0, 0)
WHEEL = """\
Wheel-Version: 1.0
Generator: surety
Root-Is-Purelib: true
Tag: py3-none-any
"""


def _read(*path):
    with open(os.path.join(HERE, *path), "rb") as file:
        return file.read()


def _setting(name):
    """A text of pyproject.toml, which only Python 3.11 can read by itself."""
    text = _read("pyproject.toml").decode()
    return re.search(rf'^{name} = "(.*)"$', text, re.MULTILINE)[1]


NAME, VERSION = _setting("name"), _setting("version")
INFO = f"{NAME}-{VERSION}.dist-info"


def _metadata():
    text = _read("pyproject.toml").decode()
    lines = ["Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {VERSION}",
             f"Summary: {_setting('description')}",
             f"Requires-Python: {_setting('requires-python')}",
             "License: Apache-2.0"]
    listed = re.search(r"^classifiers = \[(.*?)^\]", text, re.M | re.S)[1]
    lines += [f"Classifier: {one}" for one in re.findall(r'"(.*)"', listed)]
    lines.append("Description-Content-Type: text/markdown")
    return ("\n".join(lines) + "\n\n").encode() + _read("README.md")


def _package():
    folder = os.path.join(HERE, NAME)
    return {f"{NAME}/{name}": _read(NAME, name)
            for name in sorted(os.listdir(folder))
            if name.endswith((".py", ".typed"))}


def _write_wheel(folder, files):
    files = {**files, f"{INFO}/METADATA": _metadata(),
             f"{INFO}/WHEEL": WHEEL.encode()}
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}\n"
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, wheel), "w",
                         zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_wheel(wheel_directory, config_settings=None,
                metadata_directory=None):
    return _write_wheel(wheel_directory, _package())


def build_editable(wheel_directory, config_settings=None,
                   metadata_directory=None):
    return _write_wheel(wheel_directory,
                        {f"{NAME}.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{VERSION}"
    files = {**_package(), "PKG-INFO": _metadata()}
    for name in ("README.md", "build_backend.py", "pyproject.toml"):
        files[name] = _read(name)
    path = os.path.join(sdist_directory, f"{base}.tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(data)
            entry.mode = 0o644
            archive.addfile(entry, io.BytesIO(data))
    return os.path.basename(path)
