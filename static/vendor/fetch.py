"""Fetch the vendored assets again: `python static/vendor/fetch.py [--check]`. Needs npm; the product itself never does."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SUBSETS = ("latin", "latin-ext", "cyrillic", "greek")
# folder: (npm package, version, files inside the package)
PACKAGES: dict[str, tuple[str, str, list[str]]] = {
    "inter": (
        "@fontsource-variable/inter",
        "5.3.0",
        ["LICENSE", *(f"files/inter-{name}-wght-normal.woff2" for name in SUBSETS)],
    ),
    "jetbrains-mono": (
        "@fontsource-variable/jetbrains-mono",
        "5.3.0",
        ["LICENSE", *(f"files/jetbrains-mono-{name}-wght-normal.woff2" for name in SUBSETS)],
    ),
    "plotly": ("plotly.js-cartesian-dist-min", "4.1.1", ["LICENSE", "plotly-cartesian.min.js"]),
    "uplot": ("uplot", "1.6.32", ["LICENSE", "dist/uPlot.esm.js", "dist/uPlot.min.css"]),
    "htmx": ("htmx.org", "2.0.11", ["LICENSE", "dist/htmx.min.js"]),
}


def fetch(folder: str, into: Path) -> list[Path]:
    """Bring one package's files into `into/folder`."""
    package, version, names = PACKAGES[folder]
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            ["npm", "pack", "--silent", f"{package}@{version}"], cwd=scratch, check=True, capture_output=True
        )
        (archive,) = Path(scratch).glob("*.tgz")
        (into / folder).mkdir(parents=True, exist_ok=True)
        written = []
        with tarfile.open(archive) as tar:
            for name in names:
                source = tar.extractfile(f"package/{name}")
                assert source is not None, f"{package}@{version} has no {name}"
                target = into / folder / Path(name).name
                target.write_bytes(source.read())
                written.append(target)
    if folder == "plotly":
        rules = into / folder / "plotly.css"
        rules.write_text(plotly_rules((into / folder / "plotly-cartesian.min.js").read_text()))
        written.append(rules)
    return written


def plotly_rules(script: str) -> str:
    """The style rules that Plotly would write into the page, as a file: a strict CSP lets it write none.

    A `<link id="plotly.js-style-global" class="no-inline-styles">` tells Plotly that they are there.
    """
    text = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
    start = script.index('{"X,X div"')
    pairs = re.findall(rf"[{{,]({text}):({text})", script[start : script.index("};", start) + 1])
    lines = []
    for selector, rules in pairs:
        names = selector[1:-1].replace("X", ".js-plotly-plot .plotly").replace("Y", ".plotly-notifier")
        lines.append(f"{names} {{ {rules[1:-1]} }}\n")
    return "".join(reversed(lines))  # it inserts each rule before the others


def main() -> int:
    """Write the files, or with --check say which differ from the committed ones."""
    if "--check" not in sys.argv:
        for folder in PACKAGES:
            print(folder, *(p.name for p in fetch(folder, HERE)))
        return 0
    different = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in PACKAGES:
            for path in fetch(folder, Path(scratch)):
                kept = HERE / folder / path.name
                if (
                    not kept.exists()
                    or hashlib.sha256(kept.read_bytes()).digest() != hashlib.sha256(path.read_bytes()).digest()
                ):
                    different.append(f"{folder}/{path.name}")
    print("\n".join(different) or "all equal")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
