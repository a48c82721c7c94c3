#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The same seed gives the same requests at the system call level, as strace shows.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"
needs strace
strace -o probe true 2>err || skip "strace may not trace here: $(cat err)"

head -c 67108864 /dev/urandom >file

# requests NAME ARGUMENT...: writes the worker's first 1000 requests into NAME, one a line: call, offset. On a busy machine
# the run is repeated for longer.
requests() {
    name=$1
    shift
    for seconds in 1.5 8 40; do
        rm -f "$name".trace.*
        # shellcheck disable=SC2086 # the options are words
        timeout -s KILL 60 strace -ff -o "$name.trace" -e trace=pread64,pwrite64 "$CUPEL" run ./file --ioengine sync \
            --overwrite "$@" --preset quick --ci 100% --min-time 0.2s --limit ${seconds}s --overhead 0 >/dev/null 2>err \
            </dev/null
        busiest=$(wc -c "$name".trace.* | grep -v total | sort -n | awk 'END { print $2 }')
        sed -n 's/^\(p[a-z]*\)64(.*, 4096, \([0-9]*\)) *= 4096$/\1 \2/p' "$busiest" | head -n 1000 >"$name"
        [ "$(wc -l <"$name")" -lt 1000 ] || return 0
    done
    fault "$name: only $(wc -l <"$name") requests were seen: $(cat err)"
}

for rw in randread randrw; do
    requests first --rw $rw --seed 11
    requests again --rw $rw --seed 11
    requests other --rw $rw --seed 12
    cmp -s first again || fault "$rw: the same seed made other requests"
    same=$(paste -d ' ' first other | awk '$2 == $4' | wc -l)
    [ "$same" -lt 50 ] || fault "$rw: another seed made the same requests ($same of 1000)"
    [ "$(cut -d ' ' -f 2 first | sort -u | wc -l)" -gt 900 ] || fault "$rw: the offsets are not random"
done
writes=$(grep -c pwrite first)
is_true "$writes > 400 && $writes < 600"

requests forward --rw read
awk '$2 != (NR - 1) * 4096 { exit 1 }' forward || fault 'sequential reads are not one after the other'
finish
