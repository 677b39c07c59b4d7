#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What documents say of the sources: tests and files that they name exist. test_samples.py looks at code."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tests_named(cell):
    """(test, function) of "unit.cache.fifo: a_b, c_d; unit.x.y: e_f ("row")"."""
    for kind, name, rest in re.findall(r"\b(unit|stress)\.([a-z0-9_.]+): ([^;|]*)", cell):
        for function in re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", re.sub(r"\(.*?\)", "", rest)):
            yield f"{kind}.{name}", function


def rows_named(cell):
    """(test, row) of the rows of a test's table: 'unit.x.y: each_row ("a row", "another")'."""
    for kind, name, rest in re.findall(r"\b(unit|stress)\.([a-z0-9_.]+): ([^;|]*)", cell):
        for row in re.findall(r'"([^"…]+)"', rest):
            yield f"{kind}.{name}", row


def source_of(test):
    kind, *folders, name = test.split(".")
    return ROOT.joinpath("tests", kind, *folders, f"test_{name}.c")


def documents():
    """All of the tree, but what is built and fetched."""
    found = [path for path in ROOT.rglob("*.md")
             if not any(part.startswith(".") or part in ("build", "node_modules") for part in path.relative_to(ROOT).parts)]
    return sorted(found)


def without_code(text):
    """What a reader does not see as code: links and headings are there only."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def anchors_of(text):
    """What a link to a heading may be, as GitHub has it."""
    seen = {}
    anchors = set()
    for heading in re.findall(r"^#+ +(.*?)#*$", without_code(text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return anchors


def broken_links(path, text):
    """(link, why) of what leads nowhere."""
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", without_code(text))):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        place = path.parent / target if target else path
        if not place.exists():
            yield link, "there is no such file"
        elif anchor and anchor not in anchors_of(text if place == path else place.read_text()):
            yield link, "there is no such heading"


class DocsTest(unittest.TestCase):
    def test_tests_that_parity_names_exist(self):
        n = 0
        for number, line in enumerate((ROOT / "docs/parity.md").read_text().splitlines(), 1):
            if not line.startswith("|"):
                continue
            for test, function in tests_named(line.split("|")[-2]):
                with self.subTest(line=number, test=test, function=function):
                    self.assertTrue(source_of(test).exists(), "there is no such file")
                    self.assertTrue(re.search(rf"\w\({function}[,)]",
                                              source_of(test).read_text()), "no such test")
                n += 1
            for test, row in rows_named(line.split("|")[-2]):
                with self.subTest(line=number, test=test, row=row):
                    self.assertTrue(f'"{row}"' in source_of(test).read_text(), "no such row")
        self.assertGreater(n, 200, "the table was not understood")

    def test_names_that_documents_use_exist(self):
        sources = [*ROOT.glob("include/**/*.h"), *ROOT.glob("src/**/*.[ch]"), *ROOT.glob("src/**/*.sym"),
                   *ROOT.glob("tests/support/*.[ch]"), *ROOT.glob("bench/**/CMakeLists.txt"), *ROOT.glob("cmake/*"),
                   *ROOT.glob("tests/**/*.py"), *ROOT.glob("tests/**/*.go"), *ROOT.glob("bench/**/*.go"), ROOT / ".ci/run",
                   ROOT / "CMakeLists.txt", ROOT / "Makefile", *(p for p in ROOT.glob("tools/*") if p.is_file())]
        known = set()
        for path in sources:
            known.update(re.findall(r"\b(?:kin|KIN)_\w+", path.read_text()))
        self.assertGreater(len(known), 2000)
        for document in documents():
            # What ends with _ is the beginning of names.
            for name in sorted(set(re.findall(r"\b(?:kin|KIN)_\w*[a-zA-Z0-9]\b", document.read_text())) - known):
                with self.subTest(document=document.name):
                    self.fail(f"there is no {name}")

    def test_structs_without_a_size_are_listed(self):
        abi = (ROOT / "docs/errors.md").read_text().split("## ABI")[1]
        listed = set(re.findall(r"`(kin_\w+)`", abi)) - {"kin_error"}
        found = set()
        for header in ROOT.glob("include/kinform/*.h"):
            for name, members in re.findall(r"^(?:typedef )?struct (kin_\w+) \{\n(.*?)^\}", header.read_text(), re.M | re.S):
                if not re.match(r"(?:\s*/\*.*?\*/)*\s*size_t size;", members, re.S):
                    found.add(name)
        self.assertEqual(listed, found)

    def test_files_that_documents_name_exist(self):
        self.assertGreater(len(documents()), 30)
        for document in documents():
            for link, why in broken_links(document, document.read_text()):
                with self.subTest(document=str(document.relative_to(ROOT))):
                    self.fail(f"{link}: {why}")


class CheckerTest(unittest.TestCase):
    """The checks find what they are there for."""

    def test_links(self):
        page = ROOT / "docs/tutorial.md"
        for link in ("nowhere.md", "concepts.md#nowhere", "#nowhere", "../bench/nowhere", "../README.md#figure"):
            with self.subTest(link):
                self.assertEqual([broken for broken, _ in broken_links(page, f"# Here\n[x]({link})\n")], [link])
        for link in ("concepts.md", "#here", "#here--there-1", "../README.md#figures", "https://example.com/#x", "../examples"):
            with self.subTest(link):
                self.assertEqual(list(broken_links(page, f"# Here\n## `Here` & there!\n## Here: there\n## here  there\n[x]({link})\n")), [])

    def test_code_is_no_link(self):
        self.assertEqual(list(broken_links(ROOT / "README.md", "`a[i](x)`\n```c\n# b\na[i](x);\n```\n")), [])
        self.assertEqual(anchors_of("# A\n```sh\n# no heading\n```\n"), {"a"})

    def test_all_documents_are_looked_at(self):
        found = {str(path.relative_to(ROOT)) for path in documents()}
        self.assertLessEqual({"README.md", "docs/tutorial.md", "bench/README.md", "tests/e2e/README.md"}, found)


if __name__ == "__main__":
    unittest.main()
