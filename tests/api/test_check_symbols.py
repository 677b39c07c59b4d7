#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py itself: small headers, each with one thing wrong."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import check_symbols as check   # noqa: E402  (the path comes first)

HEAD = "/** @file\n * A header. */\n#ifndef KINFORM_X_H\n#define KINFORM_X_H\n"
CODES = {"KIN_EINVAL", "KIN_ENOMEM"}

GOOD = """
/**
 * Make a thing.
 *
 * It is a fine thing.
 *
 * @param[out] ret  SHARED, one reference;
 *                  release with kin_thing_unref().
 * @param name      COPIED.
 * @param fn        called.
 * @param arg       BORROWED until the end.
 * @param arg_free  run once; may be NULL.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any    @blocks never
 */
KIN_API int kin_thing_new(kin_thing **ret, const char *name, kin_thing_fn *fn, void *arg,
                          void (*arg_free)(void *arg), kin_error *err);
"""


def problems(text):
    header = check.read_header("x.h", HEAD + text + "\n#endif\n")
    return [what for _, what in check.check_header(header, CODES)]


def function(comment, declaration):
    return f"/**\n * Does it.\n *\n * {comment}\n */\n{declaration}\n"


class DocumentationTest(unittest.TestCase):
    def assert_problem(self, text, *expected):
        found = problems(text)
        self.assertEqual(len(found), len(expected), found)
        for what, part in zip(found, expected):
            self.assertIn(part, what)

    def test_a_good_function(self):
        self.assertEqual(problems(GOOD), [])

    def test_every_line_of_its_comment_is_needed(self):
        for line, expected in ((" * @param name      COPIED.\n", "name has no @param"),
                               (" * @param arg       BORROWED until the end.\n", "arg has no @param"),
                               (" * @param fn        called.\n", "fn has no @param"),
                               (" * @return 0, KIN_EINVAL, KIN_ENOMEM.\n", "no @return"),
                               (" * @thread any    @blocks never\n", "no @thread")):
            self.assertIn(line, GOOD)
            self.assert_problem(GOOD.replace(line, ""), expected)
        self.assert_problem(GOOD.replace(" * Make a thing.\n *\n * It is a fine thing.\n *\n", ""),
                            "no summary")

    def test_no_comment(self):
        self.assert_problem("KIN_API void kin_x(void);\n", "kin_x has no comment")
        self.assert_problem("/* Not for readers. @thread any */\nKIN_API void kin_x(void);\n",
                            "kin_x has no comment")

    def test_a_comment_belongs_to_what_follows_directly(self):
        self.assert_problem("/** About something else. @thread any */\n#define KIN_Y 1\n"
                            "KIN_API void kin_x(void);\n", "kin_x has no comment")
        self.assert_problem("/** First. @thread any */\nKIN_API void kin_x(void);\n"
                            "KIN_API void kin_y(void);\n", "kin_y has no comment")

    def test_ownership_of_parameters(self):
        self.assert_problem(function("@param s  a text.\n * @thread any",
                                     "KIN_API void kin_x(const char *s);"), "s has no ownership word")
        self.assert_problem(function("@param[out] ret  the thing.\n * @return 0.\n * @thread any",
                                     "KIN_API int kin_x(kin_y **ret);"),
                            "ret gives a pointer and has no ownership word")
        for says in ("may be NULL", "BORROWED during the call", "ignored"):
            self.assertEqual(problems(function(f"@param s  {says}.\n * @thread any",
                                               "KIN_API void kin_x(const char *s);")), [])
        self.assertEqual(problems(function("@param[out] n  the number.\n * @thread any",
                                           "KIN_API void kin_x(size_t *n);")), [])

    def test_receivers_and_errors_need_no_param(self):
        self.assertEqual(problems(function(
            "@return 0, KIN_EINVAL.\n * @thread any",
            "KIN_API int kin_thing_go(const kin_thing *thing, kin_error *err);")), [])
        self.assert_problem(function("@thread any", "KIN_API void kin_thing_go(kin_other *other);"),
                            "other has no @param")
        self.assert_problem(function("@thread any", "KIN_API void kin_thing_go(int n, kin_thing *t);"),
                            "t has no @param")

    def test_a_param_that_does_not_exist(self):
        self.assert_problem(function("@param old  COPIED.\n * @thread any", "KIN_API void kin_x(int new);"),
                            "@param old is no parameter")

    def test_returns(self):
        self.assert_problem(function("@return the number.\n * @thread any", "KIN_API int kin_x(void);"),
                            "neither 0 nor a KIN_E")
        self.assert_problem(function("@return 0.\n * @thread any", "KIN_API int kin_x(kin_error *err);"),
                            "lists no KIN_E")
        self.assert_problem(function("@return a text.\n * @thread any", "KIN_API const char *kin_x(void);"),
                            "@return has no ownership word")
        self.assert_problem(function("@thread any", "KIN_API char *kin_x(void);"), "no @return")
        self.assert_problem(function("@return 0.\n * @thread any", "KIN_API void kin_x(void);"),
                            "returns nothing")
        self.assertEqual(problems(function("@return `t`.\n * @thread any",
                                           "KIN_API kin_t *kin_t_ref(kin_t *t);")), [])
        self.assertEqual(problems(function("@thread any", "KIN_API int64_t kin_x(void);")), [])

    def test_codes_exist(self):
        self.assert_problem(function("@return 0, KIN_EINVALID.\n * @thread any", "KIN_API int kin_x(void);"),
                            "there is no code KIN_EINVALID")

    def test_inline_functions(self):
        body = "static inline int kin_x(const char *s)\n{\n    if (s) {\n        return 1;\n    }\n    return 0;\n}\n"
        self.assert_problem(body, "kin_x has no comment")
        self.assertEqual(problems(function("@param s  BORROWED.\n * @return 0.\n * @thread any", body)
                                  + "/** A type. */\ntypedef struct kin_y kin_y;\n"), [])

    def test_callbacks(self):
        self.assert_problem("/** Called. */\ntypedef void kin_x_fn(const kin_x *x, void *arg);\n",
                            "no @thread", "x has no @param")
        self.assertEqual(problems(function("@param x  BORROWED.\n * @thread its own",
                                           "typedef void kin_x_fn(const kin_x *x, void *arg);")), [])

    def test_types(self):
        self.assert_problem("typedef struct kin_x kin_x;\n", "kin_x has no comment")
        self.assert_problem("struct kin_x { int a; };\n", "kin_x has no comment")
        self.assert_problem("/** X. */\ntypedef struct kin_x {\n    char *a;\n} kin_x;\n",
                            "pointer member a has no ownership word")
        for struct in ("/** X. */\ntypedef struct kin_x {\n    char *a; /**< OWNED */\n    int b;\n} kin_x;\n",
                       "/** X. */\ntypedef struct kin_x {\n    /** OWNED */\n    char *a;\n} kin_x;\n",
                       "/** X; all is BORROWED. */\ntypedef struct kin_x {\n    char *a;\n} kin_x;\n",
                       "/** X. */\ntypedef struct kin_x {\n    int (*f)(char *s, void *arg);\n} kin_x;\n"):
            self.assertEqual(problems(struct), [], struct)

    def test_a_trailing_comment_is_not_the_next_members(self):
        self.assert_problem("/** X. */\ntypedef struct kin_x {\n    int b; /**< OWNED */\n"
                            "    char *a;\n} kin_x;\n", "pointer member a")

    def test_enumerators(self):
        self.assert_problem("/** X. */\nenum kin_x {\n    KIN_A = 0, /**< a */\n    KIN_B,\n"
                            "    /** c */\n    KIN_C\n};\n", "enumerator KIN_B has no comment")
        self.assertEqual(problems("/** X. */\nenum kin_x {\n#define E(n) KIN_##n,\n    KIN_MAP(E)\n"
                                  "#undef E\n};\n"), [])

    def test_macros(self):
        self.assert_problem("#define KIN_A 1\n", "macro KIN_A has no comment")
        self.assertEqual(problems("/** Two. */\n#define KIN_A 1\n#define KIN_B 2\n"), [])
        self.assert_problem("/** One. */\n#define KIN_A 1\n\n#define KIN_B 2\n", "macro KIN_B")
        self.assertEqual(problems("#ifdef X\n/** A. */\n#define KIN_A 1\n#else\n#define KIN_A\n#endif\n"), [])
        self.assertEqual(problems("/** A. */\n#define KIN_A(x) \\\n    (x)\n#define KIN_B(x) x\n"), [])

    def test_file_comment(self):
        header = check.read_header("x.h", "/** A type. */\ntypedef struct kin_x kin_x;\n")
        self.assertEqual([what for _, what in check.check_header(header, CODES)],
                         ["no comment with @file"])

    def test_exported_data(self):
        self.assert_problem("/** A variable. */\nKIN_API extern int kin_x;\n", "not a function")

    def test_lines(self):
        header = check.read_header("x.h", HEAD + "\n\nKIN_API void kin_x(void);\n#endif\n")
        self.assertEqual([line for line, _ in check.check_header(header, CODES)], [7])


class SymbolsTest(unittest.TestCase):
    HEADER = check.read_header("x.h", "KIN_API int kin_a(void);\nKIN_API KIN_PRINTF(1, 2) void kin_b(const char *f, ...);\n"
                               "static inline int kin_c(void)\n{\n    return 0;\n}\n")

    def compare(self, listed, exported):
        return list(check.compare_symbols(check.declared_symbols([self.HEADER]), set(listed), {"KINFORM_0.1"},
                                          exported and set(exported), "x.sym", "libx.so"))

    def test_declared(self):
        self.assertEqual(check.declared_symbols([self.HEADER]), {"kin_a": ("x.h", 1), "kin_b": ("x.h", 2)})

    def test_equal(self):
        self.assertEqual(self.compare(["kin_a", "kin_b"], ["kin_a", "kin_b", "KINFORM_0.1"]), [])

    def test_each_difference(self):
        self.assertEqual(self.compare(["kin_a"], ["kin_a", "kin_b"]), ["x.h:2: kin_b is not in x.sym"])
        self.assertEqual(self.compare(["kin_a", "kin_b", "kin_z"], None),
                         ["x.sym:1: kin_z is declared in no header"])
        self.assertEqual(self.compare(["kin_a", "kin_b"], ["kin_a"]),
                         ["x.h:2: kin_b is not exported by libx.so"])
        self.assertEqual(self.compare(["kin_a", "kin_b"], ["kin_a", "kin_b", "kin__secret"]),
                         ["libx.so:1: exports kin__secret, which no header declares"])

    def test_version_script(self):
        names, nodes, private = check.listed_symbols(
            "/* global: x; */\nV_0 {\nglobal:\n    a;\n    b;\nlocal:\n    *;\n};\n"
            "V_1 {\nglobal: c;\n} V_0;\nV_PRIVATE_1.2 {\nglobal: p;\n};\n")
        self.assertEqual((names, nodes, private),
                         ({"a", "b", "c"}, {"V_0", "V_1", "V_PRIVATE_1.2"}, {"p"}))

    def private(self, private, used, header=""):
        return list(check.compare_private(set(private), used and set(used), {"V_1", "V_PRIVATE_1.2"},
                                          {"x.h": header}, "1.2", "x.sym"))

    def test_private_names(self):
        self.assertEqual(self.private(["kin__a", "kin__panic"], ["kin__a"]), [])
        self.assertEqual(self.private(["kin__a"], None), [])
        self.assertEqual(self.private(["kin__a"], ["kin__a", "kin__b"]),
                         ["x.sym:1: kin__b is used by another library and not in the private node"])
        self.assertEqual(self.private(["kin__a", "kin__b"], ["kin__a"]),
                         ["x.sym:1: kin__b is in the private node and used by nobody"])
        self.assertEqual(self.private(["kin_a"], None),
                         ["x.sym:1: kin_a is not internal, and in a private node"])
        self.assertEqual(self.private(["kin__a"], ["kin__a"], "int kin__a(void);"),
                         ["x.h:1: names kin__a, which is private"])

    def test_private_version(self):
        self.assertEqual(list(check.compare_private(set(), None, {"V_PRIVATE_1.2"}, {}, "1.3", "x.sym")),
                         ["x.sym:1: V_PRIVATE_1.2 is not of version 1.3"])

    def test_undefined(self):
        with tempfile.TemporaryDirectory() as folder:
            nm = Path(folder) / "nm"
            nm.write_text("#!/bin/sh\ncat <<X\n   U kin__a@KINFORM_PRIVATE_1\n   U kin_b@V\n   U free\nX\n")
            nm.chmod(0o755)
            self.assertEqual(check.undefined_symbols("lib.so", str(nm)), {"kin__a"})

    def test_nm(self):
        with tempfile.TemporaryDirectory() as folder:
            nm = Path(folder) / "nm"
            nm.write_text("#!/bin/sh\ncat <<X\n0 A KINFORM_0.1\n1 T kin_a@@KINFORM_0.1\n2 T __asan_init\n"
                          "3 B stray\n4 T _ITM_x\nX\n")
            nm.chmod(0o755)
            self.assertEqual(check.exported_symbols("lib.so", str(nm)), {"KINFORM_0.1", "kin_a", "stray"})

    def test_codes(self):
        self.assertEqual(check.error_codes({"e.h": '#define KIN_ERROR_MAP(X) \\\n    X(EA, -1, 0, "a") \\\n'
                                                   '    X(EB, -2, 0, "b")\n'}), {"KIN_EA", "KIN_EB"})


if __name__ == "__main__":
    unittest.main()
