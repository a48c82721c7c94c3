#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Writing commands on a stick: a serial number that belongs to another disk writes nothing. The right one writes only that
# disk, after a countdown that announces it and that a key stops. The drives are compared byte for byte.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

export QEMU_LIMIT=280
# next_machine LINE...: prepares a machine with the same drives and a stick with these lines as its cupel.cfg.
next_machine() {
    rm -rf serial.in monitor.in monitor.out extra data.img report*
    devices=() machine_number=$((${machine_number:-0} + 1))
    [ ! -e serial.log ] || mv serial.log "serial.$machine_number"
    devices+=(-drive "file=$FOLDER/first.img,if=none,id=first,format=raw" -device "nvme,drive=first,serial=FIRST-1"
        -drive "file=$FOLDER/second.img,if=none,id=second,format=raw" -device "virtio-blk-pci,drive=second,serial=SECOND-2")
    data_stick "$@"
}
is_unchanged() {
    sha256sum --quiet -c before || fault "$1"
}
drive first 16M
drive second 16M
sha256sum first.img second.img >before
write='--rw write --bs 64k --preset quick --limit 2s --overhead 0 --block-layer 0'

# The serial number of one disk with the name of the other.
next_machine 'countdown = 0' 'after = power-off' "command = run /dev/vda $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
wait_for 'THIS DESTROYS ALL DATA ON A DISK' 100
wait_for 'serial number FIRST-1, 16 MiB' 30
wait_for 'DESTROYING ALL DATA on the disk above begins in ' 10
power_off_within 100
serial_holds 'its serial number is SECOND-2, not FIRST-1; nothing was written'
serial_holds 'ended with status 3'
is_unchanged 'a command with the serial number of another disk wrote'

# The right serial number, and somebody presses a key.
next_machine 'countdown = 0' "command = run /dev/nvme0n1 $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
wait_for 'ANY KEY STOPS IT' 100
send 'x'
wait_for 'Key:' 30
since_sent | grep -q 'minutes without a key' && fault 'what was stopped begins again by itself'
sleep 3
send '9\r'
power_off_within 30
is_unchanged 'a key did not stop the command'

# The right serial number, and nobody presses a key.
next_machine 'countdown = 0' 'after = power-off' "command = run /dev/nvme0n1 $write --destroy-serial FIRST-1"
direct_boot cupel.data-wait=60
power_off_within 100
serial_holds 'report: kept on the stick as '
sha256sum --quiet -c before >compared 2>/dev/null && fault 'the right serial number wrote nothing'
grep -q '^first.img: FAILED' compared || fault 'the disk that was named was not written'
grep -q '^second.img' compared && fault 'another disk than the one that was named was written'
finish
