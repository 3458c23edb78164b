"""The Java that runs the Jenkins harness, and the compiled classes of the harness."""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path(__file__).parent / "jenkins" / "src"
# Groovy 2.4 looks into these packages by reflection.
_OPENED = ("java.base/java.lang", "java.base/java.lang.reflect", "java.base/java.util", "java.base/java.io")
_JVMS = Path("/usr/lib/jvm")
_JARS = tuple(Path("/usr/share/java", jar) for jar in ("groovy-all.jar", "ant.jar"))
_OLDEST = 9


def available() -> str | None:
    """Return None if the harness can run here, otherwise the missing requirement."""
    missing = [f"{program} is missing" for program in ("git", "setsid", "kill") if shutil.which(program) is None]
    missing += [f"{jar} is missing (Debian packages groovy, ant)" for jar in _JARS if not jar.is_file()]
    if _java() is None:
        missing.append(f"no Java of version {_OLDEST} or later (set JAVA_HOME)")
    return "; ".join(missing) or None


def run_java(*arguments: str, seconds: float) -> None:
    """Run a class of the harness; if it fails, its standard error is the message of the exception."""
    command = [*_command(), "-cp", os.pathsep.join(map(str, (_classes(), *_JARS))), *arguments]
    # File names in workspaces are UTF-8 in any locale; agents get their own environment from the settings.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    none, pipe, same = subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT
    with subprocess.Popen(command, env=environment, text=True, stdin=none, stdout=pipe, stderr=same) as java:
        try:
            text, _ = java.communicate(timeout=seconds)
        except BaseException:
            # TERM lets the harness end the processes that it has started.
            java.terminate()
            raise
    if java.returncode:
        raise RuntimeError(f"the Jenkins harness failed: {text}")


def _command() -> list[str]:
    java = _java()
    if java is None:
        raise RuntimeError(available())
    opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
    return [str(java), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xss4m", *opened]


@functools.cache
def _java() -> Path | None:
    """Return the Java of JAVA_HOME, otherwise the oldest installed version that is new enough."""
    homes = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    homes += sorted(
        (home for home in _JVMS.glob("*") if _version(home) >= _OLDEST), key=lambda home: (_version(home), home)
    )
    for home in homes:
        if (home / "bin" / "java").is_file():
            return home / "bin" / "java"
    text = shutil.which("java")
    return Path(text) if text else None


def _version(home: Path) -> int:
    release = home / "release"
    text = release.read_text("utf-8", errors="replace") if release.is_file() else ""
    match = re.search(r'JAVA_VERSION="(\d+)', text)
    return int(match[1]) if match else 0


@functools.cache
def _classes() -> Path:
    return compile_classes(Path(tempfile.gettempdir()))


def compile_classes(cache: Path) -> Path:
    """Return the folder of the compiled harness in *cache*; of several concurrent compilations, one wins."""
    sources = sorted(SOURCES.rglob("*.groovy"))
    target = cache / f"pipegen-jenkins-{os.getuid()}-{_digest(sources)}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory(prefix="pipegen-jenkins-", dir=cache) as folder:
        classes = Path(folder, "classes")
        classes.mkdir()
        compiler = ["org.codehaus.groovy.tools.FileSystemCompiler", "-d", str(classes), *map(str, sources)]
        command = [*_command(), "-cp", os.pathsep.join(map(str, _JARS)), *compiler]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not any(classes.iterdir()):
            raise RuntimeError(f"the Jenkins harness does not compile: {done.stdout}{done.stderr}")
        try:
            classes.rename(target)
        except OSError:
            if not target.is_dir():
                raise
    return target


def _digest(sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(str(_java()).encode())
    for source in sources:
        digest.update(str(source.relative_to(SOURCES)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
