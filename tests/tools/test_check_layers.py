#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check-layers: each rule, kept and broken, in trees made for it."""
import importlib.machinery
import importlib.util
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools" / "check-layers"
SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
HASH = "# SPDX-License-Identifier: Apache-2.0\n"

# The smallest tree without a violation.
GOOD = {
    "src/base/lock_rank.h": SPDX + "#ifndef KIN_BASE_LOCK_RANK_H\n#define KIN_BASE_LOCK_RANK_H\n"
                                   "#define RANKS(X) \\\n    X(LOW, 100) \\\n    X(HIGH, 200)\n#endif\n",
    "docs/locking.md": "# Locks\n\n| lock | rank | guards |\n|---|---|---|\n"
                       "| LOW | 100 | this |\n| `HIGH` | 200 | that |\n",
    "src/base/map.h": SPDX + "#ifndef KIN_BASE_MAP_H\n#define KIN_BASE_MAP_H\n#include <stdint.h>\n"
                             "#include <curl/curl.h>\n#include \"kinform/error.h\"\n#endif\n",
    "src/base/map.c": SPDX + '#include "base/map.h"\n',
    "src/cache/store.c": SPDX + '#include "base/map.h"\n#include "cache/store.h"\n',
    "src/CMakeLists.txt": HASH,
    "include/kinform/error.h": SPDX + "#ifndef KINFORM_ERROR_H\n#define KINFORM_ERROR_H\n"
                                      "#include <kinform/common.h>\n#include <stddef.h>\n#endif\n",
    "include/kinform.h": SPDX + "#ifndef KINFORM_H\n#define KINFORM_H\n#endif\n",
    "tests/unit/base/test_map.c": SPDX + '#include "base/map.h"\n#include <cmocka.h>\n',
    "tools/check.py": "#!/usr/bin/env python3\n" + HASH,
    "bench/peers/x/main.go": "// SPDX-License-Identifier: Apache-2.0\npackage main\n",
}


def load():
    """The tool as a module, without leaving bytecode beside it."""
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("check_layers", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


FOLDERS = load().FOLDERS


class CheckLayersTest(unittest.TestCase):
    def violations(self, changes):
        """The lines that the tool prints for GOOD with `changes`; None removes a file."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {**GOOD, **changes}.items():
                if text is None:
                    continue
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
                if text.startswith("#!"):
                    path.chmod(0o755)
            run = subprocess.run([sys.executable, str(TOOL), "--root", folder], text=True,
                                 stdout=subprocess.PIPE, timeout=60)
            lines = run.stdout.splitlines()
            self.assertEqual(run.returncode, 1 if lines else 0)
            return lines

    def assert_violation(self, changes, *expected):
        lines = self.violations(changes)
        self.assertEqual(len(lines), len(expected), lines)
        for line, text in zip(lines, expected):
            self.assertIn(text, line)

    def test_a_good_tree(self):
        self.assertEqual(self.violations({}), [])

    def test_a_folder_may_not_include_from_a_later_one(self):
        self.assert_violation({"src/base/bad.c": SPDX + '\n#include "cache/store.h"\n'},
                              "src/base/bad.c:3: includes cache/store.h: base may not include cache")

    def test_every_pair_of_folders(self):
        for own, allowed in FOLDERS.items():
            text = SPDX + "".join(f'#include "{other}/x.h"\n' for other in FOLDERS)
            lines = self.violations({f"src/{own}/x.c": text})
            refused = [other for other in FOLDERS if other != own and other not in allowed]
            self.assertEqual([line.split()[2] for line in lines],
                             [f"{other}/x.h:" for other in refused])

    def test_folders_have_no_cycle(self):
        seen = set()
        for own, allowed in FOLDERS.items():
            self.assertLessEqual(set(allowed), seen, own)
            seen.add(own)

    def test_a_subfolder_may_not_include_from_its_folder(self):
        self.assert_violation({"src/apiserver/http/bad.c": SPDX + '#include "apiserver/server.h"\n'},
                              "apiserver/http may not include apiserver")

    def test_private_headers(self):
        text = SPDX + '#include "cache/store_inside.h"\n'
        self.assertEqual(self.violations({"src/cache/store_read.c": text}), [])
        self.assertEqual(self.violations({"tests/unit/cache/test_store.c": text}), [])
        self.assert_violation({"src/informer/bad.c": text}, "private to cache")

    def test_src_names_the_folder(self):
        self.assert_violation({"src/base/bad.c": SPDX + '#include "map.h"\n'}, "includes map.h")
        self.assert_violation({"src/base/bad.c": SPDX + '#include "../cache/store.h"\n'},
                              "includes ../cache/store.h")
        self.assert_violation({"src/base/bad.c": SPDX + "#include <kinform/error.h>\n"},
                              "includes kinform/error.h")

    def test_src_has_only_the_known_folders(self):
        self.assert_violation({"src/misc/x.c": SPDX}, "src/misc/x.c:1: not in a folder of src/")
        self.assert_violation({"src/x.c": SPDX}, "src/x.c:1: not in a folder of src/")
        self.assert_violation({"src/base/more/x.c": SPDX}, "src/base/more/x.c:1: not in a folder of src/")

    def test_comments_are_not_code(self):
        self.assertEqual(self.violations({
            "src/base/fine.c": SPDX + '/*\n#include "cli/main.h"\n*/\n// #include "cli/main.h"\n'}), [])

    def test_comment_starts_inside_strings_are_not_comments(self):
        self.assert_violation({
            "src/base/bad.c": SPDX + 'const char *a = "/*";\n#include "cli/x.h"\nconst char *b = "*/";\n'},
            "src/base/bad.c:3: includes cli/x.h")

    def test_public_headers_include_only_c11_and_each_other(self):
        def header(include):
            return {"include/kinform/x.h":
                    SPDX + f"#ifndef KINFORM_X_H\n#define KINFORM_X_H\n#include {include}\n#endif\n"}

        for include in ("<pthread.h>", "<sys/types.h>", '"kinform/error.h"', '"base/map.h"'):
            self.assert_violation(header(include), "include/kinform/x.h:4: includes")
        self.assertEqual(self.violations(header("<stdarg.h>")), [])

    def test_nothing_includes_a_source_file(self):
        self.assert_violation({"tests/unit/x.c": SPDX + '#include "base/map.c"\n'}, "a .c file")

    def test_sections(self):
        self.assertEqual(self.violations({"src/base/fine.c": SPDX + "/* --- life --- */\n/* --help, in words */\n"}), [])
        for mark in ("/* ---- life ---- */", "/* ---- Life */", "/* --- */", "/*--- life ---*/"):
            self.assert_violation({"src/base/bad.c": SPDX + mark + "\n"}, "src/base/bad.c:2: sections begin")

    def test_guards(self):
        wrong = SPDX + "#ifndef KIN_MAP_H\n#define KIN_MAP_H\n#endif\n"
        self.assert_violation({"src/base/map.h": wrong}, "#ifndef KIN_BASE_MAP_H")
        self.assert_violation({"src/base/map.h": SPDX + "#pragma once\n"}, "#ifndef KIN_BASE_MAP_H")
        self.assert_violation({"src/base/map.h": SPDX}, "#ifndef KIN_BASE_MAP_H")
        self.assert_violation({"src/base/map.h": SPDX + "#ifndef KIN_BASE_MAP_H\n#define KIN_MAP_H\n#endif\n"},
                              "not followed by #define")
        self.assert_violation({"include/kinform/error.h": wrong}, "#ifndef KINFORM_ERROR_H")
        self.assert_violation({"include/kinform.h": wrong}, "#ifndef KINFORM_H")

    def test_guard_of_a_name_with_a_dash_or_underscore(self):
        self.assertEqual(self.violations({
            "src/base/log_format.h":
            SPDX + "#ifndef KIN_BASE_LOG_FORMAT_H\n#define KIN_BASE_LOG_FORMAT_H\n#endif\n"}), [])

    def test_licences(self):
        for name, text in (("src/base/map.c", "int x;\n"), ("tools/check.py", "#!/usr/bin/python3\n"),
                           ("tools/thing", "#!/bin/sh\n"), ("src/CMakeLists.txt", "\n"),
                           ("bench/peers/x/main.go", "package main\n"), ("cmake/X.cmake", "\n"),
                           ("Makefile", "all:\n"), ("src/base/map.c", "\n\n\n" + SPDX)):
            self.assert_violation({name: text}, f"{name}:1: no SPDX")

    def test_ranks(self):
        doc = GOOD["docs/locking.md"]
        self.assert_violation({"docs/locking.md": doc.replace("200", "201")},
                              "HIGH has rank 201 here and 200")
        self.assert_violation({"docs/locking.md": doc.replace("LOW", "LOWER")},
                              "LOW is not in the table", "LOWER is not in src/base/lock_rank.h")
        self.assert_violation({"docs/locking.md": doc + "| LOW | 100 | again |\n"}, "listed twice")
        self.assert_violation({"docs/locking.md": None}, "docs/locking.md:1: is missing")
        self.assert_violation({"src/base/lock_rank.h": None}, "src/base/lock_rank.h:1: is missing")

    def test_the_tree_of_the_project(self):
        run = subprocess.run([sys.executable, str(TOOL)], text=True, stdout=subprocess.PIPE)
        self.assertEqual((run.stdout, run.returncode), ("", 0))


class ReadmeTest(unittest.TestCase):
    """The README.md of each folder of src/ agrees with the tool and with the folder's files."""

    def readmes(self):
        for name, allowed in FOLDERS.items():
            folder = TOOL.parents[1] / "src" / name
            yield folder, allowed, (folder / "README.md").read_text()

    def test_they_name_what_the_folder_may_include(self):
        for folder, allowed, text in self.readmes():
            sentence = re.search(r"^May include: .*?\.(?=\s)", text, re.M | re.S)
            self.assertEqual(re.findall(r"`(\w+(?:/\w+)*)`", sentence.group()), list(allowed), folder)

    def test_they_name_each_file_once(self):
        for folder, _, text in self.readmes():
            table = text.split("| file | contents |\n|---|---|\n")[1]
            named = [name for row in re.findall(r"^\|([^|]*)\|", table, re.M) for name in re.findall(r"`(\w+)`", row)]
            files = {path.stem for path in folder.iterdir() if path.suffix in (".c", ".h", ".def")}
            self.assertEqual(sorted(named), sorted(files), folder)

    def test_they_are_short(self):
        for folder, _, text in self.readmes():
            without_code = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
            self.assertLessEqual(sum(not line.startswith("|") for line in without_code.splitlines()), 25, folder)


if __name__ == "__main__":
    unittest.main()
