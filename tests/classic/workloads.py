"""The programs: where their sources come from, how they are built, and what they are given."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from truth.gzip_truth import NO_REMAKE, configure, fetch_source
from truth.harness import ROOT, python_environment

from inst.errors import InstError
from inst.target.targets import Target

WORK = ROOT / "build" / "classic"

_VI_OPTIONS = (
    "STATIC",
    "LFS",
    "VI",
    "FEATURE_VI_COLON",
    "FEATURE_VI_YANKMARK",
    "FEATURE_VI_SEARCH",
    "FEATURE_VI_USE_SIGNALS",
    "FEATURE_VI_DOT_CMD",
    "FEATURE_VI_SETOPTS",
    "FEATURE_VI_SET",
    "FEATURE_VI_WIN_RESIZE",
    "FEATURE_VI_UNDO",
)
_TCC_FLAGS = ("-DTCC_TARGET_X86_64", "-DONE_SOURCE=1", "-I.")
_TCC_TOKEN = "str[len++] = cv->tab[0];"
_TCC_TOKEN_PORTABLE = "str[len++] = t == TOK_CFLOAT ? cv->tab[0] : (int)cv->i;"
"""tcc keeps the first half of an integer of 64 bits, which is its low one on little-endian
machines only; without this it cannot compile itself elsewhere."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to build all three."""

    name: str
    hooks: str = ""
    """Empty: not instrumented."""
    always: bool = False
    """Whether everything is saved at each site (ALWAYS_SR, ALWAYS_CC)."""
    stack_check: bool = False

    @property
    def objects(self) -> str:
        """The variants whose object files are the same have the same word here."""
        return "plain" if not self.hooks else "always" if self.always else "live"

    def variables(self) -> dict[str, str]:
        """Return the variables for inst-cc."""
        if not self.hooks:
            return {"INST_DISABLE": "1"}
        switches = {"STACK_CHECK": self.stack_check, "ALWAYS_SR": self.always}
        switches["ALWAYS_CC"] = self.always
        said = {f"INST_{name}": "1" for name, on in switches.items() if on}
        return {"INST_HOOKS": self.hooks, **said}


def build(program: str, variant: Variant, target: Target) -> Path:
    """Build a program; objects are made once for all variants that share them."""
    directory = WORK / target.name / f"{program}-{variant.objects}"
    environment = {**python_environment(), **variant.variables()}
    made = _BUILDERS[program](directory, target, environment)
    kept = WORK / target.name / f"{program}.{variant.name.replace(' ', '_')}"
    shutil.copy2(made, kept)
    return kept


def _compiler(target: Target) -> list[str]:
    """Return inst-cc before the compiler: for plain builds too, in which it is disabled."""
    return [sys.executable, "-m", "inst.wrap.cc", *target.compiler]


def _build_gzip(directory: Path, target: Target, environment: dict[str, str]) -> Path:
    source = fetch_source("gzip", ROOT / "build" / "gzip")
    configure(source, directory, target, " ".join(target.compiler), "-O2")
    program = directory / "gzip"
    program.unlink(missing_ok=True)
    execute(["make", *NO_REMAKE, f"CC={' '.join(_compiler(target))}"], directory, environment)
    return program


def _build_tcc(directory: Path, target: Target, environment: dict[str, str]) -> Path:
    source = tcc_source()
    directory.mkdir(parents=True, exist_ok=True)
    compiler = [*_compiler(target), "-O2", "-w"]
    if not (directory / "tcc.o").exists():
        made = str(directory / "made.o")
        execute([*compiler, *_TCC_FLAGS, "-c", "tcc.c", "-o", made], source, environment)
        os.replace(made, directory / "tcc.o")
    execute([*compiler, "-static", "tcc.o", "-o", "tcc", "-lm"], directory, environment)
    return directory / "tcc"


def _build_vi(directory: Path, target: Target, environment: dict[str, str]) -> Path:
    if not (directory / ".config").exists():
        _configure_busybox(directory)
    program = directory / "busybox_unstripped"
    program.unlink(missing_ok=True)
    prefix = target.compiler[0].removesuffix("gcc")
    linker = f"{prefix}ld -m {target.emulations[0]}"
    variables = [f"CROSS_COMPILE={prefix}", f"CC={' '.join(_compiler(target))}", f"LD={linker}"]
    execute(["make", *variables, program.name], directory, environment)
    return program


_BUILDERS = {"gzip": _build_gzip, "tcc": _build_tcc, "vi": _build_vi}


def _configure_busybox(directory: Path) -> None:
    """Make a build directory for a busybox that is vi and nothing else."""
    source = fetch_source("busybox", WORK / "sources")
    temporary = directory.with_name(directory.name + ".new")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(source, temporary, symlinks=True)
    execute(["make", "allnoconfig"], temporary, dict(os.environ))
    configuration = temporary / ".config"
    text = configuration.read_text()
    for option in _VI_OPTIONS:
        text, found = re.subn(f"# CONFIG_{option} is not set", f"CONFIG_{option}=y", text)
        if not found:
            raise InstError(f"this busybox has no option {option}")
    configuration.write_text(text)
    execute(["make", "oldconfig"], temporary, dict(os.environ), answers="\n" * 2000)
    temporary.rename(directory)


def tcc_source() -> Path:
    """Return tcc's source, made to run on big-endian machines and configured."""
    source = fetch_source("tcc", WORK / "sources")
    place = source / "tccpp.c"
    text = place.read_text()
    if _TCC_TOKEN_PORTABLE not in text:
        if _TCC_TOKEN not in text:
            raise InstError(f"{place} is not the tcc that is known here")
        place.write_text(text.replace(_TCC_TOKEN, _TCC_TOKEN_PORTABLE, 1))
    (source / "config.h").write_text(
        '#define TCC_VERSION "0.9.27"\n#define CONFIG_TCCDIR "/usr/local/lib/tcc"\n'
    )
    return source


def tcc_input(path: Path) -> Path:
    """Write tcc itself as one preprocessed file, with this machine's headers."""
    source = tcc_source()
    asked = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True)
    command = ["gcc", "-E", "-P", "-nostdinc", "-isystem", "include", "-isystem", "/usr/include"]
    command += ["-isystem", f"/usr/include/{asked.stdout.strip()}", "-U__GNUC__", "-D__TINYC__=927"]
    execute([*command, *_TCC_FLAGS, "tcc.c", "-o", str(path)], source, dict(os.environ))
    return path


def execute(
    command: list[str], directory: Path, environment: dict[str, str], answers: str = ""
) -> str:
    """Run a command that must succeed and return what it said."""
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        input=answers,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if done.returncode:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise RuntimeError(f"{' '.join(command)[:200]} gave {done.returncode}:\n{tail}")
    return done.stdout + done.stderr
