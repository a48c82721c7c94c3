#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A session beside programs that use the processors says so in its verdict, in every format, and again when its record is
# read.
# Real-time: with this priority the session itself slows other programs down, and the report says so.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

spinners=
for _ in $(seq "$(nproc)"); do
    (while :; do :; done) &
    spinners="$spinners $!"
done
# shellcheck disable=SC2086 # several
trap 'kill $spinners; rm -rf "$FOLDER"' EXIT

limited run --full --ioengine null --null-script const:1ms --ci 90% --min-time 1s --min-samples 2 --limit 20s --overhead 0 \
    -o kept >out 2>err
grep -q '^PRECISE: ' out && fault "the machine was busy, and the verdict is $(head -n 1 out)"
tr -s ' \n' ' ' <out >flat
grep -q 'while other programs used [0-9]* % of the processors' flat || fault "no word of other programs: $(head -n 4 out)"
if grep -q '^PRECISE' out; then
    holds out 'PRECISE ON A BUSY MACHINE: '
    holds flat 'measure again when it is idle'
fi
# With real-time priority, the report names it as the reason why programs without it are slower meanwhile.
cp out first
if grep -q 'real-time priority *SCHED_FIFO' first; then
    holds flat '--realtime 0 compares like with like'
    limited run --ioengine null --null-script const:1ms --runtime 1s --overhead 0 --realtime 0 >out 2>err
    grep -q 'like with like' out && fault 'workers without priority are said to have it'
fi

limited report kept/record.cupel --full >out 2>err
cmp -s first out || fault "the record tells something else: $(diff first out | head -n 4)"
limited report kept/record.cupel --format csv >out 2>err
grep -q '^iops,read,.*busy machine: other programs used' out || fault "the CSV does not say it: $(grep ^iops out)"
limited report kept/record.cupel --format json >out 2>err
holds out '"busy_machine": true'
is_true "$(sed -n 's/.*"processors": \([0-9.]*\),*$/\1/p' out) > 0.05"
finish
