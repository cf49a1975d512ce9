# SPDX-License-Identifier: MIT
"""The parent's files, and the headers outside of the kernel's folder that they include.

A header outside may not be changed. It can be adopted: its text becomes a new file of the kernel, and what includes it
includes that one.
"""

import pathlib
import posixpath
import re

from mutations.change import applied
from mutations.source import Source

INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*)"([^"\n]+)"', re.M)
LARGEST = 1 << 18  # bytes of a header


class Sources:
    def __init__(self, files, folder=""):
        self.files = dict(files)
        self.headers = {}  # outside, by their path as seen from the folder
        self.allowed = {path for name, text in files.items() for path in self._includes(text)
                        if self._outside(name, path)}
        self._read_headers(pathlib.Path(folder) if folder else None)

    @staticmethod
    def _includes(text):
        """Of lines that are no comment."""
        code = Source("", text).code
        return [found.group(2) for found in INCLUDE.finditer(text) if code[found.start(1):found.end(1)].strip()]

    @staticmethod
    def _target(name, path):
        return posixpath.normpath(posixpath.join(posixpath.dirname(name), path))

    def _outside(self, name, path):
        return self._target(name, path).startswith("../")

    def _read_headers(self, folder):
        waiting = list(self.files.items()) if folder else []
        while waiting:
            name, text = waiting.pop()
            for path in self._includes(text):
                target = self._target(name, path)
                if not target.startswith("../") or target in self.headers:
                    continue
                try:
                    data = (folder / target).read_bytes()
                    if len(data) > LARGEST:
                        continue
                    self.headers[target] = data.decode("utf-8")
                except (OSError, ValueError):
                    continue  # cannot be read here, and so is not changed
                waiting.append((target, self.headers[target]))

    def all(self):
        """(name, text) of what can be transformed: the kernel's own first."""
        return sorted(self.files.items()) + sorted(self.headers.items())

    def with_edits(self, edits):
        """The files of an answer; None if edits overlap or cannot be made."""
        changed = {}
        for name, list_of_edits in edits.items():
            changed[name] = applied(self.files.get(name, self.headers.get(name)), list_of_edits)
            if changed[name] is None:
                return None
        outside = {name for name in changed if name in self.headers}
        return self._adopted(changed, outside) if outside else changed

    def _adopted(self, changed, outside):
        texts = {**self.files, **self.headers, **changed}
        while True:
            further = {name for name, text in texts.items() if name in self.headers and name not in outside
                       and any(self._target(name, path) in outside for path in self._includes(text))}
            further |= {target for name in outside for path in self._includes(texts[name])
                        for target in [self._target(name, path)]
                        if target in self.headers and target not in self.allowed and target not in outside}
            if not further:
                break
            outside |= further
        local = {name: posixpath.basename(name) for name in outside}
        if len(set(local.values())) < len(local) or any(each in self.files for each in local.values()):
            return None
        answer = {}
        for name, text in texts.items():
            if name in self.headers and name not in outside:
                continue
            here = local.get(name, name)

            def redirected(found, name=name, here=here):
                target = self._target(name, found.group(2))
                if target in local:
                    target = posixpath.relpath(local[target], posixpath.dirname(here) or ".")
                elif not (name in outside and target.startswith("../")):
                    return found.group(0)
                return f'{found.group(1)}"{target}"'

            text = INCLUDE.sub(redirected, text)
            if here not in self.files or text != self.files[here]:
                answer[here] = text
        return answer
