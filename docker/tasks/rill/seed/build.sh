#!/bin/sh
# See that every module compiles (a syntax error fails the build) and write the executable ./rill.
set -eu
cd "$(dirname "$0")"
python=$(python3 -IS -c '
import os, sys
for name in os.listdir("rillib"):
    if name.endswith(".py"):
        with open("rillib/" + name, encoding="utf-8") as file:
            compile(file.read(), name, "exec")
print(sys.executable)')
{
    printf '#!%s -IS\n' "$python"
    cat rillib/launcher.txt
} > rill
chmod +x rill
