#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Under Secure Boot, a kernel with one byte changed is refused by the boot loader, and a module with one byte changed
# by the kernel; the rest of the stick goes on without it.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

# change_byte FILE OFFSET
change_byte() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # an escape
    printf "\\x$(printf %x $(((byte + 1) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# The firmware shows GRUB's messages on its own serial console.
make_stick
mcopy -i "$(stick_part 2)" ::vmlinuz vmlinuz
change_byte vmlinuz 4000000
mcopy -o -i "$(stick_part 2)" vmlinuz ::vmlinuz
stick_boot secure
wait_for 'bad shim signature' 120
! grep -aq ', Linux ' serial.log || fault 'the changed kernel was started'
stop_qemu
rm stick.img

# The same boot with the true kernel and a changed driver for NVMe.
nvme_drive disk 64M
make_stick
stick_config 'countdown = 0' 'command = probe' 'after = power-off'
module=$(find "$BOOT/root/lib" -name nvme.ko)
add_file "$module" "${module#"$BOOT/root/"}"
change_byte "extra/${module#"$BOOT/root/"}" 20000
append_extra "$BOOT/initrd"
mcopy -o -i "$(stick_part 2)" initrd ::initrd
stick_boot secure
wait_for ', Linux ' 120
power_off_within 120
serial_holds 'nvme: Key was rejected by service'
! tr -d '\r' <serial.log | grep -aq nvme0n1 || fault 'the changed driver found the drive'
finish
