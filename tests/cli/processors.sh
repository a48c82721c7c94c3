#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cupel run --processors: its indices in every format, kept and read again; refusals; and what it measures with one processor.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

quick='--preset quick --min-samples 3 --min-time 0.1s --ci 100% --limit 30s'
# shellcheck disable=SC2086 # the options are words
limited run --processors $quick --format csv -o kept >out 2>err
status=$?
[ $status -eq 0 ] || [ $status -eq 5 ] || fault "exit status $status: $(cat err)"
for row in clock,all,GHz multiply_add,all,GFLOP/s; do
    grep -q "^$row," out || fault "no row of $row: $(cat out)"
done
grep -q 'at once' kept/report.txt || fault "the report does not say what was measured: $(cat kept/report.txt)"
[ -s kept/program.cupel ] || fault 'no record was kept'
limited report kept --format json >out.json 2>err
grep -q '"multiply_add"' out.json || fault "the record has no multiply_add: $(cat err)"
if [ "$(nproc)" -gt 1 ]; then
    grep -q '^clock_slowest,cpu[0-9]*,GHz,' out || fault "the slowest processor is not named: $(cat out)"
    grep -q '^handover,[0-9]*-[0-9]*,ns,' out || fault "no row of a pair: $(cat out)"
fi

for refused in '--iodepth 4' '--memory' '--sla p99<1ms'; do
    # shellcheck disable=SC2086
    limited run --processors $refused >out 2>err
    [ $? -eq 2 ] || fault "--processors $refused: exit status"
    grep -q 'processors' err || fault "--processors $refused: $(cat err)"
done
limited run --processors . >out 2>err
[ $? -eq 2 ] || fault 'a target beside --processors: exit status'

# With one processor there is no slowest one and no pair, and the report says so.
if command -v taskset >/dev/null; then
    first=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    # shellcheck disable=SC2086
    taskset -c "$first" timeout -s KILL 60 "$CUPEL" run --processors $quick --full >out 2>err
    grep -q 'second processor' out || fault "one processor: $(cat out err)"
    ! grep -q 'clock_slowest\|-[0-9]* handover' out || fault "another processor where there is one: $(cat out)"
fi

# A qualification with the processors among its checks, and an expectation written from its result, which the machine then
# meets.
PATH=$PATH:/usr/sbin:/sbin
if [ "$(id -u)" -eq 0 ]; then
    head -c 4194304 /dev/urandom >disk
    loop=$(losetup --find --show "$PWD/disk" 2>/dev/null) || skip 'no loop device: qualify --processors is left out'
    trap 'losetup -d "$loop"; rm -rf "$FOLDER"' EXIT
    printf '[machine]\nprocessor clock >= 100 GHz\n' >x.expect
    limited qualify "$loop" --processors --preset quick --limit 2s --expect x.expect --write-expect new.expect \
        --format csv >out 2>err
    grep 'processor clock' out | grep -qE 'fail|undecided' || fault "100 GHz: $(cat out err)"
    grep -q 'processor clock' new.expect || fault "no processors in: $(cat new.expect)"
    limited help expect.txt >out
    grep -q 'processor clock' out || fault 'cupel help expect.txt does not know the processors'
fi
finish
