# SPDX-License-Identifier: MIT
"""Writes a wheel of the Python package assay_attention with the C library inside. Standard library only.

  python3 tools/wheel.py [--library build/attention/libassay_attention.so] [--output dist]

Name and description come from python/pyproject.toml, the version from VERSION. The same files give the same bytes.
"""

import argparse
import base64
import hashlib
import pathlib
import platform
import re
import sys
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "assay_attention"
LIBRARY = "libassay_attention.so"


OLDEST_GLIBC = 17  # pip knows no older platform by this kind of name


def platform_tag(library):
    """PEP 600: the oldest glibc that has all symbols which the library asks for."""
    versions = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)\b", library)]
    if library[:4] != b"\x7fELF" or not versions:
        raise SystemExit("wheel: the library is no ELF file for glibc")
    return f"manylinux_2_{max(versions + [OLDEST_GLIBC])}_{platform.machine()}"


def contents(project, library, tag):
    """(name in the wheel, bytes) of all files but RECORD."""
    distribution = f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    for path in sorted([*PACKAGE.glob("*.py"), *(PACKAGE / "measured").glob("*.json")]):
        yield f"assay_attention/{path.relative_to(PACKAGE).as_posix()}", path.read_bytes()
    yield f"assay_attention/{LIBRARY}", library
    metadata = (f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
                f"License: {project['license']['text']}\nRequires-Python: {project['requires-python']}\n"
                "Description-Content-Type: text/markdown\n\n")
    yield f"{distribution}/METADATA", metadata.encode() + (ROOT / "python" / "README.md").read_bytes()
    yield f"{distribution}/WHEEL", f"Wheel-Version: 1.0\nGenerator: assay\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    yield f"{distribution}/LICENSE", (ROOT / "LICENSE").read_bytes()


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write(library_path, output):
    """The wheel's path."""
    project = tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]
    project["version"] = (ROOT / "VERSION").read_text().strip()
    library = library_path.read_bytes()
    tag = f"py3-none-{platform_tag(library)}"
    stem = f"{project['name'].replace('-', '_')}-{project['version']}"
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{stem}-{tag}.whl"
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data):
            entry = zipfile.ZipInfo(name)  # its date is 1980-01-01
            entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)

        for name, data in contents(project, library, tag):
            add(name, data)
            record += record_line(name, data)
        name = f"{stem}.dist-info/RECORD"
        add(name, f"{record}{name},,\n".encode())
    return path


def main(words):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--library", type=pathlib.Path, default=ROOT / "build" / "attention" / LIBRARY)
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist")
    options = parser.parse_args(words)
    if not options.library.is_file():
        raise SystemExit(f"wheel: {options.library} is missing; make attention builds it")
    print(write(options.library, options.output))


if __name__ == "__main__":
    main(sys.argv[1:])
