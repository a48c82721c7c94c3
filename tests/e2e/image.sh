#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The image of ./build.sh image, read by other programs: sizes, partitions, sound filesystems, signed modules, the index.
# shellcheck source=/dev/null
. "$(dirname "$0")/qemu/lib.sh"
needs mdir
make_stick

[ "$(du -m "$IMAGE" | cut -f 1)" -le 90 ] || fault "the image has $(du -m "$IMAGE" | cut -f 1) MiB of data"
[ "$(wc -c <"$BOOT/initrd")" -lt 15000000 ] || fault "the initrd has $(wc -c <"$BOOT/initrd") bytes"

# The partitions: Windows shows the first one, firmware looks for type ef, the kernel finds the data by its identifier.
sfdisk -d stick.img >table
grep -q '^stick.img1 .*type=c$' table || fault 'partition 1 is not FAT32'
grep -q '^stick.img2 .*type=ef, bootable$' table || fault 'partition 2 is not an EFI system partition'
for part in 1 2; do
    part_alone $part
    fsck.fat -n part$part >fsck || fault "partition $part: $(cat fsck)"
done
id=$(od -An -tx4 -j 67 -N 4 part1 | tr -d ' ')
grep -qi "DATA_PARTITION_ID *0x$id\$" "$PROJECT/tables/boot_image.h" || fault "partition 1 has the identifier $id"
grep -qi "^label-id: 0x$id\$" table || fault "the partition table has another signature than $id"
# The image's identifier, on the stick and in the initrd.
identifier=$(cat "$BOOT/root/image-id")
[[ $identifier =~ ^[0-9A-Za-z-]{1,32}$ ]] || fault "the identifier of the image is \"$identifier\""
[ "$(dd if=part1 bs=512 skip=16 count=1 status=none | tr -d '\000')" = "cupel image $identifier" ] ||
    fault "the data partition is not of image $identifier"
mcopy -n -i "$(stick_part 2)" ::EFI/debian/grub.cfg grub.cfg
[ "$(grep -c 'linux /vmlinuz' grub.cfg)" -eq "$(grep -c 'linux /vmlinuz.* cupel.stick=own' grub.cfg)" ] ||
    fault 'an entry of the boot menu does not say that the machine is started from a stick'
mcopy -n -i "$(stick_part 1)" ::README.txt ::cupel.cfg ::expect-example.txt .
"$CUPEL" help cupel.cfg | cmp -s - cupel.cfg || fault 'cupel.cfg is not the one that cupel explains'
refused 2 no-such-disk qualify no-such-disk --expect expect-example.txt # every line of the example is understood
for file in EFI/BOOT/BOOTX64.EFI EFI/BOOT/grubx64.efi EFI/debian/grub.cfg vmlinuz initrd licences/cupel.txt; do
    mdir -b -i "$(stick_part 2)" "::$file" >/dev/null || fault "there is no $file"
done

# The initrd: /init and other needed files, every module signed and in the index, no module in the index that is missing.
[ -x "$BOOT/root/init" ] || fault "there is no /init"
[ -s "$BOOT/root/usr/share/misc/pci.ids" ] || fault "there are no names of PCI devices"
modules=$BOOT/root/lib/modules/$RELEASE
find "$modules" -name '*.ko' | while read -r file; do
    tail -c 28 "$file" | grep -aq '^~Module signature appended~$' || echo "${file##*/} has no signature"
    [ -n "$(sed -n "s,^${file#"$modules/"}:,&,p" "$modules/modules.dep")" ] || echo "${file##*/} is not in modules.dep"
done >wrong
tr -s ': ' '\n' <"$modules/modules.dep" | grep . | sort -u | while read -r file; do
    [ -e "$modules/$file" ] || echo "$file is in modules.dep and not there"
done >>wrong
[ ! -s wrong ] || fault "$(cat wrong)"
for name in nvme ahci mpt3sas mpi3mr megaraid_sas smartpqi hpsa ice idpf mlx5_core bnxt_en ionic virtio_net uas xhci_pci ufshcd_pci \
    cxl_mem spd5118 vfat; do
    grep -q "/${name//_/[_-]}\.ko:" "$modules/modules.dep" || fault "no driver $name"
done
finish
