"""A Debian that was just installed, in a directory: debootstrap, chroot, and the host's way out.

How packages are reached (mirror, proxies, pip's index, name server, certificates) is the host's
affair, so that is taken from it; nothing else is.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

MIRROR = "http://deb.debian.org/debian"
_NETWORK = ("/etc/resolv.conf", "/etc/hosts")
_CERTIFICATE = "/etc/certificates-of-host.crt"
"""A name that no package has: ca-certificates writes its own files anew."""
_PROXIES = ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
_MOUNTS = "mount -t proc proc {root}/proc && mount --rbind /dev {root}/dev"


def missing() -> str:
    """Return what keeps this machine from installing a Debian; "" if nothing does."""
    if os.geteuid() != 0:
        return "it installs a Debian in a directory, which needs root: run it with sudo"
    absent = [name for name in ("debootstrap", "chroot", "unshare") if not shutil.which(name)]
    if absent:
        return f"{', '.join(absent)} not found: apt-get install debootstrap util-linux"
    return ""


def mirror() -> str:
    """Return where the host gets Debian's packages from."""
    command = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"]
    found = subprocess.run(command, capture_output=True, text=True)
    places = [line.rstrip("/") for line in found.stdout.splitlines()]
    return next((each for each in places if re.search(r"/debian$", each)), MIRROR)


def install(root: Path, suite: str, source: str) -> None:
    """Install the least Debian there is: no Python, no make, no sudo, no certificates."""
    command = ["debootstrap", "--variant=minbase", suite, str(root), source]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} gave {done.returncode}:\n{done.stdout[-2000:]}")
    for name in _NETWORK:
        shutil.copy(name, root / name.lstrip("/"))
    (root / "etc/apt/apt.conf.d/99host").write_text("\n".join(_apt_settings()) + "\n")
    (root / "etc/pip.conf").write_text("\n".join(["[global]", *_pip_settings()]) + "\n")
    root.chmod(0o755)  # apt reads as a user of its own
    certificate = _certificate()
    if certificate:
        shutil.copy(certificate, root / _CERTIFICATE.lstrip("/"))


def _apt_settings() -> Iterator[str]:
    """Yield the host's settings of proxies and of old mirrors."""
    dump = subprocess.run(["apt-config", "dump"], capture_output=True, text=True).stdout
    for line in dump.splitlines():
        if re.match(r"Acquire::(https?::Proxy|Check-)", line):
            yield line


def _pip_settings() -> Iterator[str]:
    for name, value in _pip_configuration():
        if name != "cert":
            yield f"{name} = {value}"
    if _certificate():
        yield f"cert = {_CERTIFICATE}"


def _pip_configuration() -> Iterator[tuple[str, str]]:
    """Yield the host's names and values of pip's configuration that say where packages are."""
    listed = subprocess.run(["pip", "config", "list"], capture_output=True, text=True).stdout
    found: dict[str, str] = {}
    for name, value in re.findall(r"^[\w:]+\.([\w-]+)='(.*)'$", listed, re.M):
        if name in ("index-url", "extra-index-url", "find-links", "cert", "proxy", "trusted-host",
                    "default-timeout"):  # fmt: skip
            found[name.removeprefix("default-")] = value.replace("\\n", " ").strip()
    yield from found.items()


def _certificate() -> str:
    """Return the file of certificates that the host's pip trusts, if it has one of its own."""
    name = dict(_pip_configuration()).get("cert") or os.environ.get("SSL_CERT_FILE", "")
    return name if os.path.isfile(name) else ""


def _package_directories() -> list[str]:
    """Return the host's directories in which pip finds packages."""
    words = " ".join(value for _, value in _pip_configuration()).split()
    paths = (word.removeprefix("file://") for word in words)
    found = {path for path in paths if path.startswith("/") and Path(path).is_dir()}
    # The packages themselves stand beside an index.
    return sorted({os.path.dirname(path) if path.endswith("/simple") else path for path in found})


def shell(root: Path) -> list[str]:
    """Return the command of a shell in that Debian; what is mounted for it ends with it."""
    lines = [_MOUNTS.format(root=shlex.quote(str(root)))]
    for path in _package_directories():
        inside = shlex.quote(f"{root}{path}")
        lines.append(f"mkdir -p {inside} && mount --rbind {shlex.quote(path)} {inside}")
    kept = [f"{name}={os.environ[name]}" for name in _PROXIES if name in os.environ]
    environment = ["HOME=/root", "USER=root", "COLUMNS=92", "LANG=C.UTF-8",
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *kept]  # fmt: skip
    inner = ["env", "-i", *environment, "bash", "--noprofile", "--norc"]
    lines.append(f"exec chroot {shlex.quote(str(root))} {shlex.join(inner)}")
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c", " && ".join(lines)]


def copy_project(project: Path, target: Path) -> None:
    """Copy what git would keep of the project, changes that are not committed included."""
    command = ["git", "-C", str(project), "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (project / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, target / name)
