#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --memory: its indices in every format, kept and read again; refusals; and what it measures without enough memory
# or without a second processor.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quick='--preset quick --min-samples 3 --min-time 0.1s --ci 100% --limit 5s'
# shellcheck disable=SC2086 # the options are words
limited run --memory $quick --format csv -o kept >out 2>err
status=$?
if [ $status -eq 6 ]; then
    skip "$(cat err)"
fi
[ $status -eq 0 ] || [ $status -eq 5 ] || fault "exit status $status: $(cat err)"
for metric in read write write_nt copy copy_nt triad triad_nt latency; do
    grep -q "^$metric,all," out || fault "no row of $metric: $(cat out)"
done
grep -q '^read,all,GB/s,' out || fault "another unit: $(grep '^read' out)"
grep -q 'non-temporal stores' kept/report.txt || fault 'the report does not name the stores'
[ -s kept/program.cupel ] || fault 'no record was kept'
limited report kept --format json >out.json 2>err
grep -q '"triad_nt"' out.json || fault "the record has no triad_nt: $(cat err)"

for refused in '--iodepth 4' '--rw write' '--sla p99<1ms'; do
    # shellcheck disable=SC2086
    limited run --memory $refused >out 2>err
    [ $? -eq 2 ] || fault "--memory $refused: exit status"
    grep -q 'memory' err || fault "--memory $refused: $(cat err)"
done
limited run --memory . >out 2>err
[ $? -eq 2 ] || fault 'a target beside --memory: exit status'

# With one processor there is no load beside the chain of dependent reads, and the report says so.
if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    # shellcheck disable=SC2086
    taskset -c "$first" timeout -s KILL 60 "$CUPEL" run --memory $quick >out 2>err
    grep -q 'second$\|second processor' out || fault "one processor: $(cat out err)"
    ! grep -q latency_loaded out || fault 'a loaded latency with one processor'
fi

# Too little memory is refused with both amounts, the needed and the available one.
if is_static && command -v bash >/dev/null; then
    # shellcheck disable=SC2016 # the words are bash's
    bash -c 'ulimit -v 100000; exec "$0" run --memory' "$CUPEL" >out 2>err
    [ $? -eq 6 ] || fault "little memory: exit status, $(cat out err)"
    grep -q 'ulimit -v' err || fault "little memory: $(cat err)"
fi

# A qualification with memory among its checks, compared with an expectation that no memory meets and with the limit of its
# modules, if that is known.
PATH=$PATH:/usr/sbin:/sbin
if [ "$(id -u)" -eq 0 ]; then
    head -c 4194304 /dev/urandom >disk
    loop=$(losetup --find --show "$PWD/disk" 2>/dev/null) || skip 'no loop device: qualify --memory is left out'
    trap 'losetup -d "$loop"; rm -rf "$FOLDER"' EXIT
    printf '[machine]\nmemory bandwidth >= 900 TB/s\nmemory latency <= 1s\n' >x.expect
    limited qualify "$loop" --memory --preset quick --limit 2s --expect x.expect --format csv >out 2>err
    grep -q 'memory bandwidth' out || fault "no check of the memory: $(cat out err)"
    grep 'memory bandwidth' out | grep -qE 'fail|undecided' || fault "900 TB/s: $(grep memory out)"
    if is_static && command -v bash >/dev/null; then
        # shellcheck disable=SC2016 # the words are bash's
        timeout -s KILL 60 bash -c 'ulimit -v 1000000; exec "$0" "$@"' "$CUPEL" qualify "$loop" --burn 3s --preset quick \
            --limit 1s --format csv >burn 2>err
        grep 'processor test' burn | grep -q 'check.*,pass,.*0 of [1-9][0-9]* results wrong' ||
            fault "--burn: no processors: $(cat burn err)"
        grep -q 'processor heat' burn || fault "--burn: no heat: $(cat burn err)"
        grep 'memory test' burn | grep -q '0 errors in' || fault "--burn: $(cat burn err)"
        ! grep 'memory test' burn | grep -q fail || fault "sound memory failed: $(grep 'memory test' burn)"
    fi
    grep -q 'memory latency' out || fault "no check of the latency: $(cat out)"
fi
finish
