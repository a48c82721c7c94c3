#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A stick of another image: neither its command, which has the serial number of a drive, nor its other keys are obeyed,
# nothing is written to it, and the page says so.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/report.sh"

nvme_drive FIRST-1 16M
data_stick 'countdown = 0' 'after = reboot' \
    'command = run /dev/nvme0n1 --rw write --bs 64k --limit 2s --destroy-serial FIRST-1'
own_stick data.img another-image
sha256sum FIRST-1.img data.img >before
direct_boot cupel.countdown=3 cupel.data-wait=20 cupel.preset=quick cupel.limit=1s cupel.after=power-off
power_off_within 120
serial_holds 'is a stick of another image (another-image; this machine was started from'
serial_holds 'cupel: qualification '
tr -d '\000' <serial.log | grep -a 'THIS DESTROYS' && fault 'the stick of another image was followed'
sha256sum --quiet -c before || fault 'the command of the stick of another image was carried out, or the stick written to'
finish
