"""The registers that probes take, where the program's builder may choose: `--inst-registers`."""

from __future__ import annotations

from inst.arch.registry import all_architectures, architecture
from inst.dataclass import replace
from inst.errors import InstError
from inst.isa.sites import Sites
from inst.target.model import Target
from inst.wrap import options


def chosen() -> tuple[str, ...]:
    """Return the names of the registers, as they were given; empty for the usual ones."""
    words = options.value("registers").split(",")
    return tuple(word.strip().removeprefix("%") for word in words if word.strip())


def usual() -> str:
    """Return the registers that sites take where the choice is left to them."""
    sites = [site for one in all_architectures() for site in one.part(Sites).abis.values()]
    return ",".join(next(site.scratch for site in sites if site.chosen))


def with_registers(target: Target) -> Target:
    """Return a target whose sites take the registers chosen.

    Raises InstError for what is no choice there.
    """
    names = chosen()
    if not names:
        return target
    sites = architecture(target.isa).part(Sites)
    if not sites.abis[target.abi].chosen:
        raise InstError(
            f"the registers that probes take are no choice for {target.name}",
            hint=f"{options.PREFIX}registers= is for sparc-v8",
        )
    if not options.is_bare():
        raise InstError(
            "the registers that probes take are a choice without an operating system only",
            hint=f"compile and link with {options.PREFIX}runtime=bare, or without "
            f"{options.PREFIX}registers",
        )
    abi = sites.with_registers(names)
    if not abi:
        raise InstError(
            f"INST_REGISTERS={options.value('registers')} is no choice",
            hint=f"{options.PREFIX}registers= takes two of {', '.join(sites.choices)}",
        )
    return replace(target, abi=abi)
