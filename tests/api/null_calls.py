#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a C program that calls every public function with arguments that are missing.

Each function is called twice, in a process of its own: with nothing at all (NULL, 0, empty structs), and with
nothing but places for results and a few texts. A call may fail; it must not crash or hang. New functions are in
the program as soon as a header declares them.

    null_calls.py --include DIR --output FILE.c HEADER...
"""
import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from check_symbols import function_of, parameter_name, read_header  # noqa: E402

# There is nothing to call these with: their arguments are the library's own, or a format.
LEFT_OUT = {
    "kin_error_set": "a printf format, which the compiler checks",
    "kin_error_vset": "a printf format, which the compiler checks",
    "kin_editor_make": "the same",
    "kin_editor_vmake": "the same",
    "kin_object_make": "the same",
    "kin_object_vmake": "the same",
}

HEAD = """\
/* Written by null_calls.py. */
#include <kinform.h>
%(includes)s
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static union {
    max_align_t align;
    char bytes[65536];
} room;
"""

MAIN = """\
static const struct {
    const char *name;
    void (*call[2])(void);
} calls[] = {
%(rows)s
};

static int survives(size_t i, int mode)
{
    int status = 0;
    pid_t child;

    fflush(stdout);
    child = fork();
    if (child == 0) {
        const struct rlimit no_core = {0, 0};

        setrlimit(RLIMIT_CORE, &no_core);
        alarm(120);
        calls[i].call[mode]();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("fork");
        return 0;
    }
    if (status == 0)
        return 1;
    printf("%%s(%%s): %%s %%d\\n", calls[i].name, mode ? "only results and texts" : "nothing",
           WIFSIGNALED(status) ? "signal" : "exit code",
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return 0;
}

int main(void)
{
    size_t n = sizeof(calls) / sizeof(calls[0]);
    size_t n_failed = 0;

    for (size_t i = 0; i < n; i++)
        for (int mode = 0; mode < 2; mode++)
            n_failed += !survives(i, mode);
    printf("%%zu functions, %%zu calls crashed\\n", n, n_failed);
    return n < 100 || n_failed > 0;
}
"""


def is_pointer(text):
    return "*" in text or text.endswith("]")


def argument(text, mode):
    """What stands for a parameter: `text` is its declaration."""
    name = parameter_name(text)
    if is_pointer(text):
        if mode and "(*" not in text:
            if name.startswith("ret"):
                return "(void *)room.bytes"
            if re.match(r"const char \*\w+$", text):
                return '"x"'
        return "NULL"
    kind = re.sub(r"\b%s$" % re.escape(name), "", text).strip()
    if mode and kind == "kin_str":
        return '(kin_str){"x", 1}'
    return "(%s){0}" % kind


def functions(include, headers):
    for header in headers:
        path = os.path.join(include, header)
        with open(path, encoding="utf-8") as file:
            for declaration in read_header(path, file.read()).declarations:
                function = function_of(declaration)
                if function and function.exported and function.name not in LEFT_OUT:
                    yield function


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    parts = [HEAD % {"includes": "\n".join("#include <%s>" % h for h in options.headers)}]
    rows = []
    for function in functions(options.include, options.headers):
        for mode in (0, 1):
            arguments = ", ".join(argument(text, mode) for _, text in function.parameters)
            parts.append("static void %s_%d(void)\n{\n    (void)%s(%s);\n}\n"
                         % (function.name, mode, function.name, arguments))
        rows.append('    {"%s", {%s_0, %s_1}},' % ((function.name,) * 3))
    parts.append(MAIN % {"rows": "\n".join(rows)})
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
