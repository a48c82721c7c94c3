# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# The initrd: three archives that the kernel unpacks one over the other. The first holds the modules and is made again only
# when they change. The second holds cupel as /init, the names of PCI devices and the empty folders. The third holds the
# image's identifier. The same inputs make the same bytes: sorted names, one time for all files, no owners, no device numbers.

# make_initrd FOLDER: makes FOLDER/initrd, and FOLDER/root, the same content as a folder (the tests read it and add to it).
make_initrd() {
    local folder=$1 release key
    release=$(basename "$folder"/kernel/lib/modules/*)
    key=$(cat <(echo "$boot_keys" "$SOURCE_DATE_EPOCH") boot/modules boot/initrd.sh <(zstd --version) | sha256sum)
    if [ "$key" != "$(cat "$folder/modules.key" 2>/dev/null)" ]; then
        rm -rf "$folder/modules.key" "$folder/root"
        logged 'packing the modules' build/log/image-modules.log pack_modules "$folder" "$release"
        echo "$key" >"$folder/modules.key"
    fi
    logged 'packing cupel' build/log/image-program.log pack_program "$folder"
    pack_image_id "$folder"
    cat "$folder/modules.cpio.zst" "$folder/program.cpio.zst" "$folder/id.cpio.zst" >"$folder/initrd"
    truncate -s %4 "$folder/initrd" # an initrd that the loader appends is found only at a multiple of four bytes
}

# Packs the modules named in boot/modules and the modules they depend on, with an index of only these. They are copied
# unchanged: stripping a module would remove its signature, and a kernel under Secure Boot would refuse it.
pack_modules() {
    local folder=$1 release=$2 names path file
    local root=$folder/modules.root to=$folder/modules.root/lib/modules/$release
    rm -rf "$root"
    mkdir -p "$to"
    read -rd '' -a names < <(wanted_modules) || true
    modprobe -a -d "$folder/kernel" -S "$release" --show-depends "${names[@]}" >"$folder/modules.list" || {
        echo 'boot/modules names a module that this kernel does not have'
        return 1
    }
    while read -r path; do
        file=$to/${path#*/lib/modules/"$release"/}
        mkdir -p "$(dirname "$file")"
        cp "$path" "$file" || return 1
        [[ $boot_images != *firmware* ]] || pack_firmware "$folder" "$file" || return 1
    done < <(sed -n 's/^insmod \([^ ]*\).*/\1/p' "$folder/modules.list" | sort -u)
    cp "$folder/kernel/lib/modules/$release/modules."{order,builtin,builtin.modinfo} "$to" || return 1
    depmod -b "$root" "$release" || return 1
    sed -n -e 's/ *#.*//' -e '/^softdep /p' boot/modules >>"$to/modules.softdep"
    find "$to" -maxdepth 1 -type f ! -name modules.dep ! -name modules.alias ! -name modules.softdep \
        ! -name modules.builtin -delete
    pack "$root" "$folder/modules.cpio.zst" 9 && cp -R "$root" "$folder/root"
}

# Prints the module names in boot/modules. Lines after "WORD:" count only when boot_images contains the word.
wanted_modules() {
    sed -e 's/ *#.*//' -e '/^softdep /d' -e "s/^\(${boot_images// /\\|}\): //" -e '/^[a-z0-9_]*: /d' boot/modules
}

# pack_firmware FOLDER MODULE: packs the firmware files that the module may load into its device, as far as Debian has them.
pack_firmware() {
    local folder=$1 name file
    while read -r name; do
        for file in "$folder"/*/usr/lib/firmware/"$name"; do
            [ -f "$file" ] || continue
            mkdir -p "$(dirname "$folder/modules.root/lib/firmware/$name")"
            cp -L "$file" "$folder/modules.root/lib/firmware/$name" || return 1
        done
    done < <(modinfo -F firmware "$2")
}

# /data is the mount point of the data partition; /etc is for resolv.conf.
pack_program() {
    local folder=$1
    local root=$folder/program.root
    rm -rf "$root"
    mkdir -p "$root"/{data,dev,etc,proc,run,sys,tmp,usr/share/misc}
    cp "$out/cupel" "$root/init" &&
        cp "$folder/pci-names/usr/share/misc/pci.ids" "$root/usr/share/misc/pci.ids" &&
        pack "$root" "$folder/program.cpio.zst" 12 &&
        cp -R "$root/." "$folder/root/"
}

# Packs the image's identifier: 32 hexadecimal digits of the SHA-256 of everything that is booted, so that the same content
# has the same identifier; or CUPEL_IMAGE_ID. A machine started from one image ignores the cupel.cfg of another image's stick.
pack_image_id() {
    local folder=$1 id=${CUPEL_IMAGE_ID:-}
    local root=$folder/id.root
    [ -n "$id" ] || id=$(cat "$folder"/{modules,program}.cpio.zst "$folder/vmlinuz" boot/grub.cfg | sha256sum | cut -c -32)
    [[ $id =~ ^[0-9A-Za-z-]{1,32}$ ]] || die "CUPEL_IMAGE_ID=$id: at most 32 letters, digits and hyphens"
    rm -rf "$root"
    mkdir -p "$root"
    echo "$id" >"$root/$(constant IMAGE_ID_FILE)"
    logged "this is image $id" build/log/image-id.log pack "$root" "$folder/id.cpio.zst" 12
    cp "$root/$(constant IMAGE_ID_FILE)" "$folder/root/"
}

# pack ROOT ARCHIVE LEVEL
pack() {
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} + &&
        (cd "$1" && find . -mindepth 1 -print0 | sort -z |
            cpio --quiet --null --create --format newc --reproducible --owner 0:0 |
            zstd -q -T0 "-$3") >"$2"
}
