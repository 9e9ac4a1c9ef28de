#!/bin/sh
# Compile every module (a syntax error fails the build) and write the executable ./rill.
set -eu
cd "$(dirname "$0")"
python=$(python3 -c 'import sys; print(sys.executable)')
"$python" -m compileall -q rillib
{
    printf '#!%s -IS\n' "$python"
    cat rillib/launcher.txt
} > rill
chmod +x rill
