#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Eight NVMe drives, four behind a switch at each of two root ports. The four at the first port share a rate that each of the
# others has alone: cupel qualify --together names that port and no other.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

# Eight sessions at the same time take 50 MiB each.
# shellcheck disable=SC2034 # for lib.sh
memory=768M

# The rates are low, so that the emulated processors are not the shared limit.
rate=throttling.bps-total=48000000,throttling.iops-total=400

# switch NUMBER: adds a switch at a root port of its own, with room for four drives.
switch() {
    devices+=(-device "pcie-root-port,id=port$1,bus=pcie.0,chassis=$1,slot=$1,addr=$1.0"
        -device "x3130-upstream,id=up$1,bus=port$1")
}

# drive_below SWITCH NUMBER GROUP: adds a drive; drives of one GROUP share its rate.
drive_below() {
    local name=P$1D$2
    drive "$name" 32M
    devices+=(-device "xio3130-downstream,id=down$1$2,bus=up$1,chassis=$1$2,slot=$2"
        -drive "file=$FOLDER/$name.img,if=none,id=$name,format=raw,throttling.group=$3,$rate"
        -device "nvme,drive=$name,serial=$name,bus=down$1$2")
}
switch 3
switch 4
for number in 0 1 2 3; do
    drive_below 3 $number shared
done
for number in 0 1 2 3; do
    drive_below 4 $number "own$number"
done

# no_timer_check: on a busy host the timer may be too late for the kernel's own test of it.
export QEMU_LIMIT=290
direct_boot no_timer_check cupel.countdown=0 cupel.data-wait=0 cupel.after=power-off "cupel.command=\"\
qualify --together --limit 2s --format csv\""
power_off_within 280
tr -d '\000\r' <serial.log >console

# Which drives are decided depends on the load of this machine; which port is named does not.
row() {
    grep -q "^$1" console || fault "no row $1 in $(grep -a '^shared part\|^check,,' console)"
}
no_row() {
    ! grep -q "^$1" console || fault "a row $1: $(grep -a "^$1" console)"
}
grep -q '^8 disks, .*(up to 2 at a time that share nothing), .* up to about' console || fault 'no total time'
first='switch 0000:01:00.0 at root port 0000:00:03.0'
row "check,,.*,shared part,warn,.*,$first: [2-4] disks keep 0\."
no_row 'check,,.*,shared part,warn,.*root port 0000:00:04.0'
no_row 'check,,.*,shared part,warn,.*pci0000:00'
for load in read randread; do
    row "shared part,0000:01:00.0,$first,,$load together over alone,,1,0\.[123].*,\"shared, limit unknown\""
    no_row "shared part,.*root port 0000:00:04.0,,$load together over alone,.*\(oversubscribed\|limit unknown\)"
    for number in 0 1 2 3; do
        row "measurement,nvme[0-9]n1,[^,]*,P3D$number,$load together over alone,,1,0\.[0-5]"
        no_row "measurement,nvme[0-9]n1,[^,]*,P4D$number,$load together over alone,.*,loses,"
    done
done
finish
