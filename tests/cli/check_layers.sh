#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The layering check accepts a tree that keeps the rules and names each breach of one that does not.
set -euo pipefail

check=$PWD/tests/check/layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{base,stat,io,run,report,cmd} "$tree"/{hw,tables,tests/unit}

# put FILE LINE...: a source file with these lines below the licence.
put() {
    printf '%s\n' '/* SPDX-License-Identifier: GPL-3.0-or-later */' '/* a file */' "${@:2}" >"$tree/$1"
}

good_tree() {
    put tables/metrics.h ''
    put src/base/err.h '#include "tables/metrics.h"' '#include <stdio.h>'
    put src/stat/mean.h '#include "base/err.h"'
    put src/stat/mean.c '#include "stat/mean.h"' '#include <gsl/gsl_cdf.h>'
    put src/io/io.h '#include "base/err.h"'
    put hw/context.h '#include "base/err.h"' '#include "tables/metrics.h"'
    put src/run/plan.h '#include "io/io.h"' '#include "stat/mean.h"' '#include "hw/context.h"'
    put src/report/report.h '#include "base/err.h"'
    put src/cmd/main.c '#include "run/plan.h"' '  #  include "report/report.h"'
    put tests/unit/check.h ''
    put tests/unit/test_mean.c '#include "check.h"' '#include "stat/mean.h"'
}

fail() {
    echo "$*" >&2
    exit 1
}

# refuses WORDS FILE LINE...: with this file in the tree the check must fail and say WORDS.
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

refuses 'src/stat/bad.h:3: src/stat must not include src/io' src/stat/bad.h '#include "io/io.h"'
refuses 'src/io must not include hw' src/io/bad.c '#include "hw/context.h"'
refuses 'hw must not include src/run' hw/bad.c '#include <run/plan.h>'
refuses 'tables must not include src/base' tables/bad.h '#include "base/err.h"'
refuses 'src/base must not include src/stat' src/base/bad.c '' '#include "stat/mean.h"'
refuses 'src/run must not include src/report' src/run/bad.c '  # include "report/report.h"'
refuses 'src/report must not include src/stat' src/report/bad.c '#include "stat/mean.h"'
refuses 'src/io must not include tests' src/io/bad.c '#include "tests/unit/check.h"'
refuses 'without ..' src/io/bad.c '#include "../base/err.h"'
refuses 'is in no room' src/io/bad.c '#include "liburing.h"'

mkdir "$tree/src/extra"
refuses 'src/extra is not a room' src/extra/bad.c ''
rmdir "$tree/src/extra"
refuses 'src is not a room' src/bad.c ''
refuses 'not one of the places' util.c ''

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
