"""Builds the wheel and the source distribution with the standard library alone (PEP 517 and 660)."""

import base64
import gzip
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAMP = (2026, 1, 1, 0, 0, 0)  # the same sources give the same bytes
SECONDS = 1767225600


def _project():
    """Name, version and the other fields: the file is ours and has one line for each."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    fields = dict(re.findall(r'^([a-z-]+) = "(.*)"$', text, re.M))
    folder = ROOT / fields["name"]
    module = folder / ("_lab.py" if (folder / "_lab.py").exists() else "__init__.py")
    fields["version"] = re.search(r'^VERSION = "(.*)"$', module.read_text(encoding="utf-8"), re.M)[1]
    fields["requires"] = re.findall(r'^    "(.*)",$', text, re.M)
    fields["entry"] = re.findall(r'^\[project\.entry-points\.(\w+)\]\n(.*)$', text, re.M)
    return fields


def _metadata(p):
    lines = [
        "Metadata-Version: 2.1",
        "Name: " + p["name"],
        "Version: " + p["version"],
        "Summary: " + p["description"],
        "Requires-Python: " + p["requires-python"],
        *("Requires-Dist: " + r for r in p["requires"]),
        "Description-Content-Type: text/markdown",
        "",
        (ROOT / "README.md").read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def _sources(p):
    for path in sorted((ROOT / p["name"]).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def _information(p):
    folder = f"{p['name']}-{p['version']}.dist-info/"
    yield folder + "METADATA", _metadata(p).encode()
    yield folder + "WHEEL", b"Wheel-Version: 1.0\nGenerator: stoa\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    if p["entry"]:
        text = "".join(f"[{group}]\n{line.replace(chr(34), '')}\n" for group, line in p["entry"])
        yield folder + "entry_points.txt", text.encode()


def _wheel(directory, files, p):
    name = f"{p['name']}-{p['version']}-py3-none-any.whl"
    record = f"{p['name']}-{p['version']}.dist-info/RECORD"
    rows = []
    with zipfile.ZipFile(pathlib.Path(directory) / name, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(data)}\n")
            out.writestr(zipfile.ZipInfo(path, STAMP), data)
        out.writestr(zipfile.ZipInfo(record, STAMP), "".join(rows) + record + ",,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    p = _project()
    return _wheel(wheel_directory, [*_sources(p), *_information(p)], p)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    p = _project()
    return _wheel(wheel_directory, [(p["name"] + ".pth", f"{ROOT}\n".encode()), *_information(p)], p)


def build_sdist(sdist_directory, config_settings=None):
    p = _project()
    base = f"{p['name']}-{p['version']}"
    files = [*_sources(p), ("PKG-INFO", _metadata(p).encode())]
    for path in ("README.md", "pyproject.toml", "build_backend/backend.py", "LICENSE"):
        if (ROOT / path).exists():
            files.append((path, (ROOT / path).read_bytes()))
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as out:
        for path, data in files:
            member = tarfile.TarInfo(f"{base}/{path}")
            member.size, member.mtime = len(data), SECONDS
            out.addfile(member, io.BytesIO(data))
    name = base + ".tar.gz"
    packed = gzip.compress(tar.getvalue(), mtime=0)
    (pathlib.Path(sdist_directory) / name).write_bytes(packed)
    return name
