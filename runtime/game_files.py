"""Files that people ask for by name: reading saves and scripts, writing saves and machines.

In: a path. Out: text, or a problem. A file is written beside itself first and then put in place, so
that an interruption leaves the old one whole.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from dsl.problems import Problem, Refused

MAX_BYTES = 50_000_000


def read(path: str) -> str:
    """The text of a file; raises `Refused` (R0206) when it cannot be read."""
    try:
        data = Path(path).read_bytes()
        if len(data) > MAX_BYTES:
            raise Refused(Problem("R0206", f"'{path}' has {len(data):,} bytes, too many for a log"))
        return data.decode("utf-8-sig")
    except OSError as bad:
        raise Refused(Problem("R0206", f"'{path}' cannot be read: {bad.strerror}")) from None
    except UnicodeDecodeError:
        raise Refused(Problem("R0206", f"'{path}' is not UTF-8 text")) from None


def write(path: str, text: str) -> None:
    """Put a text in place as a whole; raises `Refused` (R0206) when that fails."""
    target = Path(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.replace(target)
    except OSError as bad:
        raise Refused(Problem("R0206", f"'{path}' cannot be written: {bad.strerror}")) from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink()
