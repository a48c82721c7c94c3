#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Targets that disappear during the measurement: exit status 4 soon after, with a report of what was measured before.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

long='--ci 0.01% --limit 50s --min-time 40s --overhead 0 --format csv'

# measures NAME: waits up to half a minute until the session measures.
measures() {
    for _ in $(seq 600); do
        ! grep -q BTCH "$1.kept/record.cupel" 2>/dev/null || break
        sleep 0.05
    done
    sleep 0.5
}

# check_vanished NAME: the session NAME ends by itself and reports what it measured.
check_vanished() {
    begin=$(date +%s)
    ended 4 "$1"
    is_true "$(date +%s) - $begin < 15"
    holds out metric,op,unit
    is_true "$(metric_of iops value) > 0"
    is_true "$(metric_of errors value) >= 1"
    status 4 report "$1.kept/record.cupel" --format csv
    cmp -s out "$1.out" || fault "$1: the record gives another result"
}

head -c 33554432 /dev/urandom >file
for engine in sync uring; do
    head -c 33554432 /dev/urandom >"$engine.file"
    # shellcheck disable=SC2086 # the options are words
    start $engine run ./$engine.file --ioengine $engine $long -o $engine.kept
    measures $engine
    truncate -s 0 ./$engine.file
    check_vanished $engine
done

# A disk whose file is cut off.
head -c 33554432 /dev/urandom >disk
attach disk
# shellcheck disable=SC2086
start disk run "$LOOP" --iodepth 8 $long -o disk.kept
measures disk
truncate -s 4096 disk
check_vanished disk

# A device whose driver returns only errors from now on.
if command -v dmsetup >/dev/null && dmsetup version >/dev/null 2>&1; then
    head -c 33554432 /dev/urandom >lower
    attach lower
    mapped=cupel-test-$$
    if echo "0 65536 linear $LOOP 0" | dmsetup create "$mapped" 2>err; then
        # shellcheck disable=SC2086
        start mapped run "/dev/mapper/$mapped" --iodepth 4 $long -o mapped.kept
        measures mapped
        echo '0 65536 error' | dmsetup load "$mapped" && dmsetup resume "$mapped"
        check_vanished mapped
    else
        mapped=
        echo "no device mapper: $(cat err)"
    fi
else
    echo 'no device mapper here'
fi
finish
