#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of names counts the files in which a name occurs. It fails when they are more than the table allows, or none.
set -euo pipefail

check=$PWD/tests/check/names.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/src/{io,source/trace,cmd} "$tree"/{hw,tables}

# put FILE LINE...: writes the file.
put() {
    printf '%s\n' "${@:2}" >"$tree/$1"
}

fail() {
    echo "$*" >&2
    exit 1
}

# counts N KIND NAME: with a limit of N files the check passes and asks for no lower limit; with N - 1 it fails.
counts() {
    local said
    put table "# kind, name, files" '' "$2 $3 $1"
    said=$("$check" "$tree" "$tree/table") || fail "$2 $3 in $1 files: $said"
    [[ $said != *fewer* ]] || fail "$2 $3 in $1 files: $said"
    put table "$2 $3 $(($1 - 1))"
    if said=$("$check" "$tree" "$tree/table"); then
        fail "$2 $3: accepted one file too many"
    fi
    [[ $said == *"$2 $3: its name stands "* ]] || fail "$2 $3: $said"
}

put src/io/io.h 'extern const struct io_ops io_fast_ring, io_fast;'
put src/io/fast.c '/* "fast", io_fast' ' * and more of it */' 'int x = '"'\"'"'; /* "fast" */ const char *name = "fast";'
put src/io/list.c '&io_fast_ring, // io_fast' 'const char *help = "say \"--ioengine fast\", or --ioengine fast-ring";'
put src/cmd/go.c 'struct command command_go = {"go", "cupel go FILE", "cupel gone"};'
put src/cmd/rows.c '{.name = "depth"}, {.name = "depths"}' 'int depth;'
put src/cmd/words.c '"--depth 4 needs --depths"' 'set(METRIC_RATE);' 'f("cupel gone", "--depths");'
put src/source/trace/formats.c 'ROWS(ROW) ROW(plain) ROW(plainer)'
put src/source/trace/internal.h 'extern const struct trace_format trace_format_plain;'
put tables/metrics.h 'METRIC(METRIC_RATE, "rate", "1/s")' 'METRIC(METRIC_RATE_HIGH, "rate_high", "1/s")'
put hw/probers.c '{"bus", look_at_bus}' 'look_at_buses();'
put hw/bus.c 'add(NODE_BUS_PORT); add(NODE_BUSY);'
put hw/none.c 'add(NODE_BUSY);'

counts 3 backend fast
counts 2 backend fast-ring
counts 1 subcommand go
counts 2 option depth
counts 2 metric rate
counts 2 format plain
counts 2 bus bus

put table 'metric rate 5'
said=$("$check" "$tree" "$tree/table") || fail "fewer files than allowed: $said"
[[ $said == *'write 2 into tests/check/names'* ]] || fail "fewer files than allowed: $said"

# refuses WORDS LINE: with this line in the table, the check must fail and print WORDS.
refuses() {
    local said
    put table 'metric rate 2' "$2"
    if said=$("$check" "$tree" "$tree/table"); then
        fail "accepted: $2"
    fi
    [[ $said == *"$1"* ]] || fail "$2: expected \"$1\", got: $said"
}

refuses 'option width: its name stands nowhere' 'option width 3'
refuses $'its name stands in 2 files, 1 are allowed: let a table or a function answer instead of a comparison\n    hw/bus.c' \
    'bus bus 1'
refuses 'there is no kind colour' 'colour red 1'
refuses 'table:2: a row is a kind, a name and a number' 'bus usb many'
