#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# As qemu_screen.sh, on a framebuffer of 1024x768 as UEFI hands it to the kernel: the verdict of a machine without a disk is
# red and larger than in text mode; the pager uses all rows of this screen.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
# shellcheck source=/dev/null
. "$PROJECT/tests/e2e/qemu/screen.sh"
[ -e /usr/share/OVMF/OVMF_CODE_4M.fd ] || skip 'there is no /usr/share/OVMF/OVMF_CODE_4M.fd (ovmf)'

cp /usr/share/OVMF/OVMF_VARS_4M.fd variables.fd
# shellcheck disable=SC2034 # lib.sh has them
devices=(-device 'VGA,xres=1024,yres=768,edid=on'
    -drive 'if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'
    -drive 'if=pflash,format=raw,unit=1,file=variables.fd')
direct_boot console=tty0 cupel.countdown=0 cupel.data-wait=0
wait_for 'd: all details.' 120
shown verdict
verdict_shown fail_128x48.txt red 48

# The kernel's messages are longer than 24 lines: after a key on the machine's own keyboard the page is as long as its screen.
send ' '
wait_for 'Key:' 20
send '7k'
wait_for 'k: the log; q: back' 20
send ''
monitor sendkey b >/dev/null
wait_for 'k: the log; q: back' 20
shown pager
python3 "$PROJECT/tests/e2e/qemu/screen.py" pager.ppm=pager.txt - pager 48 || fault 'the pager does not fill the screen'
finish
