#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Check that the public headers, the library and its symbol file agree, and that all is documented.

    check_symbols.py --include DIR --symbols FILE.sym [--library LIB.so [--nm nm]]
                     [--only HEADER | --except HEADER] [--without HEADER] [--user OTHER.so]
                     [--version X.Y.Z]

Symbols: what headers declare with KIN_API, what FILE.sym lists and what LIB.so exports are the
same names. --only looks at one header alone, --except at all others: two libraries share a folder.
--without: the library was built without what that header declares, and exports nothing of it.
A node ..._PRIVATE_X.Y.Z lists what another library of ours uses and no header declares: kin__...
names, exactly those that OTHER.so leaves undefined; X.Y.Z is the version. Documentation, by a comment /** ... */ directly before (members and enumerators: or
/**< ... */ behind):

- every header has a comment with @file;
- every function (inline ones too), callback type, type, enumerator and macro has one; macros on
  adjoining lines share one; include guards and macros that are #undef'd need none;
- it begins with a summary, and every function's and callback's has @thread;
- @return is there if a code or a pointer is returned (for other values the summary may say it):
  for an int it lists 0, KIN_... or a `parameter`; for a pointer it uses an ownership word or names
  the `parameter` that is returned. KIN_E... codes anywhere in a comment exist;
- every pointer parameter has a @param, but `err`, a function's receiver (the first one, of the
  type the function is named after) and a callback's `arg`; it uses an ownership word or says
  what NULL does, or is [out]; a `**` uses an ownership word; functions need none. Each @param is
  the name of a parameter;
- a struct's pointer members use an ownership word, or the struct's comment does.

Prints HEADER:LINE: what is wrong; exit status 1 if there is anything.
"""
import argparse
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

OWNERSHIP = re.compile(r"\b(OWNED|BORROWED|SHARED|CONSUMED|COPIED)\b")
TOKEN = re.compile(r"""
    (?P<comment>/\*.*?\*/|//[^\n]*)
  | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')
  | (?P<space>\s+)
  | (?P<word>\w+)
  | (?P<other>.)
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

# What the runtimes of sanitizers and of coverage may add to a library's exports.
FOREIGN = re.compile(r"^(__(asan|ubsan|tsan|lsan|msan|sanitizer|interceptor|odr_asan|gcov|llvm)|_ITM_)")


# Used by builds that check invariants, and by no others.
DEBUG_ONLY = frozenset(("kin__panic", "kin__assert_no_locks", "kin__mutex_assert_held"))


@dataclass
class Comment:
    text: str           # without the stars
    line: int
    trailing: bool      # /**< */


@dataclass
class Declaration:
    code: str           # one line, single spaces, attributes removed
    line: int
    doc: Comment = None
    members: list = field(default_factory=list)   # of a struct, union or enum: (code, doc, line)
    exported: bool = False


@dataclass
class Function:
    name: str
    returns: str
    parameters: list    # (name, type and all)
    line: int
    doc: Comment
    exported: bool = False
    callback: bool = False


@dataclass
class Macro:
    name: str
    line: int
    doc: Comment


@dataclass
class Header:
    path: str
    comments: list = field(default_factory=list)
    declarations: list = field(default_factory=list)
    macros: list = field(default_factory=list)
    undefined: set = field(default_factory=set)


# ---- reading

def comment_text(raw):
    body = raw[2:-2] if raw.startswith("/*") else raw[2:]
    trailing = body.startswith("*<")
    lines = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in body.lstrip("*<").split("\n")]
    return "\n".join(lines).strip(), trailing


class Reader:
    """Splits a header into declarations at the top level, each with the comment before it."""

    def __init__(self, path, text):
        self.header = Header(path)
        self.text = text
        self.doc = None             # the comment directly before what comes next
        self.words = []             # tokens of the declaration being read
        self.start = 0
        self.start_doc = None
        self.depth = 0
        self.members = []
        self.member = []            # tokens of the member being read
        self.member_line = 0
        self.member_doc = None
        self.last_define = None     # (line after it, its comment)

    def read(self):
        line = 1
        for token in TOKEN.finditer(self.text):
            kind, text = token.lastgroup, token.group()
            getattr(self, "on_" + kind, self.on_code)(text, line)
            line += text.count("\n")
        return self.header

    def on_space(self, text, line):
        pass

    def on_comment(self, text, line):
        if not text.startswith("/**"):
            return
        body, trailing = comment_text(text)
        comment = Comment(body, line, trailing)
        self.header.comments.append(comment)
        if trailing:
            self.attach_trailing(comment)
        else:
            self.doc = comment

    def attach_trailing(self, comment):
        """Behind a member it belongs to the member, whether its comma came already or not."""
        if self.member:
            self.member_doc = comment
        elif self.members:
            code, doc, line = self.members[-1]
            self.members[-1] = (code, doc or comment, line)

    def on_directive(self, text, line):
        found = re.match(r"\s*#\s*(\w+)\s*(\w*)", text)
        name, argument = found.groups()
        if name == "define":
            doc = self.doc
            if not doc and self.last_define and self.last_define[0] == line:
                doc = self.last_define[1]
            self.header.macros.append(Macro(argument, line, doc))
            self.last_define = (line + text.count("\n") + 1, doc)
        elif name == "undef":
            self.header.undefined.add(argument)
        self.doc = None

    def on_code(self, text, line):
        if not self.words and text in ("KIN_BEGIN_DECLS", "KIN_END_DECLS"):
            self.doc = None
            return
        if not self.words:
            self.start, self.start_doc, self.members = line, self.doc, []
            self.doc = None
        self.words.append(text)
        if self.depth == 1 and text not in "{};":
            self.on_member_code(text, line)
        if text == "{":
            self.depth += 1
            if self.depth == 2:
                self.member.append(text)
        elif text == "}":
            self.depth -= 1
            if self.depth == 0:
                self.end_member()
                if self.is_function():
                    self.end_declaration()
            elif self.depth == 1:
                self.member.append(text)
        elif text == ";" and self.depth == 1:
            self.end_member()
        elif text == ";" and self.depth == 0:
            self.words.pop()
            self.end_declaration()

    def on_member_code(self, text, line):
        if not self.member:
            if text == ",":
                return
            self.member_line, self.member_doc, self.doc = line, self.doc, None
        if text == "," and self.is_enum():
            self.end_member()
        else:
            self.member.append(text)

    def end_member(self):
        if self.member:
            self.members.append((join(self.member), self.member_doc, self.member_line))
        self.member, self.member_doc = [], None

    def is_enum(self):
        return "enum" in self.words[:2]

    def is_function(self):
        before_brace = self.words[:self.words.index("{")]
        return "(" in before_brace and self.words[0] in ("static", "inline")

    def end_declaration(self):
        words = self.words
        if "{" in words:
            at = words.index("{")
            tail = words[len(words) - words[::-1].index("}"):]
            words = words[:at] + ["{}"] + tail
        exported = "KIN_API" in words
        code = join([w for w in words if w != "KIN_API"])
        if code:
            self.header.declarations.append(
                Declaration(code, self.start, self.start_doc, self.members, exported))
        self.words, self.members, self.member = [], [], []


def join(words):
    """Tokens as one line of text: blanks only where names meet."""
    text = ""
    for word in words:
        if text and (text[-1].isalnum() or text[-1] in "_*") and (word[0].isalnum() or word[0] == "_"):
            if text[-1] != "*":
                text += " "
        text += word
    return text


def read_header(path, text):
    return Reader(path, text).read()


def split_parameters(text):
    parts, depth, part = [], 0, ""
    for char in text:
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [p.strip() for p in parts + [part] if p.strip() not in ("", "void", "...")]


def parameter_name(text):
    found = re.search(r"\(\*(\w+)\)", text) or re.search(r"(\w+)(?:\[[^\]]*\])*$", text)
    return found.group(1) if found else text


def function_of(declaration):
    """The function or callback type that a declaration declares, or None."""
    code = re.sub(r"\b(static|inline|extern)\b ?", "", declaration.code.replace("{}", ""))
    code = re.sub(r"\bKIN_PRINTF\([^)]*\)", "", code).strip()
    callback = code.startswith("typedef ")
    code = code[len("typedef "):] if callback else code
    found = re.match(r"^([\w *]*?[ *])(\w+)\((.*)\)$", code)
    pointer = re.match(r"^([\w *]*?)\(\*(\w+)\)\((.*)\)$", code) if callback else None
    found = pointer or found
    if not found:
        return None
    returns, name, parameters = found.groups()
    parameters = [(parameter_name(p), p) for p in split_parameters(parameters)]
    return Function(name, returns.strip(), parameters, declaration.line, declaration.doc,
                    declaration.exported, callback)


def error_codes(headers):
    """The names that KIN_ERROR_MAP makes; empty if no header has the table."""
    codes = set()
    for text in headers.values():
        table = re.search(r"#\s*define\s+KIN_ERROR_MAP\b((?:\\\n|[^\n])*)", text)
        if table:
            codes |= {"KIN_" + name for name in re.findall(r"\bX\((\w+)\s*,\s*-?\d", table.group(1))}
    return codes


# ---- judging

def doc_tags(doc):
    """The summary and the tags of a comment: [(tag, text)], text with its continuation lines."""
    parts = re.split(r"(?:^|(?<=\s))@(\w+)", doc.text)
    return parts[0].strip(), list(zip(parts[1::2], (p.strip() for p in parts[2::2])))


def params_of(tags):
    """{name: (direction, text)} of the @param tags."""
    found = {}
    for tag, text in tags:
        if tag == "param":
            match = re.match(r"(\[[a-z, ]+\])?\s*(\w+|\.\.\.)\s*(.*)", text, re.DOTALL)
            if match:
                found[match.group(2)] = (match.group(1) or "", match.group(3))
    return found


def is_receiver(function, index):
    if index != 0 or function.callback:
        return False
    found = re.match(r"(?:const )?(?:struct )?(kin_\w+)(?: const)?\*\w+$",
                     function.parameters[0][1])
    return bool(found) and function.name.startswith(found.group(1) + "_")


def is_function_pointer(text):
    return "(*" in text or re.search(r"_fn\s*\*", text) is not None


def check_parameters(function, params):
    for index, (name, text) in enumerate(function.parameters):
        pointer = "*" in text or "[" in text
        documented = name in params
        if pointer and not documented:
            exempt = (name == "err" or is_receiver(function, index)
                      or (function.callback and name == "arg"))
            if not exempt:
                yield f"{function.name}: pointer parameter {name} has no @param"
        if pointer and documented and not is_function_pointer(text):
            direction, says = params[name]
            if not OWNERSHIP.search(says):
                if "**" in text:
                    yield f"{function.name}: @param {name} gives a pointer and has no ownership word"
                elif "NULL" not in says and "out" not in direction and "ignored" not in says:
                    yield (f"{function.name}: @param {name} has no ownership word and does not speak "
                           "of NULL")
    names = {name for name, _ in function.parameters} | {"..."}
    for name in params:
        if name not in names:
            yield f"{function.name}: @param {name} is no parameter of it"


def names_a_parameter(function, text):
    return any(f"`{name}`" in text for name, _ in function.parameters)


def check_return(function, tags):
    returned = " ".join(text for tag, text in tags if tag == "return")
    if function.returns == "void":
        if returned:
            yield f"{function.name}: @return on a function that returns nothing"
    elif function.returns == "int":
        if not returned:
            yield f"{function.name}: no @return"
        elif not (re.search(r"\b0\b|\bKIN_", returned) or names_a_parameter(function, returned)):
            yield f"{function.name}: @return names neither 0 nor a KIN_E... code"
        elif "err" in dict(function.parameters) and not function.name.startswith("kin_error_"):
            if not re.search(r"\bKIN_E[A-Z]+\b", returned):
                yield f"{function.name}: takes an error and @return lists no KIN_E... code"
    elif "*" in function.returns:
        if not returned:
            yield f"{function.name}: no @return"
        elif not (OWNERSHIP.search(returned) or names_a_parameter(function, returned)):
            yield f"{function.name}: @return has no ownership word"


def check_function(function):
    if not function.doc:
        yield f"{function.name} has no comment"
        return
    summary, tags = doc_tags(function.doc)
    if not summary:
        yield f"{function.name}: the comment has no summary"
    if not any(tag == "thread" and text for tag, text in tags):
        yield f"{function.name}: no @thread"
    yield from check_return(function, tags)
    yield from check_parameters(function, params_of(tags))


def check_type(declaration):
    """Types that are not callbacks: structs, unions, enums and plain typedefs."""
    code = declaration.code
    found = re.search(r"(\w+)$", code) if code.startswith("typedef") else re.search(
        r"^(?:struct|union|enum) (\w+)", code)
    name = found.group(1) if found else code
    if not declaration.doc:
        yield declaration.line, f"{name} has no comment"
        return
    if not declaration.doc.text:
        yield declaration.line, f"{name}: the comment is empty"
    is_enum = re.match(r"^(typedef )?enum\b", code)
    for member, doc, line in declaration.members:
        if is_enum:
            # NAME(…) alone is a table of enumerators that is documented where it stands.
            if not doc and re.match(r"^\w+(=.*)?$", member):
                yield line, f"enumerator {member.split('=')[0]} has no comment"
        elif "*" in member and "(*" not in member and not is_function_pointer(member):
            words = (doc.text if doc else "") + " " + declaration.doc.text
            if not OWNERSHIP.search(words):
                yield line, f"{name}: pointer member {parameter_name(member)} has no ownership word"


def check_macros(header):
    documented = {macro.name for macro in header.macros if macro.doc}
    seen = set()
    for macro in header.macros:
        exempt = macro.name in header.undefined or re.match(r"^KINFORM_(\w+_)?H$", macro.name)
        if not exempt and macro.name not in documented | seen:
            yield macro.line, f"macro {macro.name} has no comment"
        seen.add(macro.name)


def check_header(header, codes):
    """Yield (line, what is wrong)."""
    if not any(re.search(r"@file\b", comment.text) for comment in header.comments):
        yield 1, "no comment with @file"
    for declaration in header.declarations:
        function = function_of(declaration)
        if function:
            for what in check_function(function):
                yield declaration.line, what
        else:
            yield from check_type(declaration)
            if declaration.exported:
                yield declaration.line, f"KIN_API on something that is not a function: {declaration.code}"
    yield from check_macros(header)
    for comment in header.comments:
        for code in re.findall(r"\bKIN_E[A-Z]+\b", comment.text):
            if codes and code not in codes:
                yield comment.line, f"there is no code {code}"


def declared_symbols(headers):
    """{name: (header, line)} of what is declared with KIN_API."""
    found = {}
    for header in headers:
        for declaration in header.declarations:
            function = function_of(declaration)
            if declaration.exported and function:
                found[function.name] = (header.path, declaration.line)
    return found


def listed_symbols(text):
    """The names under `global:` of a version script, its nodes, and the names of private nodes."""
    text = re.sub(r"/\*.*?\*/|#[^\n]*", "", text, flags=re.DOTALL)
    names, nodes, private = set(), set(), set()
    for node, body in re.findall(r"([\w.]+)\s*\{(.*?)\}", text, re.DOTALL):
        nodes.add(node)
        for part in re.findall(r"global:(.*?)(?=local:|$)", body, re.DOTALL):
            found = {word.strip() for word in part.split(";") if word.strip()}
            (private if "_PRIVATE_" in node else names).update(found)
    return names, nodes, private


def exported_symbols(library, nm):
    run = subprocess.run([nm, "-D", "--defined-only", str(library)], check=True, text=True,
                         stdout=subprocess.PIPE)
    names = {line.split()[-1].split("@")[0] for line in run.stdout.splitlines() if line.strip()}
    return {name for name in names if not FOREIGN.match(name)}


def undefined_symbols(library, nm):
    """What it uses of our internals."""
    run = subprocess.run([nm, "-D", "--undefined-only", str(library)], check=True, text=True,
                         stdout=subprocess.PIPE)
    names = {line.split()[-1].split("@")[0] for line in run.stdout.splitlines() if line.strip()}
    return {name for name in names if name.startswith("kin__")}


def compare_private(private, used, nodes, headers, version, symbols_file):
    """Yield what is wrong with the private node; `used` and `version` may be None."""
    for name in sorted(name for name in private if not name.startswith("kin__")):
        yield f"{symbols_file}:1: {name} is not internal, and in a private node"
    for path, text in headers.items():
        for name in sorted(set(re.findall(r"\bkin__\w+", text)) & private):
            yield f"{path}:1: names {name}, which is private"
    for node in sorted(node for node in nodes if "_PRIVATE_" in node):
        if version is not None and not node.endswith("_PRIVATE_" + version):
            yield f"{symbols_file}:1: {node} is not of version {version}"
    if used is None:
        return
    for name in sorted(used - private):
        yield f"{symbols_file}:1: {name} is used by another library and not in the private node"
    for name in sorted(private - used - DEBUG_ONLY):
        yield f"{symbols_file}:1: {name} is in the private node and used by nobody"


def compare_symbols(declared, listed, nodes, exported, symbols_file, library):
    """Yield what differs; `exported` may be None."""
    for name in sorted(set(declared) - listed):
        path, line = declared[name]
        yield f"{path}:{line}: {name} is not in {symbols_file}"
    for name in sorted(listed - set(declared)):
        yield f"{symbols_file}:1: {name} is declared in no header"
    if exported is None:
        return
    for name in sorted(set(declared) - exported):
        path, line = declared[name]
        yield f"{path}:{line}: {name} is not exported by {library}"
    for name in sorted(exported - set(declared) - nodes):
        yield f"{library}:1: exports {name}, which no header declares"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=Path, required=True)
    parser.add_argument("--symbols", type=Path, required=True)
    parser.add_argument("--library", type=Path)
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--only", help="a header, relative to the folder")
    parser.add_argument("--except", dest="but", help="a header, relative to the folder")
    parser.add_argument("--without", help="a header, relative to the folder")
    parser.add_argument("--user", type=Path, help="the library that uses the private node")
    parser.add_argument("--version")
    options = parser.parse_args(arguments)

    all_texts = {str(path): path.read_text(encoding="utf-8")
                 for path in sorted(options.include.rglob("*.h"))}
    texts = {path: text for path, text in all_texts.items()
             if (not options.only or Path(path) == options.include / options.only)
             and (not options.but or Path(path) != options.include / options.but)}
    if not texts:
        parser.error(f"no headers in {options.include}")
    headers = [read_header(path, text) for path, text in texts.items()]
    codes = error_codes(all_texts)
    problems = [f"{header.path}:{line}: {what}"
                for header in headers for line, what in check_header(header, codes)]
    declared = declared_symbols(headers)
    if not declared:
        problems.append(f"{options.include}:1: nothing is declared with KIN_API")
    listed, nodes, private = listed_symbols(options.symbols.read_text(encoding="utf-8"))
    exported = exported_symbols(options.library, options.nm) if options.library else None
    used = undefined_symbols(options.user, options.nm) if options.user else None
    problems += compare_private(private, used, nodes, all_texts, options.version, options.symbols)
    if exported is not None:
        exported -= private
    if exported is not None and options.without:
        left_out = declared_symbols([header for header in headers
                                     if Path(header.path) == options.include / options.without])
        problems += [f"{options.library}:1: exports {name}, which was to be left out"
                     for name in sorted(exported & set(left_out))]
        exported |= set(left_out)
    problems += compare_symbols(declared, listed, nodes, exported, options.symbols, options.library)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
