# SPDX-License-Identifier: Apache-2.0
"""Requests for the oracle: mostly almost valid, many at a boundary, all from a seed.

GENERATORS has one function per operation. It takes a random.Random and gives a request and a note:
the name of the odd thing about the request, or "" for a plain one. Notes are not sent. They are the
handle by which run_oracle.py can allow a difference, so each is narrow, and the request decides it
alone. Texts are Unicode without surrogates; bytes that are not UTF-8 do not fit into JSON.
"""
import copy
import re
import sys
from decimal import ROUND_UP, Decimal, InvalidOperation, localcontext
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data"))
import rfc  # noqa: E402  (it lies beside the vectors, which it judges too)

# ---- common parts


def mutate(rng, text, alphabet, times=None):
    """A few small edits: what a parser meets when somebody mistyped."""
    for _ in range(times or rng.choice((1, 1, 1, 2, 3))):
        at = rng.randint(0, len(text))
        kind = rng.randrange(6)
        if kind == 0:
            text = text[:at] + text[at + 1:]
        elif kind == 1:
            text = text[:at] + rng.choice(alphabet) + text[at:]
        elif kind == 2:
            text = text[:at] + rng.choice(alphabet) + text[at + 1:]
        elif kind == 3:
            end = rng.randint(at, min(len(text), at + 4))
            text = text[:end] + text[at:end] + text[end:]
        elif kind == 4:
            text = text[:at]
        else:
            text = text[:at] + text[at + 1:at + 2] + text[at:at + 1] + text[at + 2:]
    return text


def maybe(rng, chance, text, alphabet):
    return mutate(rng, text, alphabet) if rng.random() < chance else text


# ---- label and field selectors

NAMES = ("a", "b", "app", "env", "tier", "A", "a1", "a.b", "a-b", "a_b", "in", "notin", "x", "1",
         "exists", "inn")
PREFIXES = ("example.com", "app.kubernetes.io", "a", "a.b.c", "x-y.z", "1.2")
ODD_NAMES = ("", "-a", "a-", "_a", ".a", "a.", "a b", "é", "a/b/c", "/a", "a/", "!", "a@b", "a:b",
             "(", "=", "\u00a0", "a\u2028b", "\x00", "\x7f")
ODD_PREFIXES = ("", "Example.com", "a..b", "-a", "a-", "a_b", ".a", "a.", "é", "a.-b", "a-.b")
VALUES = ("", "1", "2", "x", "y", "prod", "dev", "A", "a.b", "a-b_c", "in", "notin", "10", "9")
ODD_VALUES = ("-", "-1", "+1", "_", "a b", "é", "a/b", "a=b", "a,b", ".", "0x10", "1.5", "1e3",
              "\t", "9223372036854775807", "9223372036854775808", "00012", "0", "-0", "\\", "\"x\"")
SPACES = ("", "", "", "", " ", " ", "  ", "\t", "\n", "\r", " \t\r\n")
LABEL_ALPHABET = "ab01-_./,=!()<> \t\nin\u00e9\\@A"
COMPARABLE = ("0", "1", "5", "10", "9", "007", "9223372036854775807", "9223372036854775808",
              "1a", "1.5", "18446744073709551616")


def label_word(rng):
    """Mostly valid: only an end that is no letter or digit is wrong."""
    return "".join(rng.choice("abzAZ09-_.") for _ in range(rng.randint(0, 8))) + rng.choice("aZ9")


def label_name(rng):
    kind = rng.random()
    if kind < 0.77:
        return rng.choice(NAMES)
    if kind < 0.92:
        return label_word(rng)
    if kind < 0.96:
        length = rng.choice((62, 63, 64, 65))
        return rng.choice("aB0") + "x" * (length - 2) + rng.choice("zZ9-_.")
    return rng.choice(ODD_NAMES)


def label_prefix(rng):
    kind = rng.random()
    if kind < 0.8:
        return rng.choice(PREFIXES)
    if kind < 0.9:
        parts, length = [], rng.choice((252, 253, 254, 300))
        while length > 0:
            part = min(length, rng.choice((1, 20, 63, 64, 100)))
            parts.append("p" * part)
            length -= part + 1
        return ".".join(parts)
    return rng.choice(ODD_PREFIXES)


def label_key(rng):
    name = label_name(rng)
    return label_prefix(rng) + "/" + name if rng.random() < 0.25 else name


def label_value(rng):
    kind = rng.random()
    if kind < 0.74:
        return rng.choice(VALUES)
    if kind < 0.94:
        return label_word(rng)
    if kind < 0.97:
        return "v" * rng.choice((62, 63, 64)) + rng.choice(("", "-"))
    return rng.choice(ODD_VALUES)


def label_requirement(rng, key, value):
    def sp():
        return rng.choice(SPACES)

    def wide():
        return rng.choice((" ", " ", " ", "\t", "  ", "\n", rng.choice(("", " "))))

    kind = rng.randrange(10)
    if kind < 4:
        operator = rng.choice(("=", "==", "!=", rng.choice(("=", "=", "===", "=!", "!"))))
        return sp() + key(rng) + sp() + operator + sp() + value(rng) + sp()
    if kind < 7:
        count = rng.choice((0, 1, 1, 2, 2, 3, 5))
        values = ",".join(sp() + value(rng) + sp() for _ in range(count))
        return (sp() + key(rng) + wide() + rng.choice(("in", "notin")) + wide()
                + "(" + values + ")" + sp())
    if kind == 7:
        return sp() + key(rng) + sp()
    if kind == 8:
        return sp() + "!" + sp() + key(rng) + sp()
    return sp() + key(rng) + sp() + rng.choice("<>") + sp() + rng.choice(COMPARABLE) + sp()


def label_selector(rng, key=label_key, value=label_value, chance=0.2):
    count = rng.choice((0, 1, 1, 1, 2, 2, 3, 4))
    text = ",".join(label_requirement(rng, key, value) for _ in range(count))
    return maybe(rng, chance, text, LABEL_ALPHABET)


def zero_byte_note(*texts):
    return "zero-byte" if any("\0" in text for text in texts) else ""


def label_parse(rng):
    selector = label_selector(rng)
    return {"selector": selector}, zero_byte_note(selector)


def small_key(rng):
    return rng.choice(("a", "b", "c", "example.com/a"))


def small_value(rng):
    return rng.choice(("", "1", "2", "10", "x", "007", "9223372036854775807"))


# Values that the library stores in another form than text, which a label must not show.
PACKED_VALUES = ("1234abcd-12ab-34cd-56ef-1234567890ab", "00000000-0000-0000-0000-000000000000",
                 "0123456789abcdef0123456789abcdef", "7d9f8c6b5d", "2026-01-02", "123456789012")


def label_map(rng):
    values = (small_value, small_value, small_value, label_value,
              lambda r: r.choice(PACKED_VALUES))
    return {small_key(rng): rng.choice(values)(rng) for _ in range(rng.choice((0, 1, 2, 3)))}


def label_match(rng):
    selector, labels = label_selector(rng, small_key, small_value, 0.05), label_map(rng)
    if labels and rng.random() < 0.2:  # one that may well match
        key, value = rng.choice(list(labels.items()))
        selector = rng.choice((f"{key}={value}", f"{key} in (x,{value})", f"{key}!={value}"))
    return {"selector": selector, "labels": labels}, zero_byte_note(selector)


SELECTOR_OPERATORS = ("In", "In", "In", "NotIn", "NotIn", "Exists", "DoesNotExist")
ODD_OPERATORS = ("in", "Equals", "=", "", "Gt", "exists", "In ", None, 1, True, [], {})
ODD_MEMBERS = (None, None, None, 1, 1.5, True, "a", [], {}, [None], {"a": None}, [1], {"a": 1},
               ["a"], [[]])


def selector_expression(rng, key, value):
    operator = rng.choice(SELECTOR_OPERATORS)
    count = rng.choice((1, 1, 2, 3, 5)) if "In" in operator else 0
    expression = {"key": key(rng), "operator": operator}
    if count or rng.random() < 0.5:
        expression["values"] = [value(rng) for _ in range(count)]
    return expression


def spoil(rng, selector):
    """Something about a LabelSelector that is out of the ordinary, and often wrong."""
    expressions = selector.get("matchExpressions") or [None]
    part = rng.choice((selector, selector.get("matchLabels"), rng.choice(expressions),
                       rng.choice(expressions)))
    kind = rng.randrange(6)
    if not part or kind == 0:
        name = rng.choice(("matchLabels", "matchExpressions", "matchExpression", "MatchLabels"))
        return {**selector, name: rng.choice(ODD_MEMBERS)}
    name = rng.choice(list(part))
    if kind == 1:
        del part[name]
    elif kind == 2 and "operator" in part:
        part["operator"] = rng.choice(ODD_OPERATORS)
    elif kind == 3 and "values" in part:
        part["values"] = part["values"] + [rng.choice(ODD_MEMBERS)]
    elif kind == 4 and "operator" in part:
        part["operator"] = rng.choice(SELECTOR_OPERATORS)
    else:
        part[name] = rng.choice(ODD_MEMBERS)
    return selector


def label_from_object(rng):
    plain = rng.random() < 0.6
    key, value = (small_key, small_value) if plain else (label_key, label_value)
    labels = label_map(rng)
    request = {"labels": labels}
    if rng.random() < 0.04:
        request["value"] = rng.choice(ODD_MEMBERS)
        return request, ""
    if rng.random() < 0.02:
        return request, ""
    selector = {}
    if rng.random() < 0.7:
        selector["matchLabels"] = {key(rng): value(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))}
        if rng.random() < 0.5:
            selector["matchLabels"].update(list(labels.items())[:1])
    if rng.random() < 0.7:
        selector["matchExpressions"] = [selector_expression(rng, key, value)
                                        for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    request["value"] = spoil(rng, selector) if rng.random() < 0.2 else selector
    return request, repeated_value_note(request["value"])


def repeated_value_note(selector):
    """Whether an expression has a value twice; a null is the empty one there."""
    expressions = selector.get("matchExpressions")
    for expression in expressions if isinstance(expressions, list) else ():
        values = expression.get("values") if isinstance(expression, dict) else None
        texts = [value or "" for value in values if value is None or isinstance(value, str)] \
            if isinstance(values, list) else []
        if len(set(texts)) < len(texts):
            return "repeated-value"
    return ""


def label_validate_key(rng):
    return {"text": maybe(rng, 0.2, label_key(rng), LABEL_ALPHABET)}, ""


def label_validate_value(rng):
    return {"text": maybe(rng, 0.3, label_value(rng), LABEL_ALPHABET)}, ""


FIELD_NAMES = ("metadata.name", "metadata.namespace", "spec.nodeName", "status.phase", "a", "b", "",
               "a b", "é", "a.b[0]", "a\\b", "!", " a ")
FIELD_VALUES = ("", "x", "node-1", "Running", "a b", "é", "\\\\", "\\,", "\\=", "a\\,b\\=c\\\\d",
                "!", "a!b", "\\", "\\x", "a=b", " x ", "\\\\\\,", "\\\\,", "\u65e5")
FIELD_ALPHABET = "ab.,=!\\ \t\u00e9x"


def field_selector(rng, names=FIELD_NAMES, values=FIELD_VALUES, chance=0.3):
    terms = []
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        name, value = rng.choice(names), rng.choice(values)
        terms.append("" if rng.random() < 0.04 else
                     name + rng.choice(("=", "==", "!=", "=")) + value)
    return maybe(rng, chance, ",".join(terms), FIELD_ALPHABET)


def field_parse(rng):
    return {"selector": field_selector(rng)}, ""


def field_match(rng):
    names, values = ("a", "b", "c.d"), ("", "x", "y", "\\,", "\\=z", "\\\\")
    fields = {rng.choice(names): rng.choice(("", "x", "y", ",", "=z", "\\"))
              for _ in range(rng.choice((0, 1, 2, 3)))}
    return {"selector": field_selector(rng, names, values, 0.05), "fields": fields}, ""


# ---- quantities

SUFFIXES = ("", "", "", "n", "u", "m", "m", "k", "k", "M", "M", "G", "G", "T", "P", "E", "Ki", "Ki",
            "Mi", "Mi", "Gi", "Gi", "Ti", "Pi", "Ei")
ODD_SUFFIXES = ("K", "mi", "ki", "i", "kk", "Kii", "KI", "e", "E+", "B", "KiB", " Ki", "mm", "nE")
QUANTITY_ALPHABET = "0123456789.+-eEinumkKMGTP \u0661x_,"
POWERS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
EDGES = (2 ** 63 - 1, 2 ** 63, 2 ** 63 + 1, 2 ** 53, 2 ** 53 + 1, 2 ** 62, 2 ** 64, 10 ** 18,
         10 ** 18 - 1, 10 ** 15, 9 * 10 ** 18, 1023, 1024, 1025, 1000, 999, 1001, 2 ** 63 // 1000,
         2 ** 63 // 1000 + 1, 2 ** 53 * 1024)


def digits(rng, low, high):
    return "".join(rng.choice("0123456789") for _ in range(rng.randint(low, high)))


def quantity_number(rng):
    kind = rng.random()
    if kind < 0.45:
        return str(rng.randrange(10 ** rng.randint(1, 6)))
    if kind < 0.65:
        return digits(rng, 0, 4) + "." + digits(rng, 0, 6)
    if kind < 0.75:
        return str(rng.choice(EDGES) + rng.choice((-1, 0, 0, 1)))
    if kind < 0.82:
        return rng.choice(("0", "00", "000", "")) + str(rng.randrange(2000))
    if kind < 0.88:
        return digits(rng, 1, 18) + rng.choice(("", "0", "000", "000000"))
    if kind < 0.93:
        return digits(rng, 1, 3) + "." + digits(rng, 7, 25)
    if kind < 0.97:
        return rng.choice(("0", "0.0", "0.000", ".0", "1.", "1.0", "1.10", "0.5", ".5",
                           "1.000000001"))
    return digits(rng, 19, 40)


def quantity_text(rng):
    sign = rng.choice(("", "", "", "", "-", "-", "+"))
    kind = rng.random()
    if kind < 0.8:
        suffix = rng.choice(SUFFIXES)
    elif kind < 0.95:
        suffix = rng.choice("eE") + rng.choice(("", "", "-", "+")) + str(
            rng.choice((0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9, 9, 10, 12, 15, 18, 20, "03")))
    else:
        suffix = rng.choice(ODD_SUFFIXES)
    return maybe(rng, 0.12, sign + quantity_number(rng) + suffix, QUANTITY_ALPHABET)


def quantity_amount(text):
    """The exact amount that a well-formed text denotes, else None."""
    match = re.fullmatch(r"([+-]?[0-9]*(?:\.[0-9]*)?)(.*)", text, re.DOTALL)
    number, suffix = match.groups()
    exponent = re.fullmatch("[eE]([+-]?[0-9]+)", suffix)
    try:
        amount = Decimal(number)
    except InvalidOperation:
        return None
    with localcontext() as context:
        context.prec = 200
        if suffix in BINARY:
            return amount * 2 ** BINARY[suffix]
        if suffix in POWERS:
            return amount.scaleb(POWERS[suffix])
        return amount.scaleb(int(exponent[1])) if exponent else None


def stored_amount(text):
    """What a quantity is once it was read: in whole nanos, and capped if it is binary."""
    amount = quantity_amount(text)
    if amount is None:  # without any digit it is 0, or refused
        return None if re.match(r"[+-]?\.?[0-9]", text) else Decimal(0)
    with localcontext() as context:
        context.prec = 1000
        amount = amount.quantize(Decimal("1e-9"), ROUND_UP)
        limit = Decimal(2 ** 63 - 1)
        return amount if text[-1:] != "i" else max(-limit, min(limit, amount))


def size_note(amount):
    """What is beyond the 38 digits of the library's quantities, or the suffixes of Kubernetes'."""
    with localcontext() as context:
        context.prec = 1000
        if len(amount.normalize().as_tuple().digits) > 38:
            return "more-than-38-digits"
        if amount and (amount % 10 ** 21 == 0 or amount % 2 ** 70 == 0):
            return "beyond-the-suffixes"
    return ""


def is_in_long_form(text):
    """Whether Go stores it as a big integer with a scale, and not as an int64 with one."""
    number, suffix = re.fullmatch(r"[+-]?([0-9]*(?:\.[0-9]*)?)(.*)", text, re.DOTALL).groups()
    whole, _, fraction = number.partition(".")
    whole = whole.lstrip("0") or "0"
    if suffix in BINARY:
        return bool(fraction) or len(whole) + BINARY[suffix] * 3 // 10 > 14
    power = POWERS[suffix] if suffix in POWERS else int(suffix[1:])
    return len(whole) + len(fraction) > 18 or power - len(fraction) < -9


def quantity_note(text):
    exponent = re.search("[eE]([+-]?[0-9]+)$", text)
    if exponent and abs(int(exponent[1])) > 400:
        return "exponent-beyond-int32"
    if text and not re.match(r"[+-]?\.?[0-9]", text):
        return "no-digits"
    amount = quantity_amount(text)
    if amount is not None and size_note(stored_amount(text)):
        return size_note(stored_amount(text))
    if amount is not None and abs(amount) > 2 ** 63 - 1:
        return "beyond-int64"
    if amount is not None and amount < 0 and is_in_long_form(text):
        return "negative-in-long-form"
    if amount is not None and abs(amount) * 1000 > 2 ** 63 - 1:
        return "milli-beyond-int64"
    return ""


def safe_quantity(rng):
    """Go works for minutes on 1e999999999, so no exponent gets out of hand."""
    while True:
        text = quantity_text(rng)
        exponent = re.search("[eE][+-]?([0-9]+)$", text)
        if not exponent or int(exponent[1]) <= 400:
            return text


def quantity(rng):
    if rng.random() < 0.003:
        wrapped = rng.choice(("1e4294967296", "5E4294967299", "2e-4294967296",
                              "1e9223372036854775808"))
        return {"text": wrapped}, quantity_note(wrapped)
    text = safe_quantity(rng)
    return {"text": text}, quantity_note(text)


def near(rng, text):
    """The same amount in another spelling, or the same text, often enough to hit equality."""
    amount = quantity_amount(text)
    if amount is None or abs(amount) > 10 ** 15 or rng.random() < 0.3:
        return text
    amount = amount + Decimal(rng.choice(("0", "0", "0", "1", "-1", "0.001", "-0.000000001")))
    suffix = rng.choice(("", "m", "k", "M", "u"))
    return format(amount.scaleb(-POWERS[suffix]), "f") + suffix


def quantity_pair(rng):
    a = safe_quantity(rng)
    b = near(rng, a) if rng.random() < 0.4 else safe_quantity(rng)
    if rng.random() < 0.05:
        a = rng.choice(("0", "0Ki", "0e1", "-0"))
    return {"a": a, "b": b}, quantity_pair_note(a, b)


def quantity_pair_note(a, b):
    """What an amount is as an integer is not asked here; how long it is, is."""
    amounts = stored_amount(a), stored_amount(b)
    if None in amounts:
        return ""
    with localcontext() as context:
        context.prec = 1000
        amounts += amounts[0] + amounts[1], amounts[0] - amounts[1]
    notes = {size_note(amount) for amount in amounts} - {""}
    is_binary = (a if amounts[0] else b).endswith("i")
    if is_binary and max(map(abs, amounts)) > 10 ** 38:
        notes.add("binary-beyond-10^38")
    return max(notes, default="")


# ---- keys, resource versions, times

KEY_PARTS = ("", "a", "b", "team-a", "kube-system", "pod-0", "é", " ", "a b", ".", "..",
             "\u65e5\u672c", "%2F", "\\", "x" * 253, "A", ":", "\x00")


def key_text(rng):
    count = rng.choice((1, 1, 2, 2, 2, 2, 3, 4))
    return maybe(rng, 0.2, "/".join(rng.choice(KEY_PARTS) for _ in range(count)), "/ab\u00e9 ")


def key_split(rng):
    return {"key": key_text(rng)}, ""


def key_of(rng):
    metadata, odd = {}, rng.random() < 0.1
    for field, chance in (("name", 0.95), ("namespace", 0.6)):
        if rng.random() < chance:
            metadata[field] = rng.choice(KEY_PARTS)
    for field in rng.sample(("labels", "uid", "resourceVersion"), rng.randint(0, 3)):
        metadata[field] = {"labels": {"name": "x"}, "uid": "name", "resourceVersion": "7"}[field]
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"name": "y"}}
    note = "" if metadata.get("name") else "no-name"
    note = zero_byte_note(metadata.get("name", ""), metadata.get("namespace", "")) or note
    if odd and note != "zero-byte":
        note = rng.choice(("no-metadata", "metadata-of-another-type", "name-of-another-type"))
        if note == "no-metadata":
            del obj["metadata"]
        elif note == "metadata-of-another-type":
            obj["metadata"] = rng.choice((None, [], "x", 1))
        else:
            metadata[rng.choice(("name", "namespace"))] = rng.choice((None, 1, True, [], {}))
    return {"object": obj}, note


RV_ODD = ("", "0", "00", "01", "-1", "+1", " 1", "1 ", "1.0", "1e3", "a", "0x1", "\u0661", "1,0",
          "1\n")


def rv_text(rng):
    kind = rng.random()
    if kind < 0.12:
        return rng.choice(RV_ODD)
    if kind < 0.3:
        return str(rng.choice((2 ** 63, 2 ** 64, 10 ** 19, 10 ** 9)) + rng.choice((-1, 0, 1)))
    return str(rng.randrange(1, 10 ** rng.choice((1, 2, 3, 8, 19, 20, 21, 60))))


def rv_compare(rng):
    a = rv_text(rng)
    b = rv_text(rng) if rng.random() < 0.6 else a
    if a == b and rng.random() < 0.6:
        b = maybe(rng, 0.9, b, "0123456789")
    return {"a": a, "b": b}, ""


YEARS = (0, 1, 1582, 1600, 1900, 1969, 1970, 1972, 1999, 2000, 2024, 2026, 2038, 2100, 2400, 9999)
TIME_ALPHABET = "0123456789-:.,TZtz+ \u00e9"


def time_text(rng):
    def two(high, odd):
        return f"{rng.choice(odd) if rng.random() < 0.04 else rng.randint(0, high):02d}"

    day = f"{rng.randint(1, 28):02d}"
    if rng.random() < 0.3:
        day = rng.choice(("01", "28", "29", "29", "30", "31", "00", "32"))
    month = rng.choice((2, 2, rng.choice((0, 13)))) if rng.random() < 0.2 else rng.randint(1, 12)
    text = (f"{rng.choice(YEARS):04d}-{month:02d}-{day}T{two(23, (24, 25, 23))}:"
            f"{two(59, (60, 59))}:{two(59, (59, 60, 61))}")
    if rng.random() < 0.4:
        text += "." + digits(rng, *rng.choice(((1, 3), (6, 6), (9, 9), (10, 20), (0, 0))))
    if rng.random() < 0.6:
        text += "Z"
    else:
        offset = f"{rng.randint(0, 14):02d}:{rng.choice((0, 30, 45)):02d}"
        if rng.random() < 0.25:
            offset = rng.choice(("23:59", "00:00", "24:00", "24:60", "25:00", "23:60", "99:99",
                                 "0530", "05"))
        text += rng.choice("+-") + offset
    return maybe(rng, 0.12, text, TIME_ALPHABET)


def time(rng):
    text = time_text(rng)
    note = ""
    if "," in text:
        note = "comma-before-fraction"
    elif re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]:", text):
        note = "hour-of-one-digit"
    elif re.search(r"[+-](24:[0-9]{2}|[0-9]{2}:60)$", text):
        note = "offset-at-the-edge"
    return {"text": text}, note


# ---- patches

MEMBERS = ("a", "b", "c", "d", "", "a/b", "m~n", "0", "1", "-", "01", "é", "~1", "a b")
SCALARS = (None, True, False, 0, 1, -1, 42, 9007199254740993, 10 ** 25, 0.5, -1.25, "", "x", "y",
           "Grüße", "\U0001f680", "a\nb", "\u0000", "<&>")


def value_of(rng, depth):
    kind = rng.random()
    if depth == 0 or kind < 0.45:
        return rng.choice(SCALARS)
    if kind < 0.75:
        return {rng.choice(MEMBERS): value_of(rng, depth - 1) for _ in range(rng.randint(0, 4))}
    return [value_of(rng, depth - 1) for _ in range(rng.randint(0, 4))]


def document(rng):
    return {rng.choice(MEMBERS): value_of(rng, 3) for _ in range(rng.randint(0, 5))}


def merge_patch_of(rng, doc, depth=3):
    """A patch that meets the document: members of it and others, with nulls."""
    patch = {}
    for key in list(doc) + [rng.choice(MEMBERS)]:
        kind = rng.random()
        if kind < 0.25:
            continue
        if kind < 0.45:
            patch[key] = None
        elif kind < 0.75 and isinstance(doc.get(key), dict) and depth > 0:
            patch[key] = merge_patch_of(rng, doc[key], depth - 1)
        else:
            patch[key] = value_of(rng, 2)
    return patch


def has_null_in_array(value, in_array=False):
    if isinstance(value, dict):
        return any(in_array and member is None or has_null_in_array(member, in_array)
                   for member in value.values())
    return isinstance(value, list) and any(has_null_in_array(e, True) for e in value)


def merge_patch(rng):
    doc = document(rng)
    patch = merge_patch_of(rng, doc)
    if rng.random() < 0.03:
        patch = rng.choice(([1], [], [{"a": None}], None, 1, "x", True))
        return {"doc": doc, "patch": patch}, "patch-is-no-object"
    note = "null-in-an-object-in-an-array" if has_null_in_array(patch) else ""
    return {"doc": doc, "patch": patch}, note


def escape(token):
    return token.replace("~", "~0").replace("/", "~1")


def pointers(value, prefix=""):
    """All locations of a document, itself first."""
    yield prefix, value
    members = value.items() if isinstance(value, dict) else (
        ((str(i), e) for i, e in enumerate(value)) if isinstance(value, list) else ())
    for token, member in members:
        yield from pointers(member, f"{prefix}/{escape(token)}")


def new_location(rng, doc):
    """A place where something can be added, existing or not."""
    prefix, parent = rng.choice([p for p in pointers(doc) if isinstance(p[1], (dict, list))])
    if isinstance(parent, dict):
        return f"{prefix}/{escape(rng.choice(MEMBERS))}"
    return f"{prefix}/{rng.choice(('-', str(rng.randint(0, len(parent)))))}"


def good_operation(rng, doc):
    """An operation that works on the document as it is."""
    inside = list(pointers(doc))[1:]
    kind = rng.choice(("add", "remove", "replace", "move", "copy", "test")) if inside else "add"
    path, value = rng.choice(inside) if inside else ("", None)
    if kind == "add":
        return {"op": kind, "path": new_location(rng, doc), "value": value_of(rng, 2)}
    if kind == "remove":
        return {"op": kind, "path": path}
    if kind == "replace":
        return {"op": kind, "path": path, "value": value_of(rng, 2)}
    if kind == "test":
        return {"op": kind, "path": path, "value": copy.deepcopy(value)}
    return {"op": kind, "from": path, "path": new_location(rng, doc)}


def odd_operation(rng, doc):
    """One that probably does not."""
    operation = good_operation(rng, doc)
    kind = rng.randrange(9)
    field = rng.choice([f for f in ("path", "from") if f in operation])
    if kind < 3:
        operation[field] = mutate(rng, operation[field], "/~01-ab9", 1)
    elif kind == 3:
        operation[field] = rng.choice(("", "/", "/nowhere", "/a/b/c/d", "a", "/~", "/-", "/0",
                                       "/00"))
    elif kind == 4:
        operation[field] += rng.choice(("/", "/0", "/-", "/x", "/-1", "/01", "/+0"))
    elif kind == 5 and len(operation) > 1:
        del operation[rng.choice(list(operation))]
    elif kind == 6:
        operation["op"] = rng.choice(("add", "remove", "replace", "test", "Add", "", "merge", None))
    elif kind == 7:
        operation["value"] = value_of(rng, 1)
    else:
        numbers = [(path, value) for path, value in pointers(doc) if isinstance(value, rfc.Number)
                   and len(value) < 10]
        if numbers:
            path, value = rng.choice(numbers)
            return {"op": "test", "path": path, "value": float(value) + rng.choice((0, 0, 1))}
    return operation


def numbers_as_text(value):
    """The value as rfc.py wants it, with numbers by their text."""
    if isinstance(value, dict):
        return {key: numbers_as_text(member) for key, member in value.items()}
    if isinstance(value, list):
        return [numbers_as_text(element) for element in value]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return rfc.Number(repr(value))
    return value


def json_patch_note(doc, patch):
    """The operation and what RFC 6902 says against it; or what is rare about it."""
    note = ""
    for operation in patch:
        name = operation.get("op")
        name = name if name in ("add", "remove", "replace", "move", "copy", "test") else "unknown"
        before = doc
        try:
            doc = rfc.apply(doc, [operation])
        except rfc.PatchError as refusal:
            return f"{name}-{refusal}"
        if not isinstance(doc, (dict, list)):
            return f"{name}-root-scalar"
        if "" in (operation["path"], operation.get("from") if name in ("move", "copy") else None):
            note = note or f"{name}-root"
        if name == "test":
            note = note or test_note(rfc.get(before, rfc.tokens(operation["path"])),
                                     operation["value"])
    if isinstance(doc, list):
        return "result-is-an-array"
    return note


def test_note(found, wanted):
    """Where json-patch.v4, which compares the text of values, may see two in one."""
    if found != wanted:
        return "test-number-spelling"
    if any(member is None for _, member in pointers(wanted)):
        return "test-null"
    if any(isinstance(member, str) and set("<>&") & set(member) for _, member in pointers(wanted)):
        return "test-html-characters"
    return ""


def json_patch(rng):
    doc = document(rng)
    now, patch = numbers_as_text(doc), []
    for _ in range(rng.choice((1, 1, 2, 3, 5))):
        operation = good_operation(rng, now)
        try:
            after = rfc.apply(now, [numbers_as_text(operation)])
        except rfc.PatchError:
            break  # a move into its own child, say
        if not isinstance(after, dict):
            break
        now = after
        patch.append(operation)
    if rng.random() < 0.35 or not patch:
        patch.append(odd_operation(rng, now))
    patch = as_numbers(patch)
    return {"doc": doc, "patch": patch}, json_patch_note(numbers_as_text(doc),
                                                         numbers_as_text(patch))


def as_numbers(value):
    if isinstance(value, dict):
        return {key: as_numbers(member) for key, member in value.items()}
    if isinstance(value, list):
        return [as_numbers(element) for element in value]
    if isinstance(value, rfc.Number):
        return int(value) if re.fullmatch("-?[0-9]+", value) else float(value)
    return value


GENERATORS = {
    "label-parse": label_parse,
    "label-match": label_match,
    "label-from-object": label_from_object,
    "label-validate-key": label_validate_key,
    "label-validate-value": label_validate_value,
    "field-parse": field_parse,
    "field-match": field_match,
    "quantity": quantity,
    "quantity-cmp": quantity_pair,
    "quantity-add": quantity_pair,
    "quantity-sub": quantity_pair,
    "key-split": key_split,
    "object-name": key_split,
    "key-of": key_of,
    "rv-compare": rv_compare,
    "time": time,
    "merge-patch": merge_patch,
    "json-patch": json_patch,
}


def by_rfc(request):
    """What the RFC of a patch makes of a request: a document, or None for a refusal."""
    doc, patch = numbers_as_text(request["doc"]), numbers_as_text(request["patch"])
    try:
        result = rfc.merge(doc, patch) if request["op"] == "merge-patch" else rfc.apply(doc, patch)
    except rfc.PatchError:
        return None
    return result if isinstance(result, dict) else None
