#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of layers accepts a tree that keeps the rules, and names each violation in one that does not.
set -euo pipefail

check=$PWD/tests/check/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{base,stat/basic,io,run/plan,run/loop,report/accept,cmd} "$tree"/{hw/sysroot,tables,tests/unit}

# put FILE LINE...: writes a source file with these lines after the licence line.
put() {
    printf '%s\n' '/* SPDX-License-Identifier: GPL-3.0-or-later */' '/* a file */' "${@:2}" >"$tree/$1"
}

good_tree() {
    put tables/metrics.h ''
    put src/base/err.h '#include "tables/metrics.h"' '#include <stdio.h>'
    put src/base/err.c '#include "base/err.h"' '#include "tables/metrics.h"'
    put src/stat/basic/mean.h '#include "base/err.h"'
    put src/stat/basic/mean.c '#include "stat/basic/mean.h"' '#include <zlib.h>'
    put src/io/io.h '#include "base/err.h"'
    put hw/sysroot/sysroot.h '#include "base/err.h"' '#include "tables/metrics.h"'
    put src/run/plan/internal.h ''
    put src/run/plan/plan.h '#include "io/io.h"' '#include "stat/basic/mean.h"'
    put src/run/plan/plan.c '#include "run/plan/plan.h"' '#include "io/io.h"' '#include "run/plan/internal.h"'
    put src/report/accept/accept.h '#include "base/err.h"'
    put src/cmd/main.c '#include "cmd/run.h"'
    put src/cmd/run.h ''
    put src/cmd/run.c '#include "run/plan/plan.h"' '  #  include "report/accept/accept.h"' '#include "cmd/run.h"'
    put src/cmd/probe.c '#include "hw/sysroot/sysroot.h"' '#include "report/accept/accept.h"' '#include "cmd/run.h"'
    put tests/unit/check.h ''
    put tests/unit/test_mean.c '#include "check.h"' '#include "stat/basic/mean.h"' '#include "run/plan/internal.h"'
    put tests/unit/test_sysroot.c '#include "hw/sysroot/sysroot.h"' '#include "run/plan/plan.h"'
}

fail() {
    echo "$*" >&2
    exit 1
}

# refuses WORDS FILE LINE...: with this file in the tree, the check must fail and print WORDS.
refuses() {
    local words=$1 said
    put "${@:2}"
    if said=$("$check" "$tree"); then
        fail "accepted $2: ${*:3}"
    fi
    [[ $said == *"$words"* ]] || fail "$2: expected \"$words\", got: $said"
    rm "$tree/$2"
    good_tree
}

good_tree
"$check" "$tree" || fail 'a tree that keeps the rules was refused'

refuses 'src/stat/basic/bad.h:3: src/stat/basic must not include src/io' src/stat/basic/bad.h '#include "io/io.h"'
refuses 'src/io must not include hw/sysroot' src/io/bad.c '#include "hw/sysroot/sysroot.h"'
refuses 'hw/sysroot must not include src/run/plan' hw/sysroot/bad.c '#include <run/plan/plan.h>'
refuses 'src/run/plan must not include hw/sysroot' src/run/plan/bad.c '#include "hw/sysroot/sysroot.h"'
refuses 'tables must not include src/base' tables/bad.h '#include "base/err.h"'
refuses 'src/base must not include src/stat/basic' src/base/bad.c '' '#include "stat/basic/mean.h"'
refuses 'src/run/plan must not include src/report' src/run/plan/bad.c '  # include "report/accept/accept.h"'
refuses 'src/report must not include src/stat/basic' src/report/bad.c '#include "stat/basic/mean.h"'
refuses 'src/cmd/main.c must not include hw/sysroot' src/cmd/main.c '#include "hw/sysroot/sysroot.h"'
refuses 'src/io must not include tests' src/io/bad.c '#include "tests/unit/check.h"'
refuses 'src/run/plan/internal.h is private to its room' src/run/loop/bad.c '#include "run/plan/internal.h"'
put src/run/loop/bad.h ''
refuses 'src/run/loop/bad.h: one file uses it' src/run/loop/worse.c '#include "run/loop/bad.h"'
rm "$tree/src/run/loop/bad.h"
refuses 'without ..' src/io/bad.c '#include "../base/err.h"'
refuses 'base/file/kernel_stat.h' src/io/bad.c '#include <linux/stat.h>'
refuses 'is in no room' src/io/bad.c '#include "liburing.h"'

# Files that a user keeps beside the project do not count: results, and, where git can tell, sources too.
mkdir "$tree/first" "$tree/mine"
touch "$tree"/first/{record.cupel,report.html} "$tree/app trace"
"$check" "$tree" || fail 'results beside the project were refused'
if command -v git >/dev/null; then
    git init -q "$tree"
    git -C "$tree" add src hw tables tests
    put mine/bench.c 'no rule of ours'
    "$check" "$tree" || fail 'sources beside the project were refused'
    echo 'remember this' >"$tree/notes"
    git -C "$tree" add notes
    said=$("$check" "$tree") && fail 'a file that git tracks was accepted at the top'
    [[ $said == *'notes: not one of the places'* && $said != *mine* ]] || fail "notes: $said"
fi
rm -rf "$tree"/{first,mine,notes,.git} "$tree/app trace"

mkdir "$tree/src/extra"
refuses 'src/extra is not a room' src/extra/bad.c ''
rmdir "$tree/src/extra"
refuses 'src is not a room' src/bad.c ''
refuses 'not one of the places' util.c ''

for ((i = 0; i < 41; i++)); do
    put "src/io/part$i.c" ''
done
said=$("$check" "$tree") && fail 'a folder of 42 files was accepted'
[[ $said == *'src/io: more than 40 files'* ]] || fail "many files: $said"
rm "$tree"/src/io/part*.c

lines=()
for ((i = 0; i < 500; i++)); do
    lines+=('')
done
refuses 'src/base/long.c: 502 lines' src/base/long.c "${lines[@]}"
put src/base/long.c '/* Longer than 500 lines because a test wants it so. */' "${lines[@]}"
"$check" "$tree" || fail 'a long file that says why was refused'

printf 'int x;\n' >"$tree/src/base/bare.c"
said=$("$check" "$tree") && fail 'a file without the licence line was accepted'
[[ $said == *'src/base/bare.c: the licence line is missing'* ]] || fail "bare.c: $said"
# Too many rooms, each of which is permitted by itself.
mkdir "$tree"/src/room{1..20}
for room in "$tree"/src/room*; do
    echo '/* SPDX-License-Identifier: GPL-3.0-or-later */' >"$room/room.h"
done
said=$("$check" "$tree") && fail 'a house of more than 20 rooms was accepted'
[[ $said == *'more than 20 rooms at the first level'* ]] || fail "too many rooms: $said"
