#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The stick under UEFI with Secure Boot and Microsoft's keys: the kernel is locked down, and everything works. The boot loader
# refuses a kernel with one changed byte; the kernel refuses a module with one changed byte, and the boot continues without
# it.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"

# change_byte FILE OFFSET: changes that byte.
change_byte() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    # shellcheck disable=SC2059 # an escape
    printf "\\x$(printf %x $(((byte + 1) % 256)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

make_stick
boot_part=$(stick_part 2)
cp "$BOOT/vmlinuz" changed
change_byte changed 4000000
module=$(find "$BOOT/root/lib" -name virtio_blk.ko)
add_file "$module" "${module#"$BOOT/root/"}"
change_byte "extra/${module#"$BOOT/root/"}" 8000
append_extra "$BOOT/initrd"
# The first entry of the menu names the changed kernel and then the original one; GRUB starts the latter without asking for a
# key.
sed -e '0,/^    linux \/vmlinuz/s//    linux \/changed\n&/' -e '0,/^    initrd \/initrd/s//&\n    boot/' "$PROJECT/boot/grub.cfg" >grub.cfg
mcopy -o -i "$boot_part" initrd ::initrd
mcopy -i "$boot_part" changed ::changed
mcopy -o -i "$boot_part" grub.cfg ::EFI/debian/grub.cfg
truncate -s 16M virtio.img
devices+=(-drive "file=$FOLDER/virtio.img,if=none,id=virtio,format=raw" -device 'virtio-blk-pci,drive=virtio')

boots_and_qualifies secure
serial_holds 'bad shim signature' # the firmware shows GRUB's messages on its own serial console
[ "$(tr -d '\r' <serial.log | grep -acF ', Linux ')" = 1 ] || fault 'the changed kernel was started'
serial_holds 'virtio_blk: Key was rejected by service'
! tr -d '\r' <serial.log | grep -aq vda || fault 'the changed driver found the drive'
holds qualification.txt nvme0n1
holds kernel.txt 'Kernel is locked down from EFI Secure Boot'
finish
