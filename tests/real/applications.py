"""Programs that people use every day: their own build systems, their own tests."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from truth.gzip_truth import HOSTS

from tests.classic.workloads import execute
from tests.real.suite import Setting, Suite

HERE = Path(__file__).resolve().parent
_BZIP2_COMPARED = re.compile(r"^(?P<verdict>cmp) (?P<name>sample.*)$", re.M)
"""`make test` shows each comparison it makes, and stops at the first that fails."""
_EXPAT_LONG = re.compile(r"^ *tcase_add_test[(]tc_basic, test_varying_buffer_fills[)];\n", re.M)
"""The test that scans over 100 MB: most of the suite's time under the emulator."""
_LUA_PATCHES = ("0002-lua-modules-paths.patch", "0001-build-system.patch")
"""What Debian changes in the makefile wants a libtool for the target, which is not there."""


def _configure_nothing(_directory: Path, _setting: Setting) -> None:
    """There is a makefile, and nothing to configure."""


def _configure(directory: Path, setting: Setting, *options: str, flags: str = "-g -O2") -> None:
    """Run a configure script for the target."""
    host = f"--host={HOSTS[setting.target.name]}"
    words = ["./configure", host, f"CC={setting.command()}", f"CXX={setting.command('c++')}"]
    execute([*words, f"CFLAGS={flags}", *options], directory, setting.environment)


def _make_bzip2(directory: Path, setting: Setting) -> None:
    prefix = setting.target.compiler[0].removesuffix("gcc")
    words = [f"CC={setting.command()}", f"AR={prefix}ar", f"RANLIB={prefix}ranlib"]
    execute(["make", *words, "bzip2", "bzip2recover"], directory, setting.environment)


def _test_bzip2(_directory: Path, _setting: Setting) -> list[str]:
    return ["make", "-o", "bzip2", "test"]


def _configure_lua(directory: Path, setting: Setting) -> None:
    revert_lua_patches(directory, setting.environment)


def revert_lua_patches(directory: Path, environment: dict[str, str]) -> None:
    """Make a copy of Debian's source one that builds without Debian's tools."""
    for name in _LUA_PATCHES:
        patch = directory / "debian" / "patches" / name
        execute(["patch", "-R", "-p1", "-s", "-i", str(patch)], directory, environment)


def _make_lua(directory: Path, setting: Setting) -> None:
    prefix = setting.target.compiler[0].removesuffix("gcc")
    words = [f"CC={setting.command()}", f"AR={prefix}ar rcu", f"RANLIB={prefix}ranlib"]
    execute(["make", "linux", *words, "MYCFLAGS=-g"], directory, setting.environment)


def _test_lua(_directory: Path, _setting: Setting) -> list[str]:
    return ["src/lua", str(HERE / "check.lua")]


def _configure_mawk(directory: Path, setting: Setting) -> None:
    for made in ("parse.c", "parse.h"):  # or it would be made by yacc once more
        (directory / made).touch()
    _configure(directory, setting)


def _make_mawk(directory: Path, setting: Setting) -> None:
    execute(["make", "mawk"], directory, setting.environment)


def _test_mawk(_directory: Path, _setting: Setting) -> list[str]:
    return ["make", "-o", "mawk", "mawk_test"]


def _configure_expat(directory: Path, setting: Setting) -> None:
    execute(["./buildconf.sh"], directory / "expat", setting.environment)
    options = ("--without-docbook", "--disable-shared", "--without-examples")
    _configure(directory / "expat", setting, *options)
    if not setting.big:
        tests = directory / "expat" / "tests" / "runtests.c"
        text, found = _EXPAT_LONG.subn("", tests.read_text(), count=1)
        assert found
        tests.write_text(text)


def _make_expat(directory: Path, setting: Setting) -> None:
    execute(["make"], directory / "expat", setting.environment)
    execute(["make", "-C", "tests", "check", "TESTS="], directory / "expat", setting.environment)


def _test_expat(_directory: Path, _setting: Setting) -> list[str]:
    return ["sh", "-c", "expat/tests/runtests -v && expat/tests/runtestspp -v"]


def _configure_json_c(directory: Path, setting: Setting) -> None:
    prefix = setting.target.compiler[0].removesuffix("gcc")
    environment = setting.environment | {"CC": setting.command()}
    words = ["-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_CROSSCOMPILING_EMULATOR={setting.emulator}"]
    words += [f"-DCMAKE_AR={shutil.which(prefix + 'ar')}", "-DBUILD_SHARED_LIBS=OFF"]
    words += [f"-DCMAKE_RANLIB={shutil.which(prefix + 'ranlib')}", "-DCMAKE_C_FLAGS=-g -O2"]
    words += ["-DCMAKE_POLICY_VERSION_MINIMUM=3.5"]  # cmake 4 refuses json-c's own minimum
    execute(["cmake", "-S", ".", "-B", "build", *words], directory, environment)


def _make_json_c(directory: Path, setting: Setting) -> None:
    execute(["make", "-C", "build"], directory, setting.environment)


def _test_json_c(_directory: Path, _setting: Setting) -> list[str]:
    return ["env", "USE_VALGRIND=0", "ctest", "--test-dir", "build"]


def _configure_sqlite(directory: Path, setting: Setting) -> None:
    _configure(directory, setting, "--disable-tcl", "--disable-readline", "--disable-shared")


def _make_sqlite(directory: Path, setting: Setting) -> None:
    execute(["make", "BCC=gcc", "CROSS_BUILDING=yes", "speedtest1"], directory, setting.environment)


def _test_sqlite(_directory: Path, _setting: Setting) -> list[str]:
    sizes = " && ".join(
        f"./speedtest1 --verify --size 2 --testset {shlex.quote(name)}"
        for name in ("main", "cte", "orm", "fp")
    )
    return ["sh", "-c", sizes]


APPLICATIONS = (
    Suite(
        "bzip2",
        _configure_nothing,
        _make_bzip2,
        _test_bzip2,
        result=_BZIP2_COMPARED,
        programs=("bzip2",),
    ),
    Suite(
        "lua5.4",
        _configure_lua,
        _make_lua,
        _test_lua,
        result=re.compile(r"^(?P<verdict>PASS|FAIL): (?P<name>.*)$", re.M),
        programs=("src/lua",),
    ),
    Suite(
        "mawk",
        _configure_mawk,
        _make_mawk,
        _test_mawk,
        result=re.compile(r"^(?!tested)(?P<name>.+?) (?P<verdict>OK|had .* failures?)$", re.M),
        programs=("mawk",),
    ),
    Suite(
        "expat",
        _configure_expat,
        _make_expat,
        _test_expat,
        result=re.compile(r"^(?P<verdict>PASS|FAIL): (?P<name>\w+)", re.M),
        programs=("expat/tests/runtests*",),
    ),
    Suite(
        "json-c",
        _configure_json_c,
        _make_json_c,
        _test_json_c,
        result=re.compile(r"Test +#\d+: (?P<name>\S+) [.]* *[*]*(?P<verdict>[A-Z]\w+)"),
        programs=("build/tests/test*",),
    ),
    Suite(
        "sqlite3",
        _configure_sqlite,
        _make_sqlite,
        _test_sqlite,
        result=re.compile(r"^(?P<verdict>Verification Hash): (?P<name>.*)$", re.M),
        programs=("speedtest1",),
    ),
)
