# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# What the image takes from Debian: fetch, verify, unpack. Read in by build.sh, whose functions it uses.
#
# The packages are unpacked and never installed: the scripts of boot loader packages would set up the machine that
# builds. Each is pinned, so that the same commit makes the same image, and accepted by its SHA-256. Unlike a library
# that is linked into the binary, a pin may be left here: a mirror keeps a security update only until the next one, and
# an old kernel is no virtue. When the pinned version has gone, the one that Debian names now is taken: apt accepts it
# by the archive's signatures, and machines with Secure Boot accept shim, GRUB and kernel by theirs. The build says so in
# one line. A folder of packages in CUPEL_DISTFILES serves without a mirror; there, with no signature, only the pinned
# versions are accepted.
#
# All are of one release of Debian, which need not be that of the machine that builds.
boot_release=trixie
# The first word names the images that have it: those for that machine, all, or those with firmware.
# for      name          package                             version                       SHA-256 of the package
# shellcheck disable=SC2034 # read below
boot_packages='
x86_64     kernel        linux-image-6.12.118+deb13-amd64    6.12.118-1                    57dee9124ac6c57b75a8aed09052245942027dd46649d3d02285c35c11cfda98
x86_64     shim          shim-signed                         1.51~1+deb13u1+16.1-2~deb13u1 3c802fa303c0e6bf126adee74028d1042e3120360d159c2c05181dc9b2f61005
x86_64     shim-keys     shim-helpers-amd64-signed           1+16.1+2~deb13u1              7e950d75d5a40ecc0a99f727452ce35780b47a04d9a2cc3b1ff7c2bb316c033e
x86_64     grub-efi      grub-efi-amd64-signed               1+2.12+9+deb13u4              9090ac76b1bb4d009298583c6e5af1e7b2cae8bce96a40d42a271eb2f750b536
x86_64     grub-bios     grub-pc-bin                         2.12-9+deb13u4                f8f78f08e57bb90cb030d70303286bc71a759bad1ec89eac2e3e20916d5c42cd
aarch64    kernel        linux-image-6.12.118+deb13-arm64    6.12.118-1                    e4326441e404a21af104a07bf207090737c1a276a30c67413c3548b764e4c050
aarch64    shim          shim-signed                         1.51~1+deb13u1+16.1-2~deb13u1 e228a68b298865e0f1b35f93dac8fc9644a47bde3487419efe305777e2d4a1f0
aarch64    shim-keys     shim-helpers-arm64-signed           1+16.1+2~deb13u1              0563a90af1f9990a592a79f52845747daff51c1d345769adc07830d2547da325
aarch64    grub-efi      grub-efi-arm64-signed               1+2.12+9+deb13u4              8fc70747c9f9728e1aca1aa455e4740f36251158493b3fe675dc9fc7462c0d62
all        pci-names     pci.ids                             0.0~2025.06.09-1              132bc7520473e53939e277cbf4512261b8d73ae244d77c277f674ecaf174598c
firmware   bnx2          firmware-bnx2                       20250410-2                    58a34a89a3eebeecf5dbf284865ef450b5ea505ec09fa7cad3719a97af908a7c
firmware   bnx2x         firmware-bnx2x                      20250410-2                    eb094dafeda978b80e082a78c4ed083a92032c153959a1c050a0ec15c269225c
firmware   cavium        firmware-cavium                     20250410-2                    6686dc8a98283c4b854f8a021da0184cd1d032f2f4726720edd2506652d38df2
firmware   intel-misc    firmware-intel-misc                 20250410-2                    90c04a9fc6443f834290b8c3e51d12a95ece465e83aabe4cd32343be7aee768f
firmware   misc-nonfree  firmware-misc-nonfree               20250410-2                    351924ccf5fe3ec5c3e68ae1b283baf6b1674cedca07b0ebf0014c74faba43df
firmware   netronome     firmware-netronome                  20250410-2                    56e5e205651ab66437aa312c307d512f57886809ea497cd07727b03ab4e46b37
firmware   qlogic        firmware-qlogic                     20250410-2                    ee0bfd4c92db5ccdbb72fceda6603fb54b256c4351ddd6fb044bef16e6866dce
firmware   realtek       firmware-realtek                    20250410-2                    925755a9b0891c7dc39bbb73d28ab8f7193d37303b5022e8bc9d458b9b4aaa4e
'
# Parts of the kernel package that neither the image nor a test wants: a third of its 500 MB.
kernel_left_out=(--exclude='./boot/System.map*' --exclude='./usr/lib/linux-image-*' --exclude='*/kernel/sound' --exclude='*/drivers/gpu'
    --exclude='*/drivers/media' --exclude='*/drivers/net/wireless')

# prepare_boot_packages FOLDER: makes FOLDER/NAME a link to each unpacked package that boot_images have. Sets boot_names, and
# boot_keys, a text that changes when any of them does.
prepare_boot_packages() {
    local images name package version sha256 unpacked
    boot_keys='' boot_names=''
    mkdir -p "$1" "$cache/boot" "$cache/distfiles" build/log
    while read -r images name package version sha256; do
        [[ " $boot_images " == *" $images "* ]] || continue
        fetch_package "$name" "$package" "$version" "$sha256"
        unpacked=$cache/boot/$(basename "$archive" .deb)
        [ -d "$unpacked" ] || logged "unpacking $(basename "$unpacked")" "build/log/unpack-$name.log" \
            unpack_package "$name" "$archive" "$unpacked"
        ln -sfn "$unpacked" "$1/$name"
        boot_keys+=" $(basename "$unpacked")" boot_names+=" $name"
    done < <(grep . <<<"$boot_packages")
}

# fetch_package NAME PACKAGE VERSION SHA256: sets archive to the path of the verified package.
fetch_package() {
    local name=$1 package=$2 version=$3 sha256=$4
    [[ $sha256 =~ ^[0-9a-f]{64}$ ]] || die "$package: no SHA-256 is pinned for it in boot/packages.sh: refused"
    if [ -n "$distfiles" ]; then
        find_archive "$distfiles" "$package" "$version" ||
            die "$distfiles has no ${package}_${version}_*.deb: put it there, or unset CUPEL_DISTFILES"
        matches "$archive" "$sha256" || die "$archive: its SHA-256 is not the pinned one ($sha256): refused"
        return
    fi
    if find_archive "$cache/distfiles" "$package" "$version" && matches "$archive" "$sha256"; then
        return
    fi
    if begin_download && try_download "$name" "$package=$version"; then
        matches "$archive" "$sha256" || die "$package $version: its SHA-256 is not the pinned one ($sha256): refused"
    else
        fetch_successor "$name" "$package" "$version"
    fi
}

# find_archive FOLDER PACKAGE VERSION: sets archive.
find_archive() {
    archive=$(find "$1" -maxdepth 1 \( -name "$2_$3_$debian.deb" -o -name "$2_$3_all.deb" \) -print -quit)
    [ -n "$archive" ]
}

# fetch_successor NAME PACKAGE VERSION: the version that the mirror has now. A kernel's package has another name then.
fetch_successor() {
    local package=$2 record
    [ "$1" != kernel ] ||
        package=$(record_of "linux-image-$debian" | sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p')
    record=$(record_of "${package:-none}")
    if ! find_archive "$cache/distfiles" "$package" "$(sed -n 's/^Version: //p' <<<"$record")" ||
        ! matches "$archive" "$(sed -n 's/^SHA256: //p' <<<"$record")"; then
        try_download "$1" "$package" || unavailable "$2 $3 cannot be fetched, nor what follows it:" \
            "give a folder that has it in CUPEL_DISTFILES"
    fi
    say "$2 $3 has gone from the mirror: $(basename "$archive" .deb) is taken, by Debian's signature"
}

# What the package lists say of the newest version.
record_of() {
    "${apt[@]/%apt-get/apt-cache}" show --no-all-versions "$1" 2>/dev/null || true
}

unavailable() {
    say "build.sh: $*"
    exit 77
}

# Sets apt, the command, with sources and package lists of our own: the release that the pins are of, for the machine that the
# image is for, at the mirrors that this machine uses for its own. Debian's keys are the machine's.
begin_download() {
    local folder=$scratch/apt-boot
    have apt-get || unavailable "no apt-get here: give a folder with the packages of boot/packages.sh in CUPEL_DISTFILES"
    apt=(apt-get -q -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder" -o Dir::State::status=/dev/null
        -o "Dir::Etc::SourceList=$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "APT::Architecture=$debian" -o "APT::Architectures=$debian" -o Acquire::Retries=3
        -o Acquire::Languages=none -o APT::Get::AllowUnauthenticated=false)
    if [ ! -d "$folder" ]; then
        mkdir -p "$folder"/{lists,archives}/partial "$folder/download"
        package_sources >"$folder/sources.list"
        [ "$(id -u)" -ne 0 ] || chown -R _apt "$folder"
        "${apt[@]}" update >build/log/apt-boot.log 2>&1 </dev/null || {
            tail -n 5 build/log/apt-boot.log >&2
            unavailable 'the package lists cannot be fetched'
        }
    fi
}

package_sources() {
    local mirror signed='deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]' components=main
    [[ $boot_images != *firmware* ]] || components+=' non-free-firmware'
    for mirror in $(debian_mirrors "") ${CUPEL_MIRROR:-}; do
        echo "$signed $mirror $boot_release $components"
    done
    for mirror in $(debian_mirrors -security); do
        echo "$signed $mirror $boot_release-security $components"
    done
}

# try_download NAME PACKAGE[=VERSION]: sets archive to a file in the cache.
try_download() {
    local folder=$scratch/apt-boot/download file
    rm -f "$folder"/*.deb
    (cd "$folder" && "${apt[@]}" download "$2") >"build/log/fetch-$1.log" 2>&1 </dev/null || return 1
    file=$(find "$folder" -name '*.deb' -print -quit)
    [ -n "$file" ] || return 1
    archive=$cache/distfiles/$(basename "$file")
    cp "$file" "$archive.$$"
    mv "$archive.$$" "$archive"
    say "fetched $(basename "$archive")"
}

# unpack_package NAME ARCHIVE DESTINATION
unpack_package() {
    local leave=()
    [ "$1" != kernel ] || leave=("${kernel_left_out[@]}")
    mkdir -p "$3.$$"
    dpkg-deb --fsys-tarfile "$2" | tar -x -C "$3.$$" --no-same-owner "${leave[@]}" || return 1
    if [ "$1" = kernel ]; then
        # Its folders are merged and its modules compressed, each with its signature inside: as all who read them know them.
        [ -e "$3.$$/lib" ] || ln -s usr/lib "$3.$$/lib"
        find "$3.$$/lib/" -name '*.ko.xz' -print0 | xargs -0r -n 64 -P "$jobs" xz -d || return 1
        depmod -b "$3.$$" "$(basename "$3.$$"/lib/modules/*)" || return 1
    fi
    mv -T "$3.$$" "$3"
}
