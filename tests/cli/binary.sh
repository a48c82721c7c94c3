#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The program's file: its maximum size, and that neither its stack nor its data are executable.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

is_static || skip 'this is about the product, which is static'
readelf -h "$CUPEL" 2>/dev/null | grep -q 'Machine:.*X86-64' || skip 'this is about the product for x86_64'
readelf -SW "$CUPEL" | grep -q ' \.symtab ' && skip 'what is released has no symbols'

size=$(wc -c <"$CUPEL")
[ "$size" -le 4000000 ] || fault "$size bytes: the program may have 4,000,000"

readelf -lW "$CUPEL" >segments
grep -Eq '^ *GNU_STACK .* RW +0x' segments || fault "the stack may be executed: $(grep GNU_STACK segments)"
! grep -E '^ *LOAD .* RWE +0x' segments || fault 'a segment may be written and executed'

finish
