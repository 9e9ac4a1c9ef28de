"""A real Docker Engine for tests: the one that is there, or our own for the time of the tests. As root, with apt."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BASE = "agensh/base:bookworm"
PACKAGES = {"dockerd": "docker.io", "iptables": "iptables", "debootstrap": "debootstrap"}
OWN = Path(__file__).parent / "images"
CA = Path("/etc/ssl/certs/ca-certificates.crt")


def install_missing() -> list[str]:
    """Programs that are not here and could not be installed."""
    missing = [package for program, package in PACKAGES.items() if not shutil.which(program)]
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], env=env, check=False)
        subprocess.run(["apt-get", "install", "-y", "-qq", *missing], env=env, check=False, stdout=subprocess.DEVNULL)
    return [program for program in PACKAGES if not shutil.which(program)]


def docker(*arguments: str, check: bool = True) -> str:
    """Debian's client: it fits its engine."""
    program = "/usr/bin/docker" if Path("/usr/bin/docker").exists() else "docker"
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=False, env=_env())
    if check and done.returncode:
        raise AssertionError(f"docker {' '.join(arguments)[:200]}: {done.stdout[-1000:]} {done.stderr[-1000:]}")
    return done.stdout.strip()


def _env() -> dict[str, str]:
    return {**os.environ, "DOCKER_BUILDKIT": "0"}


@contextmanager
def engine() -> Iterator[None]:
    """An engine that answers. One that we started is ended, with all that it ran."""
    if _answers():
        yield
        return
    with tempfile.TemporaryDirectory(prefix="agensh-docker-") as folder, open(f"{folder}/log", "wb") as log:
        process = subprocess.Popen(["dockerd"], stdout=log, stderr=log, start_new_session=True)
        try:
            end = time.monotonic() + 60
            while not _answers():
                assert process.poll() is None and time.monotonic() < end, Path(folder, "log").read_text()[-2000:]
                time.sleep(0.5)
            yield
        finally:
            process.terminate()
            process.wait(60)


def _answers() -> bool:
    return subprocess.run(["docker", "info"], capture_output=True, check=False, env=_env()).returncode == 0


def build() -> None:
    """Every image, from a Debian base that is made here: no registry of images is asked."""
    if not docker("images", "-q", BASE):
        _base()
    with tempfile.TemporaryDirectory(prefix="agensh-build-") as folder:
        context = Path(folder) / "tree"
        # what is committed or will be: a build must not depend on what lies around
        listed = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, check=True
        )
        context.mkdir()
        subprocess.run(
            ["tar", "--null", "-T", "-", "--ignore-failed-read", "-cf", f"{folder}/tree.tar"],
            cwd=ROOT,
            input=listed.stdout,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        subprocess.run(["tar", "-C", str(context), "-xf", f"{folder}/tree.tar"], check=True)
        if CA.exists():
            shutil.copy(CA, context / "docker/ca.crt")
        with ThreadPoolExecutor(5) as pool:  # most of a build is waiting for a registry of packages
            team = pool.submit(_build, context, "docker/team/Dockerfile", "agensh/team:latest", BASE_IMAGE=BASE)
            clis = pool.submit(_build, context, "docker/clis/Dockerfile", "agensh/clis:latest", BASE_IMAGE=BASE)
            rest = [
                pool.submit(
                    _build, context, "docker/Dockerfile", "agensh/app:latest", BASE_IMAGE=BASE, RELEASE=_revision()
                )
            ]
            for name in ("postgres", "redis"):
                rest.append(
                    pool.submit(_build, OWN, f"Dockerfile.{name}", f"agensh/test-{name}:latest", BASE_IMAGE=BASE)
                )
            team.result()
            _build(context, "docker/standins/Dockerfile", "agensh/standins:latest", TEAM_IMAGE="agensh/team:latest")
            clis.result()
            _build(context, "docker/team/Dockerfile", "agensh/worker:latest", BASE_IMAGE="agensh/clis:latest")
            for each in rest:
                each.result()
    print("The stand-ins (agensh/standins) are used in place of the Gitea 1.27 and Mattermost 11.7 images.", flush=True)


def _revision() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _build(context: Path, file: str, name: str, **arguments: str) -> None:
    options = [part for key, value in arguments.items() for part in ("--build-arg", f"{key}={value}")]
    began = time.monotonic()
    docker("build", "--network", "host", "-q", *options, "-f", str(context / file), "-t", name, str(context))
    print(f"built {name}: {time.monotonic() - began:.1f} s", flush=True)


def _base() -> None:
    with tempfile.TemporaryDirectory(prefix="agensh-base-") as folder:
        rootfs = f"{folder}/rootfs"
        wanted = "ca-certificates,python3,python3-venv,python3-pip,git"
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={wanted}", "bookworm", rootfs],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        subprocess.run(["tar", "-C", rootfs, "--numeric-owner", "-cf", f"{folder}/base.tar", "."], check=True)
        docker("import", "--change", 'CMD ["bash"]', f"{folder}/base.tar", BASE)


def compose_program() -> str:
    """Compose v2 as PyPI packs it, put beside the tests' other programs."""
    found = Path(sys.executable).parent / "docker-compose"
    assert found.exists(), "install the requirements of the tests: make setup-dev"
    return str(found)
