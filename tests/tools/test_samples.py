#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What documents show: C is compiled, and what is typed into a shell exists.

    test_samples.py --cc CC [--kinform PROGRAM]

A block of C is a whole program, which is compiled as it is; or a part of an example, which is compiled with the rest
of it; or stands behind a comment that a reader does not see, with what it needs around it:

    <!-- in a function: kin_clock *clock = NULL; -->       declarations before it, in a function
    <!-- in a file: struct counts { int adds; }; -->       declarations before it, outside of one

Anything else is a failure, and so is C in a block that does not say that it is. Samples in the comments of public headers
have theirs in header_frames.py.
"""
import argparse
import fnmatch
import json
import re
import shlex
import subprocess
import sys
import unittest
from dataclasses import dataclass, field
from pathlib import Path

import header_frames

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = None
HEADERS = ("kinform.h", "kinform/apiserver.h", "stdatomic.h", "stdio.h", "stdlib.h", "string.h")
INCLUDES = "".join(f"#include <{header}>\n" for header in HEADERS)
# What a part may have too much: the next lines of the text use it.
PART = ("-Wno-unused-variable", "-Wno-unused-but-set-variable", "-Wno-unused-function")
FRAME = re.compile(r"<!-- in a (function|file):(.*?)-->\n+\Z", re.S)
# Nothing of ours; whether they are right is for who reads.
OTHERS = {"cat", "cc", "cd", "curl", "dirname", "export", "find", "git", "kubectl", "less", "man", "mkdir", "pkg-config", "rm", "python3", "source"}


@dataclass
class Block:
    document: str
    line: int
    language: str
    text: str
    before: str = field(repr=False)

    @property
    def place(self):
        return f"{self.document}:{self.line}"


def documents():
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/*.md"), *ROOT.glob("tests/**/*.md"),
             *ROOT.glob("tools/**/*.md"), *ROOT.glob("examples/**/*.md")]
    return {str(path.relative_to(ROOT)): path.read_text() for path in sorted(found)}


def blocks_of(document, text):
    """Blocks between fences, and those that are indented (their language is "indented")."""
    lines = text.splitlines(keepends=True)
    fence = None
    for i, line in enumerate(lines):
        if fence is not None:
            if line.strip() == "```":
                yield Block(document, fence + 1, lines[fence].strip()[3:], "".join(lines[fence + 1:i]),
                            "".join(lines[:fence]))
                fence = None
        elif line.lstrip().startswith("```"):
            fence = i
        elif re.match(r" {4}\S", line):
            yield Block(document, i + 1, "indented", line, "")
    assert fence is None, f"{document}: a block does not end"


def all_blocks():
    return [block for document, text in documents().items() for block in blocks_of(document, text)]


def inline_commands(text):
    """Commands of ours that stand in the midst of a sentence."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"(?<!`)`((?:[A-Z_]+=\S+ +)*(?:make|kinform|bench/run) [^`]*)`", text)


def squeezed(text):
    """Lines without indentation, so that a quotation may stand anywhere."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


def looks_like_c(text):
    return re.search(r"^\s*#include|;\s*(/\*.*\*/\s*|//.*)?$", text, re.M) is not None


# ---- C ----

def compiled(source, *flags):
    """None, or what the compiler says of it."""
    result = subprocess.run([*shlex.split(OPTIONS.cc), "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
                             "-fsyntax-only", f"-I{ROOT / 'include'}", f"-I{ROOT / 'examples'}", *flags,
                             "-x", "c", "-"], input=source, text=True, capture_output=True)
    return result.stderr if result.returncode else None


class Samples:
    def __init__(self):
        self.examples = {path: path.read_text() for path in sorted((ROOT / "examples").glob("*.c"))}
        self.seen = {}  # what the compiler said of an example

    def quoted(self, block):
        return [path for path, text in self.examples.items() if squeezed(block.text) in squeezed(text)]

    def example(self, path):
        if path not in self.seen:
            self.seen[path] = compiled(self.examples[path])
        return self.seen[path]

    def problem(self, block):
        """None, or why a block of C is no good."""
        frame = FRAME.search(block.before)
        if frame:
            where, around = frame.groups()
            if where == "file":
                return compiled(f"{INCLUDES}{around}\n{block.text}", *PART)
            return compiled(f"{INCLUDES}int sample(void);\nint sample(void)\n{{\n{around}\n{block.text}\nreturn 0;\n}}\n",
                            *PART)
        quoted = self.quoted(block)
        if quoted:
            return self.example(quoted[0])
        if re.search(r"^int main\(", block.text, re.M):
            return compiled(block.text)
        return "it is no whole program, in no example, and no comment before it says what is around it"


# ---- shell ----

def simple_commands(text):
    """The words of each command of a script. Of here-documents nothing is looked at."""
    text = re.sub(r"<<'?(\w+)'?\n.*?^\1$", "", text.replace("\\\n", " "), flags=re.M | re.S)
    inner = re.compile(r"\$\(([^()]*)\)")
    for line in text.splitlines():
        while inner.search(line):
            for substituted in inner.findall(line):
                yield from simple_commands(substituted)
            line = inner.sub("X", line)
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
        lexer.commenters = "#"
        lexer.whitespace_split = True
        words = []
        for word in [*lexer, ";"]:
            if word and set(word) <= set("|&;()"):
                if words:
                    yield words
                words = []
            else:
                words.append(word)


class Shell:
    def __init__(self):
        makefile = (ROOT / "Makefile").read_text()
        self.targets = set(re.findall(r"^([a-z]+):", makefile, re.M))
        self.variables = set(re.findall(r"\$\((?:or \$\(filter-out 0,\$\()?([A-Z_]+)\)", makefile))
        self.presets = {preset["name"] for preset in
                        json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        self.programs = set()
        for path in [*ROOT.glob("examples/CMakeLists.txt"), *ROOT.glob("bench/**/CMakeLists.txt"),
                     *ROOT.glob("src/**/CMakeLists.txt")]:
            self.programs.update(re.findall(r"add_executable\((\S+)|OUTPUT_NAME (\S+?)\)", path.read_text()))
        self.programs = {name for pair in self.programs for name in pair}
        self.help = {}

    def help_of(self, *command):
        if command not in self.help:
            result = subprocess.run([*command, "--help"], text=True, capture_output=True)
            self.help[command] = result.stdout if result.returncode == 0 else None
        return self.help[command]

    def options(self, words, *command):
        """What is wrong with options of a program that knows --help."""
        text = self.help_of(*command)
        if text is None:
            return f"there is no {' '.join(map(str, command))}"
        for word in words:
            name = word.split("=")[0]
            if re.match(r"--?[a-zA-Z]", name) and not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
                return f"{name} is no option of {' '.join(Path(word).name for word in command)}"
        return None

    def problem(self, words):
        """None, or why a command is no good."""
        while words and re.match(r"[A-Za-z_]+=", words[0]):
            words = words[1:]
        if not words or words[0] in OTHERS:
            return None
        name = words[0]
        if name == "sudo":
            return self.problem(words[1:])
        if name == "make":
            return self.make(words[1:])
        if name in ("cmake", "ctest"):
            return self.preset(words)
        if name == "kinform" or name.endswith("/bin/kinform"):
            return self.kinform(words[1:])
        if name == "bench/run":
            return self.bench(words[1:])
        if name.startswith("build/"):
            return None if Path(name).name in self.programs else f"nobody builds {name}"
        if name in self.programs:
            return None
        if name.startswith("./"):
            return None
        return None if (ROOT / name).is_file() else f"what is {name}?"

    def make(self, words):
        for word in words:
            known, what = (self.variables, word.split("=")[0]) if "=" in word else (self.targets, word)
            if not word.startswith("-") and what not in known:
                return f"the Makefile has no {what}"
        return None

    def preset(self, words):
        if "--preset" in words and words[words.index("--preset") + 1] not in self.presets:
            return f"there is no such preset: {shlex.join(words)}"
        return None

    def kinform(self, words):
        if "--" in words:
            program = words[words.index("--") + 1:]
            words = words[:words.index("--")]
            problem = self.problem(program)
            if problem:
                return problem
        if not OPTIONS.kinform or not words or words[0] == "COMMAND":
            return None
        if words[0].startswith("-"):
            return self.options(words, OPTIONS.kinform)
        return self.options(words[1:], OPTIONS.kinform, words[0])

    def bench(self, words):
        suites = {path.stem: path.read_text() for path in (ROOT / "bench/suites").glob("*.ini")}
        chosen = list(suites.values())
        for option, value in zip(words, words[1:]):
            if option == "--suite" and value in suites:
                chosen = [suites[value]]
            if option == "--suite" and value not in suites:
                return f"there is no suite {value}"
            line = value.split("/")[0]
            if option == "--only" and "*" not in line and not any(f"[{line}]" in text for text in chosen):
                return f"no suite has a line {line}"
        return self.options(words, ROOT / "bench/run")


# ---- figures ----

# A number, and what it is a number of.
FIGURE = re.compile(r"(?<![\d.,\w-])(\d[\d,]*(?:\.\d+)?)(?:[kM]?/s\b| ?(?:[µmn]?s|[KMG]?B(?:/s)?)\b| ?%|×)")
RANGE = re.compile(r"\((\d[\d.]*) – (\d[\d.]*)\)")


def chapter(text):
    return re.search(r"^## Figures\n(.*?)^## ", text, re.M | re.S).group(1)


def figures_in(text):
    """["2.63 s", "11.1×", "10.8 – 13.2"]"""
    return [found[0] for found in FIGURE.finditer(text)] + [f"{a} – {b}" for a, b in RANGE.findall(text)]


def holds(text, figure):
    return re.search(rf"(?<![\d.,]){re.escape(figure)}(?!\w|[.,]\d)", text) is not None


def rows_of(text):
    """(what, kinform's, theirs, ratio, command) of each row of README's table."""
    rows = []
    for line in chapter(text).splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 5 and not set(line) <= set("|-") and cells[0] != "what":
            command = rows[-1][-1] if cells[4] == "the same" else re.fullmatch("`(.*)`", cells[4])[1]
            rows.append((*cells[:4], command))
    return rows


class Figures:
    """What was measured, by the command that measures it again: `bench/run --suite S --only L` has printed the part L of
    bench/results/S.txt, and a row of the chapter of bench/results/README.md that names the file tells it."""

    def __init__(self):
        self.told = re.split(r"^## ", (ROOT / "bench/results/README.md").read_text(), flags=re.M)

    @staticmethod
    def measured(command):
        suite = re.search(r"--suite (\S+)", command)[1]
        only = re.search(r"--only (\S+)", command)
        parts = re.findall(r"^([\w-]+): .*\n((?:  .*\n|\n(?=  ))+)", (ROOT / f"bench/results/{suite}.txt").read_text() + "\n", re.M)
        return suite, "\n".join(text for name, text in parts if not only or fnmatch.fnmatch(name, only[1]))

    def problems(self, readme):
        for what, ours, theirs, ratio, command in rows_of(readme):
            yield from self.row(what, ours, f"{ours} | {theirs} | {ratio}".replace("**", ""), command)
        # Sentences that name their command.
        for text in re.findall(r"^[A-Z][^|]*?\(`bench/run [^`]*`\)\.$", chapter(readme).split("\n|")[-1], re.M):
            command = re.search("`(bench/run [^`]*)`", text)[1]
            measured = self.measured(command)[1]
            for figure in figures_in(text):
                if not holds(measured, figure):
                    yield f"{figure}: {command} has not printed that"

    def row(self, what, ours, cells, command):
        suite, measured = self.measured(command)
        first = figures_in(ours)[0]
        if not holds(measured, first):
            yield f"{what}: {first}: {command} has not printed that"
            return
        told = "\n".join(line for text in self.told if f"]({suite}.txt)" in text
                         for line in text.replace("**", "").splitlines() if line.startswith("|") and holds(line, first))
        for figure in figures_in(cells):
            # One run prints many figures of each kind, its ratios stand nowhere else.
            if not holds(told, figure) and not (("×" in figure or not told) and holds(measured, figure)):
                yield f"{what}: {figure}: bench/results/README.md does not tell that of {command}"


class SamplesTest(unittest.TestCase):
    def test_blocks_say_what_they_are(self):
        for block in all_blocks():
            with self.subTest(block.place):
                self.assertIn(block.language, ("", "c", "cmake", "indented", "json", "sh", "text", "yaml"))
                if block.language in ("", "indented", "text"):
                    self.assertFalse(looks_like_c(block.text), "this is C, and its block does not say so")

    def test_c_is_compiled(self):
        samples = Samples()
        blocks = [block for block in all_blocks() if block.language == "c"]
        for block in blocks:
            with self.subTest(block.place):
                problem = samples.problem(block)
                self.assertIsNone(problem, f"\n{problem}")
        self.assertGreater(len(blocks), 20, "the documents were not understood")

    def test_c_in_headers_is_compiled(self):
        n = 0
        for header in sorted((ROOT / "include/kinform").glob("*.h")):
            for place, (line, sample) in enumerate(header_frames.samples_of(header.read_text())):
                with self.subTest(f"{header.name}:{line}"):
                    problem = compiled(INCLUDES + header_frames.framed(header.stem, place, sample), *PART, "-Wno-return-type",
                                       "-Wno-unused-parameter", "-Wno-missing-field-initializers")
                    self.assertIsNone(problem, f"\n{problem}")
                n += 1
        self.assertGreater(n, 30, "the headers were not understood")

    def test_the_first_program_is_the_example(self):
        example = (ROOT / "examples/first.c").read_text()
        example = example[example.index("#include"):]
        for document in ("README.md", "docs/informer.md", "docs/tutorial.md"):
            with self.subTest(document):
                programs = [block.text for block in blocks_of(document, (ROOT / document).read_text())
                            if block.language == "c" and "int main(" in block.text]
                self.assertEqual(programs[0], example)

    def test_json_is_json(self):
        for block in all_blocks():
            if block.language == "json":
                with self.subTest(block.place):
                    json.loads(block.text)

    def test_commands_exist(self):
        shell = Shell()
        n = 0
        for block in all_blocks():
            if block.language != "sh" and not (block.language == "indented" and
                                               re.match(r" {4}(make|kinform|bench/run|cmake|build/)\b", block.text)):
                continue
            for words in simple_commands(block.text):
                with self.subTest(block.place, words=words):
                    self.assertIsNone(shell.problem(words))
                n += 1
        self.assertGreater(n, 30, "the documents were not understood")

    def test_commands_in_sentences_exist(self):
        shell = Shell()
        n = 0
        for document, text in documents().items():
            for command in inline_commands(text):
                for words in simple_commands(command):
                    with self.subTest(document, command=command):
                        self.assertIsNone(shell.problem(words))
                    n += 1
        self.assertGreater(n, 40, "the documents were not understood")

    def test_figures_of_the_readme_were_measured(self):
        shell = Shell()
        text = (ROOT / "README.md").read_text()
        figures = Figures()
        self.assertGreater(len(rows_of(text)), 15)
        for problem in figures.problems(text):
            with self.subTest(problem):
                self.fail(problem)
        for *_, command in rows_of(text):
            with self.subTest(command):
                self.assertIsNone(shell.problem(command.split()))


class CheckerTest(unittest.TestCase):
    """The checks find what they are there for."""

    @staticmethod
    def blocks(text):
        return list(blocks_of("a.md", text))

    def problem(self, text):
        return Samples().problem(self.blocks(text)[-1])

    def test_c_that_is_wrong(self):
        self.assertIn("kin_clock_nwe", self.problem(
            "<!-- in a function: kin_clock *c = NULL; -->\n```c\nkin_clock_nwe(&c, 0, NULL);\n```\n"))
        self.assertIn("wrong", self.problem("<!-- in a file: -->\n```c\nstatic int f(void)\n{\n    return wrong;\n}\n```\n"))
        self.assertIn("undeclared", self.problem("```c\nint main(void)\n{\n    return x;\n}\n```\n"))
        self.assertIn("no whole program", self.problem("```c\nkin_clock_system();\n```\n"))

    def test_c_that_is_right(self):
        self.assertIsNone(self.problem("<!-- in a function: kin_clock *c = NULL; -->\n\n```c\nc = kin_clock_system();\n```\n"))
        self.assertIsNone(self.problem("```c\nint main(void)\n{\n    return 0;\n}\n```\n"))
        self.assertIsNone(self.problem("```c\nstatic void changed(const kin_event *event, void *arg)\n```\n"))

    def test_c_in_disguise(self):
        self.assertTrue(looks_like_c("    kin_informer_free(pods);\n"))
        self.assertTrue(looks_like_c("#include <kinform.h>\n"))
        self.assertFalse(looks_like_c(" API server ──▶ reflector\n"))

    def test_commands(self):
        shell = Shell()
        for text in ("make runn", "make install PREFX=/usr", "cmake --preset releas", "bench/run --suite mpa",
                     "bench/run --only nothing", "bench/run --quik", "build/release/bin/kinform-nothing",
                     "PATH=x frobnicate", "kubectl get pods && make chekc", "examples/zeroth.c"):
            with self.subTest(text):
                self.assertTrue(any(shell.problem(words) for words in simple_commands(text)))
        for text in ("make run  # all of it", "cmake --preset release && make check CTEST_ARGS=\"-R map\"",
                     "cc first.c $(pkg-config --cflags --libs kinform) -o first", "bench/run --suite map --quick"):
            with self.subTest(text):
                self.assertEqual([shell.problem(words) for words in simple_commands(text)].count(None),
                                 len(list(simple_commands(text))))

    def test_commands_in_sentences(self):
        text = "`make runn` and `A=b kinform gte`, `bench/run --quik`; `make` and `makefile x`\n```sh\nmake no\n```\n"
        self.assertEqual(inline_commands(text), ["make runn", "A=b kinform gte", "bench/run --quik"])

    def test_figures(self):
        """A figure of another row, of another line of the same suite, of another unit: none will do."""
        readme = (ROOT / "README.md").read_text()
        figures = Figures()
        self.assertEqual(list(figures.problems(readme)), [])
        for right, wrong in (("| 942 ms (", "| 1.42 s ("), ("14.4 s)", "15.8 s)"), ("| 140 MB (", "| 907 B ("),
                             ("0.20× (0.20 – 0.21)", "0.20× (0.20 – 0.22)"), ("**0.70×**", "**0.77×**"),
                             ("| 907 B |", "| 907 KB |"), ("76 % of", "91 % of"), ("3.34 ms", "5.02 s"), ("takes 155 MB", "takes 156 GB"),
                             ("279 KB", "560 KB (or 280 KB)"), ("--only memory-singleton", "--only memory")):
            with self.subTest(wrong=wrong):
                self.assertEqual(readme.count(right), 1, "the test has to follow README")
                self.assertNotEqual(list(figures.problems(readme.replace(right, wrong))), [])

    def test_commands_of_kinform(self):
        if not OPTIONS.kinform:
            self.skipTest("built without the command")
        shell = Shell()
        for text in ("kinform gte pods", "kinform get pods --sort", "kinform watch --simulate"):
            with self.subTest(text):
                self.assertTrue(any(shell.problem(words) for words in simple_commands(text)))
        self.assertIsNone(shell.problem(["kinform", "get", "pods", "-A", "--sort-by", ".a"]))


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", required=True)
    parser.add_argument("--kinform", help="the command, if it was built")
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
