"""The canonical forms of values, computed by a second, independent implementation, for golden.py.

It is written from the opening comment of src/core/base/canonical.h alone, not from the C code.
"""
from collections import namedtuple
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from struct import pack, unpack

Value = namedtuple("Value", "type literal")  # a value as PostgreSQL reads it
MIDNIGHT = datetime(2000, 1, 1)
MICROSECOND = timedelta(microseconds=1)


def number(tag, value):
    """Return the form of a value that is a number."""
    return pack("<Bq", tag, value)


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


def moment_form(tag, literal, bits, distance):
    """Return the form of a date or time, by its distance from 2000."""
    infinite = {"infinity": 2**(bits - 1) - 1, "-infinity": -2**(bits - 1)}
    return number(tag, infinite[literal] if literal in infinite else distance(literal))


def pg_lsn_form(literal):
    """Return the form of a place in the log."""
    high, low = (int(part, 16) for part in literal.split("/"))
    return number(25, high << 32 | low)


FORMS = {
    "boolean": lambda v: number(3, v == "t"), '"char"': lambda v: number(4, v.encode()[0]),
    "real": lambda v: float_form(unpack("f", pack("f", float(v)))[0]), "float8": lambda v: float_form(float(v)),
    "numeric": lambda v: numeric_form(Decimal(v)), "money": lambda v: number(7, int(Decimal(v) * 100)),
    "bytea": lambda v: pack("<BI", 8, len(v) // 2 - 1) + bytes.fromhex(v[2:]),
    "uuid": lambda v: b"\x0a" + bytes.fromhex(v.replace("-", "")),
    "date": lambda v: moment_form(11, v, 32, lambda v: (date.fromisoformat(v) - MIDNIGHT.date()).days),
    "time": lambda v: number(12, (datetime.combine(MIDNIGHT, time.fromisoformat(v)) - MIDNIGHT) // MICROSECOND),
    "timestamp": lambda v: moment_form(14, v, 64, lambda v: (datetime.fromisoformat(v) - MIDNIGHT) // MICROSECOND),
    "timestamptz": lambda v: moment_form(15, v, 64, lambda v: (
        datetime.fromisoformat(v) - MIDNIGHT.replace(tzinfo=timezone.utc)) // MICROSECOND),
    "macaddr": lambda v: b"\x12" + bytes.fromhex(v.replace(":", "")),
    "macaddr8": lambda v: b"\x13" + bytes.fromhex(v.replace(":", "")), "oid": lambda v: number(20, int(v)),
    "xid": lambda v: number(21, int(v)), "xid8": lambda v: number(22, int(v)), "cid": lambda v: number(23, int(v)),
    "pg_lsn": pg_lsn_form}


def canonical(type_, literal):
    """Return the canonical form of a value."""
    return FORMS[type_](literal)
