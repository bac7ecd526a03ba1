"""The programs: where they come from, how they are built, and how their tests are run."""

from __future__ import annotations

import re
from pathlib import Path

from truth.gzip_truth import HOSTS, NO_REMAKE

from tests.classic.workloads import execute
from tests.real.applications import APPLICATIONS
from tests.real.musl import MUSL
from tests.real.suite import AUTOMAKE, Setting, Suite

_LIST_BIG = re.compile(r"^  list-big\s*\\\n", re.M)
"""The test that compresses 4 GB."""


def _configure_gzip(directory: Path, setting: Setting) -> None:
    command = ["./configure", f"--host={HOSTS[setting.target.name]}", f"CC={setting.command()}"]
    execute([*command, "CFLAGS=-g -O2"], directory, setting.environment)
    if not setting.big:
        makefile = directory / "tests" / "Makefile"
        text, found = _LIST_BIG.subn("", makefile.read_text(), count=1)
        assert found
        makefile.write_text(text)


def _make_gzip(directory: Path, setting: Setting) -> None:
    execute(["make", *NO_REMAKE], directory, setting.environment)


def _test_gzip(_directory: Path, _setting: Setting) -> list[str]:
    return ["make", "check", *NO_REMAKE]


def _configure_zlib(directory: Path, setting: Setting) -> None:
    environment = {"CC": setting.command(), "CHOST": HOSTS[setting.target.name]}
    environment |= {"AR": setting.target.compiler[0].removesuffix("gcc") + "ar"}
    environment |= {"CFLAGS": "-O3 -g"}
    execute(["./configure", "--uname=Linux"], directory, setting.environment | environment)


def _make_zlib(directory: Path, setting: Setting) -> None:
    execute(["make", "all"], directory, setting.environment)


def _test_zlib(_directory: Path, _setting: Setting) -> list[str]:
    return ["make", "test"]


def _configure_nothing(_directory: Path, _setting: Setting) -> None:
    """pugixml has a makefile and nothing to configure."""


def _make_pugixml(directory: Path, setting: Setting) -> None:
    # Its own flags make warnings errors, and gcc has learnt more warnings since.
    command = ["make", f"CXX={setting.command('c++')}", "CXXFLAGS=-O2 -w -std=c++11"]
    execute([*command, "BUILD=build"], directory, setting.environment)


def _test_pugixml(_directory: Path, _setting: Setting) -> list[str]:
    return ["build/test"]


_BOARD = """load_generic_config "sim"
set_board_info is_simulator 1
set_board_info sim "{emulator}"
process_multilib_options ""
"""
"""How DejaGnu runs programs: its simulator is the emulator."""


def _configure_libffi(directory: Path, setting: Setting) -> None:
    boards = directory / "boards"
    boards.mkdir()
    (boards / "emulated.exp").write_text(_BOARD.format(emulator=setting.emulator))
    (directory / "emulated.exp").write_text(f'lappend boards_dir "{boards}"\n')
    command = ["./configure", f"--host={HOSTS[setting.target.name]}", "--disable-shared"]
    command += ["--disable-docs", f"CC={setting.command()}", f"CXX={setting.command('c++')}"]
    execute(command, directory, setting.environment)


def _make_libffi(directory: Path, setting: Setting) -> None:
    execute(["make"], directory, setting.environment)


_LIBFFI_TESTS = "call.exp closures.exp complex.exp go.exp"
"""All but bhaible.exp, which compiles two files in 80 ways each."""


def _test_libffi(directory: Path, setting: Setting) -> list[str]:
    variables = [f"DEJAGNU={directory / 'emulated.exp'}", "LIBFFI_TEST_OPTIMIZATION=-O2"]
    flags = "--target_board=emulated" if setting.big else f"--target_board=emulated {_LIBFFI_TESTS}"
    return ["env", *variables, "make", "check", f"RUNTESTFLAGS={flags}"]


_GMP_HOSTS = {
    "ppc32": ("powerpc-linux-gnu", "32"),
    "ppc64": ("powerpc64-linux-gnu", "mode64"),
    "ppc64le": ("powerpc64le-linux-gnu", "mode64"),
    "sparc-v8": ("sparcv8-linux-gnu", "32"),
    "sparc-v9": ("sparc64-linux-gnu", "64"),
}
"""Triple and ABI, which choose the assembly."""


def _configure_gmp(directory: Path, setting: Setting) -> None:
    # Debian leaves the manual out; config.status still asks for its makefile.
    (directory / "doc").mkdir(exist_ok=True)
    (directory / "doc" / "Makefile.in").write_text("all check clean:\n")
    host, abi = _GMP_HOSTS[setting.target.name]
    command = ["./configure", f"--host={host}", f"ABI={abi}", "--disable-shared"]
    command += [f"CC={setting.command()}", "CC_FOR_BUILD=gcc", "CFLAGS=-O2 -g"]
    execute(command, directory, setting.environment)


def _make_gmp(directory: Path, setting: Setting) -> None:
    execute(["make", f"CC={setting.command()}"], directory, setting.environment)


def _test_gmp(directory: Path, setting: Setting) -> list[str]:
    words = ["GMP_CHECK_REPFACTOR=0.1", f"LOG_COMPILER={setting.emulator}"]
    return ["make", "-C", "tests/mpn", "check", f"CC={setting.command()}", *words]


_DEJAGNU = re.compile(
    r"^(?P<verdict>PASS|FAIL|XPASS|XFAIL|UNRESOLVED|UNTESTED|UNSUPPORTED): (?P<name>.*)$", re.M
)

SUITES = (
    Suite("gzip", _configure_gzip, _make_gzip, _test_gzip, result=AUTOMAKE, programs=("gzip",)),
    Suite(
        "zlib",
        _configure_zlib,
        _make_zlib,
        _test_zlib,
        result=re.compile(r"(?P<name>zlib(?: shared| 64-bit)? test) (?P<verdict>\w+)"),
        programs=("example", "minigzip", "examplesh", "minigzipsh", "example64", "minigzip64"),
    ),
    Suite(
        "pugixml",
        _configure_nothing,
        _make_pugixml,
        _test_pugixml,
        result=re.compile(
            r"^(?P<verdict>Success|FAILURE): (?P<name>.*)|^Test (?P<failed>.*) failed: .*", re.M
        ),
        programs=("build/test",),
    ),
    Suite(
        "libffi",
        _configure_libffi,
        _make_libffi,
        _test_libffi,
        result=_DEJAGNU,
        log="libffi.sum",
    ),
    Suite(
        "gmp",
        _configure_gmp,
        _make_gmp,
        _test_gmp,
        result=AUTOMAKE,
        assembly="mpn/*.asm",
        compilers=("gcc",),
    ),
    *APPLICATIONS,
    MUSL,
)
