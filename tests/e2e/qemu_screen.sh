#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The last screen of a qualification as a person sees it (screendump) in VGA's text mode of 80x25: the verdict is large,
# yellow and last, the text is that of the serial line, and the last column is empty. tests/golden/verdict_screen has the
# pages of other sizes.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/screen.sh"

# A drive that was never written: not decided, without a measurement.
truncate -s 16M empty.img
# shellcheck disable=SC2034 # lib.sh has them
devices=(-vga std -drive "file=$FOLDER/empty.img,if=none,id=empty,format=raw" -device 'nvme,drive=empty,serial=EMPTY')
direct_boot console=tty0 cupel.start=menu cupel.data-wait=0 cupel.preset=quick cupel.limit=1s
wait_for 'Key:' 90
shown menu
send '2'
wait_for 'Enter: done:' 20
shown disks
send '\r'
wait_for 'Key:' 20
send '1'
wait_for 'd: all details.' 60
shown verdict
verdict_shown undecided_80x24.txt yellow 25 menu disks
finish
