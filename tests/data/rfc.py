# SPDX-License-Identifier: Apache-2.0
"""RFC 8259, 7386 and 6902 in plain Python: what the test data and the oracle are judged by.

JSON is read by Python's own parser, made strict. Patches follow the text of their RFCs, with no eye
on speed. Nothing here shares code or ideas with the library.
"""
import copy
import json
import re
from decimal import Decimal


class Number(str):
    """A number by its text, so that no digit is lost and 1 is not True."""


def refuse(what):
    raise ValueError(what)


def parse(data):
    """The value of strict JSON; ValueError otherwise."""
    text = data.decode("utf-8")
    value = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=refuse)
    check_surrogates(value)
    return value


def check_surrogates(value):
    if isinstance(value, dict):
        for key, member in value.items():
            check_surrogates(key)
            check_surrogates(member)
    elif isinstance(value, list):
        for element in value:
            check_surrogates(element)
    elif isinstance(value, str):
        value.encode("utf-8")


def depth(value):
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def equal(a, b):
    if isinstance(a, Number) and isinstance(b, Number):
        return Decimal(a) == Decimal(b)
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a == b


class PatchError(Exception):
    pass


def merge(doc, patch):
    if not isinstance(patch, dict):
        return patch
    result = dict(doc) if isinstance(doc, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def tokens(pointer):
    if type(pointer) is not str:
        raise PatchError("malformed")
    if pointer and pointer[0] != "/" or re.search("~(?![01])", pointer):
        raise PatchError("pointer")
    return [t.replace("~1", "/").replace("~0", "~") for t in pointer.split("/")[1:]]


def index(token, limit):
    if not re.fullmatch("0|[1-9][0-9]*", token, re.ASCII) or int(token) >= limit:
        raise PatchError("index")
    return int(token)


def get(value, path):
    for token in path:
        if isinstance(value, dict):
            if token not in value:
                raise PatchError("missing")
            value = value[token]
        elif isinstance(value, list):
            value = value[index(token, len(value))]
        else:
            raise PatchError("type")
    return value


def add(root, path, value):
    if not path:
        return value
    parent = get(root, path[:-1])
    if isinstance(parent, dict):
        parent[path[-1]] = value
    elif isinstance(parent, list):
        at = len(parent) if path[-1] == "-" else index(path[-1], len(parent) + 1)
        parent.insert(at, value)
    else:
        raise PatchError("type")
    return root


def remove(root, path):
    get(root, path)
    if not path:
        return None
    parent = get(root, path[:-1])
    del parent[path[-1] if isinstance(parent, dict) else int(path[-1])]
    return root


def replace(root, path, value):
    get(root, path)
    if not path:
        return value
    parent = get(root, path[:-1])
    parent[path[-1] if isinstance(parent, dict) else int(path[-1])] = value
    return root


def move(root, source, path):
    if len(source) < len(path) and path[:len(source)] == source:
        raise PatchError("into-itself")
    value = get(root, source)
    return add(remove(root, source), path, value)


def check_shape(operation):
    needs = {"add": {"value"}, "remove": set(), "replace": {"value"}, "move": {"from"},
             "copy": {"from"}, "test": {"value"}}
    if not isinstance(operation, dict) or type(operation.get("op")) is not str:
        raise PatchError("malformed")
    if operation["op"] not in needs or not needs[operation["op"]] | {"path"} <= operation.keys():
        raise PatchError("malformed")


def apply(doc, patch):
    if not isinstance(patch, list):
        raise PatchError("malformed")
    root = copy.deepcopy(doc)
    for operation in patch:
        check_shape(operation)
        op, path = operation["op"], tokens(operation["path"])
        value = copy.deepcopy(operation.get("value"))
        if op == "add":
            root = add(root, path, value)
        elif op == "remove":
            root = remove(root, path)
        elif op == "replace":
            root = replace(root, path, value)
        elif op == "move":
            root = move(root, tokens(operation["from"]), path)
        elif op == "copy":
            root = add(root, path, copy.deepcopy(get(root, tokens(operation["from"]))))
        elif not equal(get(root, path), value):
            raise PatchError("mismatch")
    return root
