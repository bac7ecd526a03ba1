"""How registers are spelled in operands, and the one canonical name of each."""

from __future__ import annotations


def _sparc() -> dict[str, str]:
    """Return canonical names by spelling, without the percent sign."""
    windows = [f"{letter}{n}" for letter in "goli" for n in range(8)]
    names = {name: name for name in windows}
    names |= {f"r{n}": name for n, name in enumerate(windows)}
    names |= {"sp": "o6", "fp": "i6"}
    for letter, step in (("f", 1), ("d", 2), ("q", 4)):
        names |= {f"{letter}{n}": f"f{n}" for n in range(0, 64, step)}
    names |= {f"c{n}": f"c{n}" for n in range(32)}
    names |= {f"asr{n}": f"asr{n}" for n in range(32)}
    names |= {f"fcc{n}": f"fcc{n}" for n in range(4)}
    names |= {name: name for name in _SPARC_SPECIAL.split()}
    # The ancillary state registers that have names of their own.
    names |= {"asr0": "y", "asr2": "ccr", "asr3": "asi", "asr4": "tick", "asr5": "pc"}
    names |= {"asr6": "fprs", "asr19": "gsr"}
    return names


_SPARC_SPECIAL = """
    y psr wim tbr fsr csr fq cq icc xcc ccr asi tick pc npc fprs gsr tpc tnpc tstate tt tba
    pstate tl pil cwp cansave canrestore cleanwin otherwin wstate ver gl hpstate htstate hintp
    htba hver hstick_offset hstick_enable hstick_cmpr hmcdper pcr pic dcr softint set_softint
    clear_softint tick_cmpr sys_tick sys_tick_cmpr stick stick_cmpr cps pause mwait cfr mcdper
    entropy pmcdper efsr ccsr ccfr cccrcr ccpr ccsr2 cccrr ccrstr
"""


def _powerpc() -> dict[str, str]:
    """Return canonical names by spelling; the percent sign is optional in operands."""
    names: dict[str, str] = {}
    for prefix, count in (("r", 32), ("f", 32), ("v", 32), ("vs", 64), ("cr", 8)):
        for number in range(count):
            names[f"{prefix}{number}"] = f"{prefix}{number}"
            names[f"{prefix}.{number}"] = f"{prefix}{number}"
    names |= {name: name for name in ("lr", "ctr", "xer", "fpscr", "vscr", "vrsave")}
    names |= {"sp": "r1", "r.sp": "r1", "rtoc": "r2", "r.toc": "r2"}
    names |= {name: name for name in ("dar", "dec", "dsisr", "sdr1", "srr0", "srr1")}
    return names


REGISTERS = {"sparc": _sparc(), "powerpc": _powerpc()}
"""Spelling in lower case -> canonical name, for each syntax."""
