# SPDX-License-Identifier: MIT
"""A proposer for tests: the answers come from a file, one for each proposal, then passes.

usage: scripted.py ANSWERS.json [REQUESTS_FOLDER]

An answer is an object (sent as it is), a text (sent as it is: also what is no JSON), or an object with one of these:
  {"edit": [[from, to], ...], "hypothesis": ...}  the parent's only source with these replacements; each must be there
  {"sleep": SECONDS}  {"exit": STATUS}  {"write": {path: text}}  does this instead of answering
  {"pieces": SECONDS, ...}  the rest is the answer, in ten pieces over so long
  {"endless": true}  writes without an end
  {"child": SECONDS}  says nothing, and leaves a child with the same standard output for so long
"""

import json
import pathlib
import subprocess
import sys
import time

request = json.load(sys.stdin)
answers = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
number = request["proposal"]
if len(sys.argv) > 2:
    pathlib.Path(sys.argv[2], f"{number}.json").write_text(json.dumps(request), encoding="utf-8")
answer = answers[number - 1] if number <= len(answers) else {}
if isinstance(answer, str):
    sys.stdout.write(answer)
    sys.exit(0)
if "sleep" in answer:
    time.sleep(answer["sleep"])
if "exit" in answer:
    sys.exit(answer["exit"])
for path, text in answer.pop("write", {}).items():
    pathlib.Path(path).write_text(text, encoding="utf-8")
if "endless" in answer:
    while True:
        sys.stdout.write("x" * 65536)
if "child" in answer:
    subprocess.Popen([sys.executable, "-c", f"import time; time.sleep({answer['child']})"])
    sys.exit(0)
pieces = answer.pop("pieces", 0)
if "edit" in answer:
    name = request["rules"]["may_change"][0]
    source = request["parent"]["files"][name]
    for old, new in answer.pop("edit"):
        if old not in source:
            sys.exit(f"not in the source: {old}")
        source = source.replace(old, new)
    answer["files"] = {name: source}
text = json.dumps(answer)
tenth = len(text) // 10 + 1
for start in range(0, len(text), tenth if pieces else len(text)):
    sys.stdout.write(text[start:start + tenth] if pieces else text)
    sys.stdout.flush()
    time.sleep(pieces / 10)
