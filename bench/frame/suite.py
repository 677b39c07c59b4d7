# SPDX-License-Identifier: Apache-2.0
"""Suite files: reading, inheritance, --quick, variables.

Everything that can be wrong with a suite is found here, before anything runs: an hour of measuring
must not end in a misspelt key. Every error names file, section and key.
"""
from __future__ import annotations

import configparser
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Mapping

from .measures import RESERVED, RUN_MEASURES, SERVER_MEASURES

BUILTINS = ("root", "bin", "client_go", "data", "url", "ca", "kubeconfig")
KEYS = ("title", "measure", "better", "also", "data", "prepare", "unprepared", "serve", "serve_for", "serve_timeout",
        "reference", "rounds", "warmup", "timeout")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MEASURE_NAME = re.compile(r"[a-z0-9_.]+")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOKEN = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]")


class SuiteError(Exception):
    """A suite that cannot be used, said so that its author finds the place."""

    def __init__(self, file: Path, message: str, section: str = "", key: str = "") -> None:
        where = str(file) + (f": [{section}]" if section else "") + (f" {key}" if key else "")
        super().__init__(f"{where}: {message}")


@dataclass(frozen=True)
class Command:
    """A command whose own variables are expanded and whose built-in ones are not.

    It is split into words before {data} and its like are filled in, so that a path with a space in
    it stays one word.
    """
    words: tuple[str, ...]

    def uses(self, name: str) -> bool:
        """Does a word refer to the built-in variable?"""
        return any(m.group(1) == name for word in self.words for m in _TOKEN.finditer(word))

    def shares_program(self, other: Command) -> bool:
        """Does it need the program that the other one needs?"""
        return self.words[0] == other.words[0] or (self.uses("client_go") and other.uses("client_go"))

    def argv(self, builtins: Mapping[str, str]) -> list[str]:
        """The words to execute."""
        return [_unescape(word, builtins) for word in self.words]

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class Line:
    """One line of a suite: one question asked of all contestants under the same conditions."""
    suite: str
    id: str
    title: str
    measure: str
    better: str
    also: tuple[str, ...]
    data: tuple[str, ...] | None
    prepare: Command | None
    serve: Command | None
    serve_timeout: float
    contestants: dict[str, Command]
    reference: str | None
    rounds: int
    warmup: int
    timeout: float
    serve_for: str = "run"      # or "line": how long one server lives
    unprepared: tuple[str, ...] = ("*",)    # globs: the contestants for which the data need not be prepared


@dataclass(frozen=True)
class Suite:
    """A suite file, read with or without --quick."""
    name: str
    file: Path
    lines: tuple[Line, ...]


def load(file: Path, quick: bool = False) -> Suite:
    """Read and check a whole suite file."""
    sections = _read(file)
    default = sections.pop("DEFAULT", {})
    _check_default_quick(file, default, sections)
    lines = []
    for section, own in sections.items():
        if not NAME.fullmatch(section):
            raise SuiteError(file, "a line's id is made of letters, digits, '.', '_' and '-'", section)
        lines.append(_line(file, section, default, own, quick))
    if not lines:
        raise SuiteError(file, "has no lines")
    _check_default_used(file, default, sections)
    return Suite(file.stem, file, tuple(lines))


def find(name: str, folder: Path) -> Path:
    """The file a --suite argument means: a path, or a name in bench/suites/."""
    for path in (Path(name), folder / f"{name}.ini"):
        if path.is_file():
            return path
    known = ", ".join(sorted(p.stem for p in folder.glob("*.ini"))) or "none"
    raise SuiteError(Path(name), f"no such suite (known: {known})")


def _read(file: Path) -> dict[str, dict[str, str]]:
    """The raw sections. [DEFAULT] is read as any other, since we need to know whose key it is."""
    parser = configparser.ConfigParser(interpolation=None, delimiters=("=",), default_section="\0",
                                       comment_prefixes=("#", ";"), empty_lines_in_values=False)
    parser.optionxform = lambda option: option      # type: ignore[assignment, method-assign]
    try:
        parser.read_string(file.read_text(encoding="utf-8"), source=str(file))
    except OSError as e:
        raise SuiteError(file, e.strerror or str(e)) from None
    except UnicodeDecodeError as e:
        raise SuiteError(file, f"is not UTF-8 (byte {e.start})") from None
    except configparser.DuplicateOptionError as e:
        raise SuiteError(file, f"given twice (line {e.lineno})", e.section, e.option) from None
    except configparser.DuplicateSectionError as e:
        raise SuiteError(file, f"given twice (line {e.lineno})", e.section) from None
    except configparser.Error as e:
        raise SuiteError(file, e.message.replace("\n", " ")) from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _base(key: str) -> str:
    return key.removeprefix("quick.")


def _is_variable(key: str) -> bool:
    key = _base(key)
    return key not in KEYS and not key.startswith("contestant.")


def _names_in(values: Mapping[str, str]) -> set[str]:
    return {m.group(1) for text in values.values() for m in _TOKEN.finditer(text) if m.group(1)}


def _check_default_quick(file: Path, default: Mapping[str, str],
                         sections: Mapping[str, Mapping[str, str]]) -> None:
    known = set(default).union(*sections.values()) if sections else set(default)
    for key in default:
        if key.startswith("quick.") and _base(key) not in known:
            raise SuiteError(file, f"there is no {_base(key)} that it could replace", "DEFAULT", key)


def _check_default_used(file: Path, default: Mapping[str, str],
                        sections: Mapping[str, Mapping[str, str]]) -> None:
    used = _names_in(default).union(*(_names_in(own) for own in sections.values()))
    for key in default:
        if _is_variable(key) and _base(key) not in used:
            raise SuiteError(file, "unknown key, or a variable that nothing uses", "DEFAULT", key)


def _line(file: Path, section: str, default: Mapping[str, str], own: Mapping[str, str],
          quick: bool) -> Line:
    """One section with what it inherits."""
    def fail(key: str, message: str) -> SuiteError:
        return SuiteError(file, message, section, key)

    merged = {**default, **own}
    used = _names_in(merged)
    for key, value in merged.items():
        if not value.strip():
            raise fail(key, "has no value")
        if key.startswith("quick.") and key in own and _base(key) not in merged:
            raise fail(key, f"there is no {_base(key)} that it could replace")
        if _is_variable(key):
            if not _VARIABLE.fullmatch(_base(key)):
                raise fail(key, "unknown key (and no name for a variable)")
            if _base(key) in BUILTINS:
                raise fail(key, "is a built-in variable and cannot be set")
            if key in own and _base(key) not in used:
                raise fail(key, "unknown key, or a variable that nothing uses")
    values = {key: value for key, value in merged.items() if not key.startswith("quick.")}
    if quick:
        values.update({_base(key): value for key, value in merged.items()
                       if key.startswith("quick.") and _base(key) in values})
    return _build(file.stem, section, values, fail)


Fail = Callable[[str, str], SuiteError]


def _build(suite: str, section: str, values: Mapping[str, str], fail: Fail) -> Line:
    variables = {key: value for key, value in values.items() if _is_variable(key)}

    def text(key: str, allowed: tuple[str, ...] = ()) -> str:
        return _expand(values[key], variables, allowed, lambda message: fail(key, message))

    def command(key: str, allowed: tuple[str, ...]) -> Command | None:
        return Command(_split(text(key, allowed), key, fail)) if key in values else None

    def plain(key: str) -> str:
        if key not in values:
            raise fail(key, "is missing")
        return _unescape(text(key), {})

    data_names = ("data",) if "data" in values else ()
    tools = ("root", "bin", "client_go") + data_names
    if "prepare" in values and "data" not in values:
        raise fail("prepare", "has no data to prepare")
    data = command("data", ("root",))
    better = plain("better")
    if better not in ("higher", "lower"):
        raise fail("better", f"is 'higher' or 'lower', not {better!r}")
    serve = command("serve", tools)
    serve_for = plain("serve_for") if "serve_for" in values else "run"
    if serve_for not in ("run", "line"):
        raise fail("serve_for", f"is 'run' or 'line', not {serve_for!r}")
    contestants = _contestants(values, tools + (("url", "ca", "kubeconfig") if serve else ()), command, fail)
    reference = plain("reference") if "reference" in values else None
    if reference is not None and reference not in contestants:
        raise fail("reference", f"{reference!r} is not a contestant "
                                f"(there are: {', '.join(contestants)})")
    serves = serve is not None
    return Line(
        suite=suite, id=section, title=plain("title") if "title" in values else section,
        measure=_measure(plain("measure"), "measure", serves, fail), better=better,
        also=tuple(_measure(name.strip(), "also", serves, fail)
                   for name in (plain("also").split(",") if "also" in values else ())),
        data=data.words if data else None, prepare=command("prepare", tools), serve=serve,
        serve_for=serve_for, unprepared=_globs(plain("unprepared") if "unprepared" in values else "*"),
        serve_timeout=_number(values, "serve_timeout", 60, 0.001, float, plain, fail),
        contestants=contestants, reference=reference,
        rounds=int(_number(values, "rounds", 5, 1, int, plain, fail)),
        warmup=int(_number(values, "warmup", 1, 0, int, plain, fail)),
        timeout=_number(values, "timeout", 600, 0.001, float, plain, fail))


def _globs(text: str) -> tuple[str, ...]:
    return tuple(glob.strip() for glob in text.split(","))


def _contestants(values: Mapping[str, str], allowed: tuple[str, ...],
                 command: Callable[[str, tuple[str, ...]], Command | None],
                 fail: Fail) -> dict[str, Command]:
    found: dict[str, Command] = {}
    for key in values:
        if key.startswith("contestant."):
            name = key.removeprefix("contestant.")
            if not NAME.fullmatch(name):
                raise fail(key, "a contestant's name is made of letters, digits, '.', '_' and '-'")
            made = command(key, allowed)
            assert made is not None
            found[name] = made
    if not found:
        raise fail("contestant.NAME", "is missing: a line needs a contestant")
    return found


def _measure(name: str, key: str, serves: bool, fail: Fail) -> str:
    own = RUN_MEASURES + (SERVER_MEASURES if serves else ())
    if name.startswith(RESERVED) and name not in own:
        raise fail(key, f"the runner does not measure {name!r} here (only: {', '.join(own)})")
    if not MEASURE_NAME.fullmatch(name):
        raise fail(key, f"{name!r} is not a measure's name (a-z, 0-9, '_', '.')")
    return name


def _number(values: Mapping[str, str], key: str, default: float, least: float, kind: type,
            plain: Callable[[str], str], fail: Fail) -> float:
    if key not in values:
        return default
    given = plain(key)
    try:
        number = kind(given)
    except ValueError:
        number = None
    if number is None or not least <= number < float("inf"):
        what = "a whole number" if kind is int else "a number of seconds"
        raise fail(key, f"{given!r} is not {what} of at least {least:g}")
    return number


def _expand(text: str, variables: Mapping[str, str], allowed: tuple[str, ...],
            fail: Callable[[str], SuiteError], within: tuple[str, ...] = ()) -> str:
    """Fill in the suite's own variables; built-in ones and {{ }} are left for _unescape()."""
    def replace(match: re.Match[str]) -> str:
        name = match.group(1)
        if name is None:
            if match.group(0) in ("{{", "}}"):
                return match.group(0)
            raise fail(f"stray {match.group(0)!r} in {text!r} (a literal brace is doubled)")
        if name in within:
            raise fail(f"variable {{{name}}} refers to itself")
        if name in variables:
            return _expand(variables[name], variables, allowed, fail, within + (name,))
        if name in allowed:
            return match.group(0)
        if name in BUILTINS:
            no_server = ": there is no server yet, or none at all"
            needs = {"data": ": the line has no data", "url": no_server, "ca": no_server,
                     "kubeconfig": no_server}
            raise fail(f"{{{name}}} cannot be used here{needs.get(name, '')}")
        raise fail(f"unknown variable {{{name}}}")

    return _TOKEN.sub(replace, text)


def _unescape(text: str, builtins: Mapping[str, str]) -> str:
    def replace(match: re.Match[str]) -> str:
        return builtins[match.group(1)] if match.group(1) else match.group(0)[0]

    return _TOKEN.sub(replace, text)


def _split(text: str, key: str, fail: Fail) -> tuple[str, ...]:
    try:
        words = tuple(shlex.split(text))
    except ValueError as e:
        raise fail(key, f"{str(e).lower()} in {text!r}") from None
    if not words:
        raise fail(key, "is empty")
    return words
