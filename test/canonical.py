"""The canonical forms of values, computed by a second, independent implementation, for golden.py.

It is written from the opening comment of src/core/canonical.h alone, not from the C code.
"""
import re
from collections import namedtuple
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from ipaddress import ip_interface
from json import loads
from struct import pack, unpack

Value = namedtuple("Value", "type literal")  # a value as PostgreSQL reads it
MIDNIGHT = datetime(2000, 1, 1)
MICROSECOND = timedelta(microseconds=1)
EXACT = {"parse_int": Decimal, "parse_float": Decimal}


def number(tag, value, *more):
    """Return the form of a value that is a number, or several."""
    return pack("<B", tag) + b"".join(pack("<q", v) for v in (value, *more))


def string(tag, content, length=None):
    """Return the form of a value that has some number of bytes, or of bits."""
    return pack("<BI", tag, len(content) if length is None else length) + content


def members(tag, forms):
    """Return the form of a value that has members."""
    return pack("<BI", tag, len(forms)) + b"".join(forms)


def text_form(value):
    """Return the form of a string."""
    return string(2, value.encode())


def float_form(value):
    """Return the form of a floating-point number."""
    return pack("<Bd", 5, value or 0.0) if value == value else pack("<BQ", 5, 0x7FF8 << 48)


def numeric_form(value):
    """Return the form of a Decimal."""
    sign, digits, exponent = value.as_tuple()
    if not value.is_finite():
        return pack("<BB", 6, 3 if value.is_nan() else 5 if sign else 4)
    digits = "".join(map(str, digits)).lstrip("0")
    exponent += len(digits) - len(digits.rstrip("0"))
    digits = digits.rstrip("0").encode()
    if not digits:
        return pack("<BB", 6, 0)
    return pack("<BBqI", 6, 2 if sign else 1, exponent, len(digits)) + digits


def bits_form(literal):
    """Return the form of a bit string."""
    padded = literal + "0" * (-len(literal) % 8)
    return string(9, bytes(int(padded[i:i + 8], 2) for i in range(0, len(padded), 8)), len(literal))


def moment_form(tag, literal, bits, distance):
    """Return the form of a date or time, by its distance from 2000."""
    infinite = {"infinity": 2**(bits - 1) - 1, "-infinity": -2**(bits - 1)}
    return number(tag, infinite[literal] if literal in infinite else distance(literal))


def microseconds(moment):
    """Return the microseconds since midnight of a time."""
    return (datetime.combine(MIDNIGHT, moment.replace(tzinfo=None)) - MIDNIGHT) // MICROSECOND


def timetz_form(literal):
    """Return the form of a time with its offset."""
    moment = time.fromisoformat(literal)
    return number(13, microseconds(moment), -moment.utcoffset() // timedelta(seconds=1))


def interval_form(literal):
    """Return the form of an interval that is given as months, days, hours, minutes and microseconds."""
    parts = {unit: int(n) for n, unit in re.findall(r"(-?\d+) (mon|day|hour|min|us)", literal)}
    minutes = parts.get("hour", 0) * 60 + parts.get("min", 0)
    days, rest = divmod(minutes * 60 * 10**6 + parts.get("us", 0), 86400 * 10**6)
    return number(16, parts.get("mon", 0) * 30 + parts.get("day", 0) + days, rest)


def inet_form(literal):
    """Return the form of a network address."""
    address = ip_interface(literal)
    return pack("<BBB", 17, address.version, address.network.prefixlen) + address.packed


def tid_form(literal):
    """Return the form of the place of a row."""
    block, offset = map(int, literal.strip("()").split(","))
    return number(24, block * 65536 + offset)


def pg_lsn_form(literal):
    """Return the form of a place in the log."""
    high, low = (int(part, 16) for part in literal.split("/"))
    return number(25, high << 32 | low)


def array_form(type_, literal):
    """Return the form of an array."""
    bounds, _, body = literal.rpartition("=")
    values = [loads(body.translate(str.maketrans("{}", "[]")).replace("NULL", "null"), **EXACT)]
    lengths = []
    while values and isinstance(values[0], list):
        lengths.append(len(values[0]))
        values = [v for part in values for v in part]
    lower = map(int, re.findall(r"\[(-?\d+):", bounds)) if bounds else [1] * len(lengths)
    lengths = lengths if values else []
    return (members(32, [pack("<Iq", *pair) for pair in zip(lengths, lower)]) +
            b"".join(member_form(type_, v if v is None else str(v)) for v in values))


def member_form(type_, literal):
    """Return the form of what may be null."""
    return bytes(1) if literal is None else canonical(type_, literal)


def row_form(types, literal):
    """Return the form of a row."""
    fields = re.findall(r'(?:^\(|,)("(?:""|[^"])*"|[^,()"]*)', literal)
    values = [None if not f else f[1:-1].replace('""', '"') if f[0] == '"' else f for f in fields]
    assert len(values) == len(types), literal
    return members(33, [member_form(*pair) for pair in zip(types, values)])


def range_form(type_, literal):
    """Return the form of a range."""
    if literal == "empty":
        return pack("<BB", 34, 1)
    lower, upper = literal[1:-1].split(",")
    flags = 2 * bool(lower) + 4 * (literal[0] == "[") + 8 * bool(upper) + 16 * (literal[-1] == "]")
    return pack("<BB", 34, flags) + b"".join(canonical(type_, bound) for bound in (lower, upper) if bound)


def json_form(value):
    """Return the form of a value within a jsonb."""
    if value is None:
        return bytes(1)
    if isinstance(value, bool):
        return number(3, value)
    if isinstance(value, str):
        return text_form(value)
    if isinstance(value, Decimal):
        return numeric_form(value)
    if isinstance(value, list):
        return members(37, [json_form(v) for v in value])
    keys = sorted(value, key=lambda key: (len(key.encode()), key.encode()))
    return members(38, [text_form(key) + json_form(value[key]) for key in keys])


FORMS = {
    "integer": lambda v: number(1, int(v)), "text": text_form, "boolean": lambda v: number(3, v == "t"),
    '"char"': lambda v: number(4, v.encode()[0]), "real": lambda v: float_form(unpack("f", pack("f", float(v)))[0]),
    "float8": lambda v: float_form(float(v)), "numeric": lambda v: numeric_form(Decimal(v)),
    "money": lambda v: number(7, int(Decimal(v) * 100)), "bytea": lambda v: string(8, bytes.fromhex(v[2:])),
    "varbit": bits_form, "uuid": lambda v: b"\x0a" + bytes.fromhex(v.replace("-", "")),
    "date": lambda v: moment_form(11, v, 32, lambda v: (date.fromisoformat(v) - MIDNIGHT.date()).days),
    "time": lambda v: number(12, microseconds(time.fromisoformat(v))), "timetz": timetz_form,
    "timestamp": lambda v: moment_form(14, v, 64, lambda v: (datetime.fromisoformat(v) - MIDNIGHT) // MICROSECOND),
    "timestamptz": lambda v: moment_form(15, v, 64, lambda v: (
        datetime.fromisoformat(v) - MIDNIGHT.replace(tzinfo=timezone.utc)) // MICROSECOND),
    "interval": interval_form, "inet": inet_form, "macaddr": lambda v: b"\x12" + bytes.fromhex(v.replace(":", "")),
    "macaddr8": lambda v: b"\x13" + bytes.fromhex(v.replace(":", "")), "oid": lambda v: number(20, int(v)),
    "xid": lambda v: number(21, int(v)), "xid8": lambda v: number(22, int(v)), "cid": lambda v: number(23, int(v)),
    "tid": tid_form, "pg_lsn": pg_lsn_form, "golden_list": lambda v: array_form("numeric", v),
    "golden_row": lambda v: row_form(["integer", "text", "numeric", "golden_list", "date"], v),
    "numrange": lambda v: range_form("numeric", v), "int4range": lambda v: range_form("integer", v),
    "nummultirange": lambda v: members(35, [range_form("numeric", r) for r in re.findall(r"[\[(][^])]*[\])]", v)]),
    "jsonb": lambda v: b"\x24" + json_form(loads(v, **EXACT))}


def canonical(type_, literal):
    """Return the canonical form of a value; golden_list is numeric[], golden_row (integer, text, numeric, numeric[], date)."""
    return FORMS[type_](literal)
