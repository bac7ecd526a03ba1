"""Which accesses are found to order threads, in what gcc makes of C11's orders."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from inst import isa
from inst.asm.split import split
from inst.flow.read import read_code
from inst.isa.model import Barrier
from inst.rewrite.ordering import find_orders, is_only_barrier, stack_bases
from inst.target.targets import Target

FUNCTIONS = {
    "load_relaxed": ("return atomic_load_explicit(p, memory_order_relaxed);", ""),
    "load_acquire": ("return atomic_load_explicit(p, memory_order_acquire);", "acquire"),
    "load_seq_cst": ("return atomic_load(p);", "acquire"),
    "load_and_fence": (
        "int v = atomic_load_explicit(p, memory_order_relaxed);"
        "atomic_thread_fence(memory_order_acquire); return v;",
        "acquire",
    ),
    "wait_and_fence": (
        "while (!atomic_load_explicit(p, memory_order_relaxed));"
        "atomic_thread_fence(memory_order_acquire); return *r;",
        "acquire none",
    ),
    "load_twice": (
        "int v = atomic_load_explicit(p, memory_order_acquire);"
        "return v + atomic_load_explicit(q, memory_order_relaxed);",
        "acquire none",
    ),
    "store_relaxed": ("atomic_store_explicit(p, 1, memory_order_relaxed); return 0;", ""),
    "store_release": ("atomic_store_explicit(p, 1, memory_order_release); return 0;", "release"),
    "store_seq_cst": ("atomic_store(p, 1); return 0;", "release"),
    "fence_and_store": (
        "atomic_thread_fence(memory_order_release);"
        "atomic_store_explicit(p, 1, memory_order_relaxed); return 0;",
        "release",
    ),
    "store_twice": (
        "atomic_store_explicit(q, 2, memory_order_relaxed);"
        "atomic_store_explicit(p, 1, memory_order_release); return 0;",
        "none release",
    ),
    "publish": ("*r = 42; atomic_store_explicit(p, 1, memory_order_release); return 0;",
                "none release"),
    "consume": ("return atomic_load_explicit(p, memory_order_acquire) ? *r : 0;", "acquire none"),
}  # fmt: skip
"""The body of a function, and how its accesses order threads, in the order of the code; "" where
it has one that orders nothing."""


def _assembly(target: Target, level: str, directory: Path) -> str:
    source = directory / "orders.c"
    functions = (
        f"int {name}(_Atomic int *p, _Atomic int *q, int *r) {{ {body} }}"
        for name, (body, _) in FUNCTIONS.items()
    )
    source.write_text("\n".join(["#include <stdatomic.h>", *functions]))
    model = ["-mmemory-model=rmo"] if target.isa == "sparc" else []
    command = [*target.compiler, level, *model, "-fno-asynchronous-unwind-tables", "-S", "-o", "-"]
    done = subprocess.run([*command, source], check=True, capture_output=True, text=True)
    return done.stdout


@pytest.mark.parametrize("level", ["-O1", "-O2", "-Os"])
def test_orders_that_gcc_writes_as_barriers(target: Target, level: str, tmp_path: Path) -> None:
    text = _assembly(target, level, tmp_path)
    code = read_code(split(text, target.isa, "orders.s"), isa.get(target.isa), "orders.s")
    orders, stack = find_orders(code, isa.get(target.isa)), stack_bases(isa.get(target.isa))
    said: dict[str, list[str]] = {name: [] for name in FUNCTIONS}
    # ELFv1's functions have their descriptor's name; the code has a label of its own.
    starts = {
        code.labels[f".L.{name}" if f".L.{name}" in code.labels else name]: name
        for name in FUNCTIONS
    }
    assert len(starts) == len(FUNCTIONS)
    function = ""
    for index, fact in enumerate(code.facts):
        function = starts.get(index, function)
        access = fact.access
        if access is None or is_only_barrier(fact) or access.base in stack:
            continue
        order = orders.get(index)
        said[function].append({None: "none", Barrier.RELEASE: "release"}.get(order, "acquire"))
    assert {name: " ".join(one) for name, one in said.items()} == {
        name: expected or "none" for name, (_, expected) in FUNCTIONS.items()
    }
