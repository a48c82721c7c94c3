#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of parts counts the files outside of a part that include its headers. It fails when they are more than the table
# allows, when a part has no row, and when a row names no part.
set -euo pipefail

check=$PWD/tests/check/parts.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/run/{session,parts} "$tree"/src/io/zone "$tree"/{hw,tables}

# put FILE LINE...: writes the file.
put() {
    printf '%s\n' "${@:2}" >"$tree/$1"
}

fail() {
    echo "$*" >&2
    exit 1
}

# refuses WORDS: the check must fail and print WORDS.
refuses() {
    local said
    said=$("$check" "$tree" "$tree/table") && fail "accepted: $1"
    [[ $said == *"$1"* ]] || fail "$1: $said"
}

put src/run/session/part.h '#define SESSION_PART_ROWS(ROW)' '    ROW(ZONES, zones)' '    ROW(OWN_COST, own_cost)' ''
put src/io/zone/zones.h
put src/io/zone/zones.c '#include "io/zone/zones.h"'
put src/run/parts/zones.c '#include "io/zone/zones.h"'
put src/run/session/other.c '#include "io/zone/zones.h"'
put src/run/session/more.c '/* io/zone/zones.h */' '#include "io/zone/zones_h"'
put src/run/parts/own_cost.c

own='src/run/parts/zones.c,src/io/zone/ io/zone/zones.h'
put table '# part, files, own, headers' "zones 1 $own" 'own_cost 0 src/run/parts/own_cost.c'
said=$("$check" "$tree" "$tree/table") || fail "one of one: $said"
[[ $said != *fewer* ]] || fail "one of one: $said"
put table "zones 2 $own" 'own_cost 0 src/run/parts/own_cost.c'
[[ $("$check" "$tree" "$tree/table") == *'write 1 into'* ]] || fail 'one of two: nothing was said'

put table "zones 0 $own" 'own_cost 0 src/run/parts/own_cost.c'
refuses 'zones: 1 files outside of it include its headers, 0 are allowed'
refuses src/run/session/other.c
put table "zones 1 $own"
refuses 'own_cost: a part without a row'
put table "zones 1 $own" 'own_cost 0 src/run/parts/own_cost.c' 'trims 0 src/run/parts/zones.c'
refuses 'trims: no part'
put table "zones 1 $own io/gone.h" 'own_cost 0 src/run/parts/gone.c'
refuses 'zones: io/gone.h does not exist'
refuses 'own_cost: src/run/parts/gone.c does not exist'
