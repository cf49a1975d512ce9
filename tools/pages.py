#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes man pages and shell completions from the help pages.

usage: pages.py PAGES OUT VERSION      PAGES: docs/cli; OUT: gets man/*.1 and completions/{assay.bash,_assay,assay.fish}

A help page is plain text: a title `assay NAME: what it is for`, `usage:` with the lines below it, paragraphs, and
sections such as `options:` whose items are indented by two blanks. An item is a term, two or more blanks, and its
description, which goes on in lines indented further. A value in small letters is a choice: --cache warm|cold|rotating.
"""

import os
import re
import sys
from dataclasses import dataclass, field


@dataclass
class Item:
    term: str                    # "--cache warm|cold|rotating"
    description: str


@dataclass
class Block:
    kind: str                    # "paragraph" or "items"
    text: str = ""
    items: list = field(default_factory=list)


@dataclass
class Section:
    name: str                    # "" for the text before the first section
    blocks: list = field(default_factory=list)


@dataclass
class Page:
    command: str                 # "" for the program itself
    summary: str
    usage: list
    sections: list

    @property
    def title(self):
        return "assay-" + self.command if self.command else "assay"

    def items(self, section):
        return [item for each in self.sections if each.name == section for block in each.blocks for item in block.items]

    def options(self):
        """(name, value) of every option, the value empty for a flag."""
        section = "options" if self.command else "options of every command"
        found = []
        for item in self.items(section):
            words = item.term.split(" ", 1)
            if words[0].startswith("--"):
                found.append((words[0], words[1] if len(words) > 1 else "", item.description))
        return found

    def subcommands(self):
        """Words in small letters behind the command in the usage lines: assay log show ID."""
        found = []
        for line in self.usage:
            words = line.split("  ")[0].split()
            if len(words) > 2 and re.fullmatch("[a-z]+", words[2]):
                found.append(words[2])
        return found


class PageError(Exception):
    pass


def read_items(lines):
    items = []
    for line in lines:
        if re.match("  \\S", line):
            term, _, description = line[2:].partition("  ")
            items.append(Item(term, description.strip()))
        else:
            items[-1].description = (items[-1].description + " " + line.strip()).strip()
    return items


def read_blocks(lines):
    """Paragraphs and lists of items, in the order of the page."""
    blocks = []
    run, indented = [], False

    def finish():
        if run and indented:
            blocks.append(Block("items", items=read_items(run)))
        elif run:
            blocks.append(Block("paragraph", text=" ".join(run)))
        run.clear()

    for line in lines:
        if not line.strip():
            finish()
            continue
        if run and line.startswith(" ") != indented:
            finish()
        indented = line.startswith(" ")
        run.append(line)
    finish()
    return blocks


def read_page(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    title = re.fullmatch("assay(?: ([a-z]+))?: (.*)", lines[0])
    if not title:
        raise PageError(f"{path}:1: expected 'assay NAME: what it is for'")
    expected = os.path.splitext(os.path.basename(path))[0]
    if (title[1] or "assay") != expected:
        raise PageError(f"{path}:1: the title names '{title[1]}'")
    if len(lines) < 3 or not lines[2].startswith("usage: "):
        raise PageError(f"{path}:3: expected 'usage: ...'")
    usage = []
    at = 2
    while at < len(lines) and lines[at].strip():
        usage.append(lines[at][len("usage: "):])
        at += 1
    sections = [Section("")]
    body = []
    for line in lines[at:]:
        heading = re.fullmatch("([a-zA-Z][^:]*):", line)
        exit_codes = re.match("exit codes\\b[^:]*: ?", line)
        if heading or exit_codes:
            sections[-1].blocks = read_blocks(body)
            sections.append(Section(heading[1] if heading else "exit codes"))
            body = [] if heading else [re.sub("^exit codes(, )?([^:]*): ?", exit_lead, line)]
        else:
            body.append(line)
    sections[-1].blocks = read_blocks(body)
    return Page(title[1] or "", title[2], usage, sections)


def exit_lead(match):
    return match[2].capitalize() + ": " if match[2] else ""


def read_pages(folder):
    pages = [read_page(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".md")]
    main = next(page for page in pages if not page.command)
    listed = [item.term for item in main.items("commands")]
    written = [page.command for page in pages if page.command]
    if sorted(listed) != sorted(written):
        raise PageError(f"{folder}/assay.md lists {', '.join(listed)}; there are pages for {', '.join(written)}")
    return main, sorted((page for page in pages if page.command), key=lambda page: listed.index(page.command))


# --- man pages

def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in ".'" else text


def man_items(items):
    lines = []
    for item in items:
        lines += [".TP", f"\\fB{roff(item.term)}\\fR", roff(item.description) or "\\&"]
    return lines


def man_paragraph(block, section):
    return [roff(block.text)] if block is section.blocks[0] else [".PP", roff(block.text)]


def man_page(page, pages, version):
    lines = [f'.TH {page.title.upper()} 1 "" "assay {version}" "assay"', ".SH NAME",
             f"{roff(page.title)} \\- {roff(page.summary.rstrip('.'))}", ".SH SYNOPSIS", ".nf"]
    lines += [roff(line) for line in page.usage] + [".fi"]
    for section in page.sections:
        if not section.blocks:
            continue
        name = {"": "DESCRIPTION", "exit codes": "EXIT STATUS"}.get(section.name, section.name.upper())
        lines.append(f'.SH "{roff(name)}"')
        for block in section.blocks:
            lines += man_paragraph(block, section) if block.kind == "paragraph" else man_items(block.items)
    others = [other.title for other in pages if other is not page]
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{roff(name)}\\fR(1)" for name in others)]
    return "\n".join(lines) + "\n"


# --- completions

def devices(main):
    for section in main.sections:
        for block in section.blocks:
            if block.kind == "paragraph" and block.text.startswith("devices (--device):"):
                return list(dict.fromkeys(re.findall("(?:cuda|vgpu):[a-z0-9]+", block.text)))
    raise PageError("assay.md: there is no paragraph 'devices (--device): ...'")


def choices(value, known_devices):
    """What an option takes: a list of words, or "file", "folder" or "" (anything)."""
    if value == "DEVICE":
        return known_devices
    if re.fullmatch("[a-z0-9|:_-]+", value):
        return value.split("|")
    if value in ("FILE", "FOLDER"):
        return value.lower()
    return ""


def first_sentence(text):
    return re.split("[;:.] |[;:.]$", text, maxsplit=1)[0]


def bash_answer(value, known_devices):
    """The line of the completion that answers for the value of an option."""
    what = choices(value, known_devices)
    if isinstance(what, list) and what:
        return f'_assay_words "{" ".join(what)}"'
    return "" if what else "compopt +o default +o bashdefault 2> /dev/null"


def bash_values(commands, known_devices):
    """Lines of a case over "COMMAND OPTION"; one pattern stands for all commands that mean the same by an option."""
    meanings = {}
    for page in commands:
        for name, value, _ in page.options():
            meanings.setdefault(name, {})[page.command] = bash_answer(value, known_devices) if value else None
    answers = {}
    for name, by_command in meanings.items():
        if len(set(by_command.values())) == 1:
            by_command = {"*": next(iter(by_command.values()))}
        for command, answer in by_command.items():
            pattern = f'*" {name}"' if command == "*" else f'"{command} {name}"'
            if answer is not None:
                answers.setdefault(answer, []).append(pattern)
    lines = []
    for answer, patterns in answers.items():
        lines += [f"    {' | '.join(patterns)})"] + ([f"      {answer}"] if answer else []) + ["      return ;;"]
    return lines


def bash_completion(main, commands, known_devices):
    names = " ".join(page.command for page in commands)
    lines = ["# bash completion of assay, generated by tools/pages.py",
             "# Where there is nothing to say (files and folders), readline completes by itself: -o default.",
             "_assay() {",
             "  # By the line, because a colon ends a word in COMP_WORDS: vgpu:l4 arrives as three.",
             '  local line="${COMP_LINE:0:COMP_POINT}" command="${COMP_WORDS[1]}"',
             '  local typed="${line##*[[:space:]]}" previous',
             '  previous="${line%"$typed"}"',
             '  previous="${previous%"${previous##*[![:space:]]}"}"',
             '  previous="${previous##*[[:space:]]}"',
             "  COMPREPLY=()",
             '  if [ "$COMP_CWORD" -eq 1 ]; then',
             f'    _assay_words "{names} help --help --version"',
             "    return",
             "  fi",
             '  case "$command $previous" in']
    lines += bash_values(commands, known_devices)
    lines += ["  esac", '  case "$command $typed" in']
    for page in commands:
        words = " ".join([name for name, _, _ in page.options()] + ["--help"])
        lines.append(f'    "{page.command} -"*) _assay_words "{words}" ;;')
    for page in commands:
        if page.subcommands():
            lines.append(f'    "{page.command} "*) _assay_words "{" ".join(page.subcommands())}" ;;')
    lines += [f'    "help "*) _assay_words "{names}" ;;', "  esac", "}", "",
              "# Those of the words that begin with $typed. Readline replaces only what stands behind the last colon.",
              "_assay_words() {",
              '  local kept="" word',
              '  case "$typed" in *:*) kept="${typed%"${typed##*:}"}" ;; esac',
              '  for word in $1; do',
              '    case "$word" in "$typed"*) COMPREPLY+=("${word#"$kept"}") ;; esac',
              "  done", "}", "", "complete -o default -o bashdefault -F _assay assay"]
    return "\n".join(lines) + "\n"


def zsh_quote(text):
    return text.replace("'", "'\\''")


def zsh_text(text):
    return zsh_quote(re.sub("([\\[\\]:\\\\])", "\\\\\\1", first_sentence(text)))


def zsh_completion(main, commands, known_devices):
    lines = ["#compdef assay", "# zsh completion of assay, generated by tools/pages.py", "", "_assay() {",
             "  local -a commands", "  commands=("]
    lines += [f"    '{item.term}:{zsh_text(item.description)}'" for item in main.items("commands")]
    lines += ["  )", "  if (( CURRENT == 2 )); then", "    _describe command commands", "    return", "  fi",
              "  local command=$words[2]", "  shift words", "  (( CURRENT-- ))", "  case $command in"]
    for page in commands:
        lines.append(f"    {page.command})")
        arguments = []
        for name, value, text in page.options():
            what = choices(value, known_devices)
            entry = f"{name}[{zsh_text(text)}]"
            if isinstance(what, list) and what:
                entry += ":value:(" + " ".join(word.replace(":", "\\:") for word in what) + ")"
            elif what:
                entry += ":" + value.lower() + ":_files" + (" -/" if what == "folder" else "")
            elif value:
                entry += ":" + zsh_text(value) + ":"
            arguments.append(f"'{entry}'")
        words = page.subcommands()
        arguments.append("'*:what:(" + " ".join(words) + ")'" if words else "'*:file:_files'")
        lines.append("      _arguments " + " \\\n        ".join(arguments) + " ;;")
    lines += ["    help) _describe command commands ;;", "  esac", "}", "", '_assay "$@"']
    return "\n".join(lines) + "\n"


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_completion(main, commands, known_devices):
    lines = ["# fish completion of assay, generated by tools/pages.py",
             "complete -c assay -n __fish_use_subcommand -l version -d 'the version'"]
    for item in main.items("commands"):
        lines.append(f"complete -c assay -f -n __fish_use_subcommand -a {item.term} -d "
                     f"{fish_quote(first_sentence(item.description))}")
    for page in commands:
        condition = f"-n '__fish_seen_subcommand_from {page.command}'"
        if page.subcommands():
            lines.append(f"complete -c assay -f {condition} -a '{' '.join(page.subcommands())}'")
        for name, value, text in page.options():
            what = choices(value, known_devices)
            entry = f"complete -c assay {condition} -l {name[2:]}"
            if isinstance(what, list) and what:
                entry += f" -x -a '{' '.join(what)}'"
            elif what:
                entry += " -r -F"
            elif value:
                entry += " -x"
            lines.append(f"{entry} -d {fish_quote(first_sentence(text))}")
    return "\n".join(lines) + "\n"


# --- files

def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(arguments):
    if len(arguments) != 3:
        print("usage: pages.py PAGES OUT VERSION", file=sys.stderr)
        return 2
    folder, out, version = arguments
    try:
        program, commands = read_pages(folder)
        known_devices = devices(program)
    except PageError as problem:
        print(f"pages.py: {problem}", file=sys.stderr)
        return 2
    pages = [program] + commands
    for page in pages:
        write(os.path.join(out, "man", page.title + ".1"), man_page(page, pages, version))
    for name, make in (("assay.bash", bash_completion), ("_assay", zsh_completion), ("assay.fish", fish_completion)):
        write(os.path.join(out, "completions", name), make(program, commands, known_devices))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
