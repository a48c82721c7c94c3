#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Finds circles between files: when one file calls another, the other must not call the first, directly or through others.
# Reads the symbols of the built objects below OBJECTS (default build/obj) and fails with each circle that it finds.
#
#   tests/check/circles.sh [OBJECTS]      (./build.sh builds them)
set -euo pipefail
sources=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$sources/build/obj}"

# Prints "FILE TARGET" for every file that uses a symbol of another one. Objects whose source was deleted are skipped.
uses() {
    find . -name '*.o' -printf '%P\0' | sort -z | while IFS= read -r -d '' object; do
        [ ! -e "$sources/${object%.o}.c" ] || printf '%s\0' "$object"
    done | xargs -0 -r nm -A -P -g | awk '
        {
            file = $1
            sub("[.]o:$", "", file)
            if ($3 == "U") used[file, $2]
            else if ($3 != "w" && $3 != "v") home[$2] = file
        }
        END {
            for (key in used) {
                split(key, part, SUBSEP)
                if (part[2] in home && home[part[2]] != part[1]) pair[part[1] " " home[part[2]]]
            }
            for (key in pair) print key
        }'
}

# tsort names the members of every circle on standard error, a line each after "input contains a loop", and exits with 1.
circles=$(uses | tsort 2>&1 >/dev/null | sed 's/^tsort: //; s/^-: input contains a loop:$/a circle:/; /\//s/^/    /' || true)
[ -z "$circles" ] || {
    printf '%s\n' "$circles"
    exit 1
}
