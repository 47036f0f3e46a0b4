"""Sets up Python packages that only benchmarks need, in a separate environment in the cache, never shipped.

`python_with(packages)` returns the path of a Python that has them, or None with the reason printed to standard error.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

# Versions are fixed so that two machines compare the same peers.
VERSIONS = {"pandas": "2.2.3", "numpy": "2.1.3", "duckdb": "1.1.3", "tensorboard": "2.18.0", "setuptools": "75.6.0",
            "pyqtgraph": "0.13.7", "PyQt5": "5.15.11", "torch": "2.11.0", "viztracer": "1.1.1", "playwright": "1.65.2"}
# Packages that each benchmark compares with.
NEEDED = {"csv": ["pandas", "numpy", "duckdb"], "open": ["tensorboard", "setuptools"],
          "frame": ["numpy", "pyqtgraph", "PyQt5"], "ddp": ["torch"],
          "timeline": ["viztracer", "playwright"]}


def cache_dir():
    base = os.environ.get("RINGSIDE_CACHE_DIR")
    if base:
        return Path(base)
    xdg = os.environ.get("XDG_CACHE_HOME")
    return (Path(xdg) if xdg else Path.home() / ".cache") / "ringside"


def fetched(lock):
    """The Python of an environment that ./dev has set up, or None."""
    text = (Path(__file__).resolve().parents[2] / "cmake" / "lock" / f"{lock}.txt").read_bytes()
    folder = cache_dir() / f"{lock}-{hashlib.sha256(text).hexdigest()[:12]}"
    return folder / "bin" / "python" if (folder / "complete").exists() else None


def python_with(packages):
    folder = cache_dir() / "bench-peers"
    python = folder / "bin" / "python"
    wanted = [f"{name}=={VERSIONS[name]}" for name in packages]
    marker = folder / ("-".join(sorted(packages)) + ".complete")
    if marker.exists() and marker.read_text() == "\n".join(wanted):
        return python
    try:
        if not python.exists():
            venv.create(folder, with_pip=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted]
        subprocess.run(install, check=True, stdout=sys.stderr, timeout=1800)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"peers {' '.join(packages)} could not be installed: {error}", file=sys.stderr)
        return None
    marker.write_text("\n".join(wanted))
    return python


def restart_with(packages):
    """Runs the calling script again in the environment with the packages; returns only if they cannot be installed."""
    if os.environ.get("RINGSIDE_BENCH_PEERS") == "1":
        return
    python = python_with(packages)
    if python is not None:
        os.environ["RINGSIDE_BENCH_PEERS"] = "1"
        os.execv(python, [str(python), *sys.argv])
