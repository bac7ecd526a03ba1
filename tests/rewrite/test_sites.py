"""Sites are found without writing anything: where they are, and what is live there."""

from __future__ import annotations

import pytest

from inst import isa as instruction_sets
from inst.rewrite import analysis, writers
from inst.rewrite.context import Rewriting
from inst.rewrite.options import Options
from inst.rewrite.sites import NO_BRANCH, Site
from inst.rewrite.source_file import SourceFile
from inst.target.targets import TARGETS

PLAIN = {
    "sparc-v8": "f:\tld [%o0],%o1\n\tretl\n\tst %o1,[%o2]\n",
    "sparc-v9": "f:\tldx [%o0],%o1\n\tretl\n\tstx %o1,[%o2]\n",
    "ppc32": "f:\tlwz 4,0(3)\n\tstw 4,0(5)\n\tblr\n",
    "ppc64": "f:\tld 4,0(3)\n\tstd 4,0(5)\n\tblr\n",
    "ppc64le": "f:\tld 4,0(3)\n\tstd 4,0(5)\n\tblr\n",
}
RESERVED = "f:\tlwarx 4,0,3\n\tlwz 5,0(6)\n\tstwcx. 5,0,3\n\tbne- 0,f\n\tsc\n\tblr\n"


def _sites(text: str, name: str) -> tuple[Rewriting, list[Site]]:
    target = TARGETS[name]
    file = SourceFile(instruction_sets.get(target.isa, target.abi), Options(), "a.s")
    start = file.sections.state()
    code = file.read(text)
    work = Rewriting(file, code, start, code.mentioned())
    analysis.analyse(work)
    writers.find_regions(work)
    return work, list(writers.collect_sites(work))


@pytest.mark.parametrize("name", PLAIN)
def test_accesses_are_found_with_what_is_live(name: str) -> None:
    work, (load, store) = _sites(PLAIN[name], name)
    bit, sparc = work.isa.registers.bit, name.startswith("sparc")
    loaded = bit["o1" if sparc else "r4"]
    assert load.access and load.access.load and store.access and store.access.store
    assert load.live_after & loaded and store.live_before & loaded
    assert (load.branch, store.branch) == (NO_BRANCH, 1 if sparc else NO_BRANCH)
    assert not work.edits.by_statement and not work.rows


@pytest.mark.parametrize("name", ["ppc32", "ppc64", "ppc64le"])
def test_accesses_where_a_reservation_is_open_are_only_counted(name: str) -> None:
    work, sites = _sites(RESERVED, name)
    assert [(site.index, site.reported) for site in sites] == [
        (0, True),
        (1, False),
        (2, True),
        (4, True),
    ]
    assert sites[-1].access is None
    writers.write_sites(work)
    assert list(work.unreported) == [1]
    assert "unreported" in [row.event for row in work.rows]
