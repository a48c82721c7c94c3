# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes the disk image without root and without loop devices: the partitions are made inside the file.
#
#   sector 0        GRUB's boot.img (BIOS) and the partition table
#   1 .. 2047       GRUB's core image (BIOS), which reads FAT and finds the boot partition by its identifier
#   partition 1     FAT32: configuration and reports. It is the first because Windows shows only the first partition of a stick
#   partition 2     FAT16, type EF (EFI system): shim, GRUB, kernel, initrd
#
# The image is a sparse file; its content takes about a tenth of its size.

data_begin=2048 data_sectors=$((256 * 2048))
boot_begin=$((data_begin + data_sectors)) boot_sectors=$((80 * 2048))
boot_partition_id=C0FEB007

# make_image: makes $out/cupel.img from $out/cupel. Intermediate files stay in $out/image.
make_image() {
    local folder=$root/$out/image
    umask 022
    prepare_boot_packages "$folder"
    set_one_time
    cp "$folder"/kernel/boot/vmlinuz-* "$folder/vmlinuz"
    make_initrd "$folder"
    logged "writing $out/cupel.img" build/log/image.log write_image "$folder" "$folder/new.img"
    mv "$folder/new.img" "$out/cupel.img"
    say "$out/cupel.img: $(du -m "$out/cupel.img" | cut -f 1) MiB of data, initrd $(($(wc -c <"$folder/initrd") / 1024)) KiB"
}

# Sets the time of all files to that of the commit, so that the same commit makes the same image.
set_one_time() {
    export SOURCE_DATE_EPOCH TZ=UTC0
    [ -n "${SOURCE_DATE_EPOCH:-}" ] || SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 946684800)
}

# constant NAME: prints the value of a #define in tables/boot_image.h, which the program in the image reads as well.
constant() {
    sed -n "s/^#define $1 *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" tables/boot_image.h
}

# write_image FOLDER FILE
write_image() {
    local folder=$1 file=$2 id
    id=$(constant DATA_PARTITION_ID)
    rm -f "$file"
    truncate -s $(((boot_begin + boot_sectors) * 512)) "$file" &&
        write_partition_table "$file" "$id" &&
        { [ "$machine" != x86_64 ] || write_bios_loader "$folder" "$file"; } &&
        write_data_partition "$folder" "$file" "${id#0x}" &&
        write_boot_partition "$folder" "$file"
}

write_partition_table() {
    sfdisk --quiet "$1" <<EOT
label: dos
label-id: $2
start=$data_begin, size=$data_sectors, type=c
start=$boot_begin, size=$boot_sectors, type=ef, bootable
EOT
}

# boot.img is the 440 bytes before the partition table. It loads the next sector, which loads the remaining ones.
write_bios_loader() {
    local modules=$1/grub-bios/usr/lib/grub/i386-pc file=$2
    cat >"$1/grub-bios.cfg" <<EOT
search --no-floppy --set=root --fs-uuid ${boot_partition_id:0:4}-${boot_partition_id:4}
set prefix=(\$root)/grub
configfile /EFI/debian/grub.cfg
EOT
    grub-mkimage -O i386-pc -d "$modules" -p /grub -c "$1/grub-bios.cfg" -o "$1/core.img" biosdisk part_msdos fat \
        search search_fs_uuid configfile normal test echo linux serial terminal all_video sleep reboot halt || return 1
    [ "$(wc -c <"$1/core.img")" -le $(((data_begin - 1) * 512)) ] || {
        echo "GRUB's core image does not fit before the first partition"
        return 1
    }
    dd if="$modules/boot.img" of="$file" bs=440 count=1 conv=notrunc status=none &&
        dd if="$1/core.img" of="$file" bs=512 seek=1 conv=notrunc status=none
}

# make_fat FILE BEGIN SECTORS BITS ID LABEL [OPTION...]: makes a FAT filesystem in the partition that begins at sector BEGIN.
make_fat() {
    mkfs.fat --invariant --offset "$2" -h "$2" -F "$4" -i "$5" -n "$6" "${@:7}" "$1" $(($3 / 2))
}

# copy_tree ROOT FILE BEGIN: copies everything in ROOT into the filesystem that begins at sector BEGIN.
copy_tree() {
    find "$1" -exec touch -d "@$SOURCE_DATE_EPOCH" {} + &&
        (cd "$1" && MTOOLSRC=/dev/null mcopy -i "$2@@$(($3 * 512))" -s -m -Q ./* ::)
}

write_data_partition() {
    local tree=$1/data
    rm -rf "$tree"
    mkdir "$tree"
    cp boot/stick/*.txt "$tree/" &&
        "${runner[@]}" "$out/cupel" help cupel.cfg >"$tree/$(constant CONFIG_FILE)" &&
        make_fat "$2" $data_begin $data_sectors 32 "$3" "$(constant DATA_PARTITION_LABEL)" -s 4 &&
        write_image_id "$1" "$2" $data_begin &&
        copy_tree "$tree" "$2" $data_begin
}

# write_image_id FOLDER FILE BEGIN: writes the image's identifier into a sector of the data partition that FAT32 leaves
# unused.
write_image_id() {
    { printf %s "$(constant DATA_IMAGE_WORDS)" && cat "$1/root/$(constant IMAGE_ID_FILE)"; } |
        dd of="$2" bs=512 seek=$(($3 + $(constant DATA_IMAGE_SECTOR))) conv=notrunc status=none
}

write_boot_partition() {
    local tree=$1/boot name
    rm -rf "$tree"
    mkdir -p "$tree"/EFI/{BOOT,debian} "$tree/licences"
    cp "$1/shim/usr/lib/shim/shim$efi.efi.signed" "$tree/EFI/BOOT/BOOT${efi^^}.EFI" &&
        cp "$1/shim-keys/usr/lib/shim/mm$efi.efi.signed" "$tree/EFI/BOOT/mm$efi.efi" &&
        cp "$1"/grub-efi/usr/lib/grub/*-efi-signed/"grub$efi.efi.signed" "$tree/EFI/BOOT/grub$efi.efi" &&
        cp boot/grub.cfg "$tree/EFI/debian/grub.cfg" &&
        cp "$1/vmlinuz" "$1/initrd" "$tree/" &&
        cp LICENSE "$tree/licences/cupel.txt" || return 1
    for name in $boot_names; do
        [ "$name" = grub-bios ] || # its licence is the one of grub-efi
            cp "$1/$name"/usr/share/doc/*/copyright "$tree/licences/$name.txt" || return 1
    done
    make_fat "$2" $boot_begin $boot_sectors 16 $boot_partition_id CUPELBOOT &&
        copy_tree "$tree" "$2" $boot_begin
}
