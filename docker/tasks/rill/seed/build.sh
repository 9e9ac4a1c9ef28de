#!/bin/sh
# Compile every module (a syntax error fails the build) and write the executable ./rill.
set -eu
cd "$(dirname "$0")"
python=$(python3 -c '
import compileall, sys
if not compileall.compile_dir("rillib", quiet=1):
    sys.exit("rillib does not compile")
print(sys.executable)')
{
    printf '#!%s -IS\n' "$python"
    cat rillib/launcher.txt
} > rill
chmod +x rill
