#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The program for another processor, in an emulator, from end to end on a file: it states the rate and the resolution of its
# clock, measures a session, and reads the same numbers from its record again. io_uring, which the emulator lacks, is refused.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

[ -n "${CUPEL_EMULATED:-}" ] || {
    echo './build.sh test --target aarch64 emulated runs it'
    exit 77
}
head -c 16777216 /dev/urandom >file
longer '0 5' run "$FOLDER/file" --direct 0 --preset quick --runtime 2s -o result --format csv
cp out run.csv
holds result/report.txt 'CNTVCT at '
holds result/report.txt ' (steps of '
grep -Eq 'backend +sync' result/report.txt || fault "the emulator has no io_uring, and not sync is the backend"
iops=$(metric_of iops value)
is_true "${iops:-0} > 0"
longer '0 5' report result/record.cupel --format csv
[ "$(metric_of iops value)" = "$iops" ] || fault "the record gives $(metric_of iops value) IOPS, and its session gave $iops"
for asked in '--iodepth 4' '--ioengine uring'; do
    # shellcheck disable=SC2086 # two words
    status 6 run "$FOLDER/file" --direct 0 --preset quick $asked
    holds err 'this kernel has no io_uring; use --ioengine sync with --iodepth 1'
done
finish
