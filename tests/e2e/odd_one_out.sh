#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Six loop devices that a control group holds to one speed, one of them to half of it: cupel qualify names it and no other
# as the odd one out, and so does --fleet by the kept report.
# Timed: six disks whose speeds differ by what else this machine does have no odd one out.
# shellcheck source=/dev/null
. "$(dirname "$0")/devices"

throttle=/sys/fs/cgroup/blkio/cupel-odd-$$
mkdir "$throttle" 2>err || skip "no control group that throttles requests (blkio, version 1): $(cat err)"
remove_group() {
    gone=$?
    rmdir "$throttle" 2>/dev/null
    (exit $gone)
    undo # exits with that status
}
trap remove_group EXIT
[ -e "$throttle/blkio.throttle.read_iops_device" ] || skip 'this kernel throttles no requests'
disks=''
odd=''
for i in 1 2 3 4 5 6; do
    head -c 67108864 /dev/urandom >"disk$i"
    attach "disk$i"
    number=$(cat "/sys/block/${LOOP#/dev/}/dev")
    bytes=400000000
    requests=8000
    [ $i -ne 4 ] || {
        odd=${LOOP#/dev/}
        bytes=200000000
        requests=4000
    }
    echo "$number $bytes" >"$throttle/blkio.throttle.read_bps_device"
    echo "$number $requests" >"$throttle/blkio.throttle.read_iops_device"
    disks="$disks $LOOP"
done

# shellcheck disable=SC2086 # the disks are several words
sh -c 'echo $$ >"$0/cgroup.procs" && exec timeout -s KILL 200 "$@"' "$throttle" \
    "$CUPEL" qualify $disks --preset quick --limit 6s --full -o kept >out 2>err
got=$?
[ $got -eq 0 ] || [ $got -eq 5 ] || fault "exit status $got: $(cat err)"
tail -n 1 err >last
# So busy, and the report says so, that half the speed is within what cannot be told apart: then none may be odd.
if tr -s ' \n' ' ' <out | grep -q 'other programs used' && ! grep -q "$odd: odd one out" last; then
    ! grep -q 'odd one out' last || fault "another is named: $(cat last)"
    [ "${failures:?}" -gt 0 ] || skip "the machine is too busy to tell disks apart: $(cut -c -200 last)"
    finish
fi
holds last "$odd: odd one out "
[ "$(grep -o 'loop[0-9]*: odd one out' last | sort -u)" = "$odd: odd one out" ] || fault "another is named: $(cat last)"

status 1 qualify --fleet kept
holds out 'SLOW: 1 drive slower than the peers, of 6 drives in 1 machine'
holds out "($odd)"
finish
