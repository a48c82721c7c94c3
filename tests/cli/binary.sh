#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The file of the program: how large it may be, that its stack is no code, and what it says when its constants, which lie
# deflated in it (src/cmd/constants.ld), are damaged.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

is_static || skip 'this is about the product, which is static'
readelf -h "$CUPEL" 2>/dev/null | grep -q 'Machine:.*X86-64' || skip 'this is about the product for x86_64'
readelf -SW "$CUPEL" | grep -q ' \.symtab ' && skip 'what is released has no symbols'

size=$(wc -c <"$CUPEL")
[ "$size" -le 2000000 ] || fault "$size bytes: the program may have 2,000,000"

readelf -lW "$CUPEL" >segments
grep -Eq '^ *GNU_STACK .* RW +0x' segments || fault "the stack may be executed: $(grep GNU_STACK segments)"

# What is deflated is the last segment: its place in the file and its bytes there.
# shellcheck disable=SC2046 # two numbers
set -- $(awk '$1 == "LOAD" { place = $2; bytes = $5 } END { print place, bytes }' segments)
begin=$(($1)) bytes=$(($2))
[ "$bytes" -gt 100000 ] || fault "$bytes bytes are deflated"

# damaged PLACE: a copy with other bytes there starts, says what it is, and does nothing.
damaged() {
    cp "$CUPEL" copy
    printf 'These bytes are others.' | dd of=copy bs=1 seek="$1" conv=notrunc 2>/dev/null
    timeout -s KILL 30 ./copy --version >out 2>err </dev/null
    got=$?
    [ "$got" -eq 6 ] || fault "damaged at byte $1: exit status $got instead of 6"
    [ ! -s out ] || fault "damaged at byte $1, and something is printed"
    grep -q "^cupel: this program's file is damaged" err || fault "damaged at byte $1: $(cat err)"
}
damaged $((begin + 8))
damaged $((begin + bytes / 2))
damaged $((begin + bytes - 23))
finish
