"""A trace as views of a DuckDB database, for questions in SQL.

The trace is converted to Parquet in a temporary directory, which the database reads in pieces:
memory is bounded, whatever the length of the trace. Tables of `inst convert` are converted, too.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inst.convert import BY_NAME, convert
from inst.errors import InstError
from inst.trace.model import Trace
from inst.trace.writing import Job

MEMORY = "1GB"
"""Memory that the database may use; beyond that it writes to the temporary directory."""
_QUOTED_OR_HEX = re.compile(r"""'[^']*'|"[^"]*"|\b(0x[0-9a-fA-F]+)\b""")
ROWS = 1000
"""Rows of an answer that are fetched at a time."""


@dataclass(frozen=True, slots=True)
class View:
    """A view that questions are put to."""

    name: str
    what: str
    query: str


VIEWS = (
    View("events", "every event, with the columns of Parquet", "select * from trace"),
    View(
        "accesses",
        "loads and stores: the same columns, and `store`, `last` (its last byte) and `page` (of "
        "4096 bytes)",
        "select *, kind = 'write' as store, address + greatest(size, 1) - 1 as last, "
        "address // 4096 as page from trace "
        "where kind in ('read', 'write', 'reserve') and address is not null",
    ),
    View(
        "functions",
        "a row for each function: `function`, `events`, `loads`, `stores`, `bytes`, `sites`",
        "select function, count(*) as events, count(*) filter (kind = 'read') as loads, "
        "count(*) filter (kind = 'write') as stores, "
        "sum(size) filter (kind in ('read', 'write')) as bytes, count(distinct pc) as sites "
        "from trace where function <> '' group by function order by events desc",
    ),
    View(
        "threads",
        "a row for each thread: `thread`, `events`, `loads`, `stores`, `first` and `last_record`",
        "select thread, count(*) as events, count(*) filter (kind = 'read') as loads, "
        "count(*) filter (kind = 'write') as stores, min(record) as first, "
        "max(record) as last_record from trace group by thread order by thread",
    ),
)
MACROS = {
    "hx": ("hx(n)", "a number as text with 0x", "(n) as '0x' || lower(to_hex(n))"),
}


@contextmanager
def database(
    trace: Trace, programs: tuple[str, ...], *, demangle: bool
) -> Iterator[tuple[Any, InstError | None]]:
    """Yield a connection to a database that has the views of a trace.

    Yields with it the damage that ended the trace, if any: what is before it is there. Raises
    InstError if the library is missing, or a program cannot be read.
    """
    library = require_library()
    with tempfile.TemporaryDirectory(prefix="inst-query-") as directory:
        path = Path(directory, "trace.parquet")
        with path.open("wb") as output:
            failure = _converted(Job(trace, output, programs=programs, demangle=demangle))
        if failure and not path.stat().st_size:
            raise failure
        with library.connect(config={"memory_limit": MEMORY, "temp_directory": directory}) as link:
            _prepare(link, path)
            yield link, failure


def require_library() -> Any:
    """Return DuckDB; raise InstError with what to install if it is missing."""
    try:
        import duckdb
        import pyarrow  # noqa: F401  (it writes what the database reads)
    except ImportError as error:
        raise InstError(
            f"queries need a library that is not installed: {error.name}",
            hint="pip install 'inst[query]'",
        ) from error
    return duckdb


def _converted(job: Job) -> InstError | None:
    """Write the table; return the damage that ended the trace."""
    try:
        convert(job, BY_NAME["parquet"])
    except InstError as error:
        return error
    return None


def _prepare(link: Any, path: Path) -> None:
    for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
        link.execute(f"set {setting} = false")  # nothing is fetched from a network
    link.execute("set enable_progress_bar = false")
    quoted = str(path).replace("'", "''")
    link.execute(f"create view trace as select * from read_parquet('{quoted}')")
    for view in VIEWS:
        link.execute(f"create view {view.name} as {view.query}")
    for name, (_, _, body) in MACROS.items():
        link.execute(f"create macro {name}{body}")


def answer(link: Any, question: str) -> tuple[list[str], Iterator[list[tuple[Any, ...]]]]:
    """Return the names of the columns, and the rows some at a time.

    Raises InstError with what the database reports of a question that it cannot answer.
    """
    import duckdb

    try:
        result = link.execute(_QUOTED_OR_HEX.sub(_decimal, question))
        names = [column[0] for column in result.description or ()]
    except duckdb.Error as error:
        raise _wrong(error) from None
    return names, _rows(result)


def _decimal(found: re.Match[str]) -> str:
    """Return a hexadecimal number as the database reads it, and a quoted text as it is."""
    return str(int(found[1], 16)) if found[1] else found[0]


def _rows(result: Any) -> Iterator[list[tuple[Any, ...]]]:
    import duckdb

    while True:
        try:
            rows = result.fetchmany(ROWS)
        except duckdb.Error as error:
            raise _wrong(error) from None
        if not rows:
            return
        yield rows


def _wrong(error: Exception) -> InstError:
    text = str(error).strip()
    views = ", ".join(view.name for view in VIEWS)
    return InstError(
        f"the database cannot answer this:\n{text}",
        hint=f"the views are {views}; `describe events` lists columns",
    )
