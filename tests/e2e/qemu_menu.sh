#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The menu on a serial line, used as a person would: disks are chosen, one is qualified, Ctrl-C ends a qualification. Only if
# the serial number of a disk is typed in full is that disk written, as the drives' content shows.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

export QEMU_LIMIT=280
nvme_drive NVME-1 32M
sata_drive SATA-1 32M
sha256sum NVME-1.img SATA-1.img >before
direct_boot cupel.start=menu cupel.data-wait=0 cupel.preset=quick cupel.limit=1s cupel.allow-unwritten=1

wait_for 'Key:' 60
wait_for '[all 2 disks]' 20
send '0x' # the input of a serial line that echoes everything
wait_for 'reboot? Enter: yes' 10
wait_for 'Key:' 10

# Leaves only the second disk chosen.
send '2'
wait_for 'Enter: done:' 20
send '1\r'
wait_for '1 [ ] nvme0n1' 10
send '\r'
wait_for '[1 of 2 disks]' 20
send '1'
wait_for 'Press a key for the menu.' 60
since_sent | grep -q 'sda: random read, 2 of 2' || fault 'the chosen disk was not measured'
since_sent | grep -q 'nvme0n1: ' && fault 'a disk that was not chosen was measured'
# (Progress up to 100 % and widths of intervals are not shares of a limit.)
since_sent | sed -E 's/\+-[0-9.]+ %//g; s/100 %//g' | grep -E '[0-9]{3,} %' &&
    fault 'a disk gives more than its data path lets through'
since_sent | grep -q 'report: in memory only, there is no stick' || fault 'nothing is said of the report'
send ' '
wait_for 'last result: ' 20

# A wrong serial number, that of the other disk, a misspelled and an empty one are refused.
for typed in SATA-2 NVME-1 sata-1 ''; do
    send '4'
    wait_for 'Number of the one disk' 20
    send '2\r'
    wait_for 'ALL DATA ON THIS DISK WILL BE DESTROYED' 10
    wait_for 'Serial number:' 10
    send "$typed\r"
    if [ -n "$typed" ]; then
        wait_for 'Nothing was written.' 10
        send ' '
    fi
    wait_for 'Key:' 20
done
sync
sha256sum --quiet -c before || fault 'a disk was written without its serial number'

# With the right serial number that disk is written, and the other disk stays unchanged.
send '4'
wait_for 'Number of the one disk' 20
send '2\r'
wait_for 'Serial number:' 10
send 'SATA-1\r'
wait_for 'sda: random write, 4 of 4' 60
wait_for 'Press a key for the menu.' 60
send ' '
wait_for 'Key:' 20

# The pages.
send '5'
wait_for 'nvme0n1  disk, 32 MiB' 20
send 'q'
wait_for 'Key:' 20
send '6'
wait_for '-- Results, lines 1 to' 20
send 'q'
wait_for 'Key:' 20
send '7'
wait_for '-- the log, lines' 20
send 'k'
wait_for "-- the kernel's messages, lines" 20
send 'q'
wait_for 'Key:' 20

# Ctrl-C ends it with the results so far.
send '2'
wait_for 'Enter: done:' 20
send 'a\r\r'
wait_for '[all 2 disks]' 20
send '1'
wait_for 'nvme0n1: sequential read, 1 of 4' 30
send '\003'
wait_for 'Press a key for the menu.' 30
since_sent | grep -q 'interrupted' || fault 'the page of an interrupted qualification does not say so'
send ' '
wait_for 'Key:' 20

# A disk that hardly answers: a killed qualification still leaves a report with the results so far.
monitor block_set_io_throttle SATA-1 0 0 0 1 0 0 >/dev/null
send '1'
wait_for 'nvme0n1: random read, 2 of 4' 30
sleep 5
send '\003\003'
wait_for 'the qualification did not end: 1 of 2 disks' 30
wait_for 'Press a key for the menu.' 30
monitor block_set_io_throttle SATA-1 0 0 0 0 0 0 >/dev/null
send ' '
wait_for 'last result: FAIL: the qualification did not end by itself' 20
send '9\r'
power_off_within 30

sha256sum --quiet -c before >compared 2>/dev/null && fault 'the write test wrote nothing'
grep -q 'NVME-1' compared && fault 'another disk than the one that was named was written'
finish
