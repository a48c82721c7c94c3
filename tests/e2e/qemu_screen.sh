#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The last screen of a qualification as a person sees it, by screendump: VGA's text mode of 80x25 and a framebuffer of
# 1024x768. The verdict is large, coloured and last, the text is that of the serial line, nothing is in the last column,
# and the pager has the screen's height. tests/golden/verdict_screen has the pages of other sizes.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
needs python3
golden=$PROJECT/tests/golden/verdict_screen

# shown NAME: what the screen shows now, NAME.ppm, and what the serial line got since the last keys, NAME.txt.
shown() {
    sleep 0.5 # the screen is drawn when the guest's processor has written it, the dump is taken of what QEMU drew last
    monitor screendump "$FOLDER/$1.ppm" >/dev/null
    since_sent >"$1.txt"
}

holds_screen() {
    python3 "$PROJECT/tests/e2e/qemu/screen.py" "$@" || fault "the screen: $*"
}

# A drive that was never written: not decided, without measuring.
truncate -s 16M empty.img
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
holds_screen verdict.ppm=verdict.txt "$golden/undecided_80x24.txt" yellow 25 menu.ppm=menu.txt disks.ppm=disks.txt
stop_qemu
rm -f serial.in monitor.in monitor.out qemu.pid

# No disk at all, with firmware that leaves a framebuffer to the kernel.
[ -e /usr/share/OVMF/OVMF_CODE_4M.fd ] || skip 'there is no /usr/share/OVMF/OVMF_CODE_4M.fd (ovmf)'
cp /usr/share/OVMF/OVMF_VARS_4M.fd variables.fd
# shellcheck disable=SC2034 # lib.sh has them
devices=(-device 'VGA,xres=1024,yres=768,edid=on'
    -drive 'if=pflash,format=raw,unit=0,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'
    -drive 'if=pflash,format=raw,unit=1,file=variables.fd')
direct_boot console=tty0 cupel.countdown=0 cupel.data-wait=0
wait_for 'd: all details.' 120
shown verdict
holds_screen verdict.ppm=verdict.txt "$golden/fail_128x48.txt" red 48

# All details: as many rows as that screen has, by a key of its own keyboard; 24 on the serial line.
send 'd'
wait_for 'q: back' 20
monitor sendkey spc >/dev/null
sleep 0.5
since_sent | grep -q -- '-- Results, lines 1 to 1[0-9] of 1[0-9]' || fault "the pager: $(since_sent | tail -n 3)"
finish
