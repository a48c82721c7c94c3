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
# name      package                     version                            SHA-256 of the package
# shellcheck disable=SC2034 # read below
boot_packages='
kernel      linux-image-6.1.0-56-amd64  6.1.192-2                          a86e2049672f52354c4536a089203b6c82639420424d31c91cf31a181fd4d8f1
shim        shim-signed                 1.51~1+deb12u1+16.1-2~deb12u1      c2acf5e559664bbadb7ce5789f9a321f39754a34854d3097b8cc0369df513b3b
shim-keys   shim-helpers-amd64-signed   1+16.1+2~deb12u1                   26acac35133946c1642a09f3fda353ee3b849e5fc643fadb97a8dfec9e2b55fb
grub-efi    grub-efi-amd64-signed       1+2.06+13+deb12u2                  fbe2b28166a6dca8111bbf6a30d52d4781973c3a0440d8080f901e039b1f83f2
grub-bios   grub-pc-bin                 2.06-13+deb12u2                    db6aced5a89f02e10e150140b4df9621196f311c26203baf8558b4c6808e1298
pci-names   pci.ids                     0.0~2023.04.11-1                   eac5f889128f3f53100be7f16f9a7dd5aade7499fa9571f53a6c1cfa0bf4565d
'
# Parts of the kernel package that neither the image nor a test wants: a third of its 400 MB.
kernel_left_out=(--exclude='./boot/System.map*' --exclude='*/kernel/sound' --exclude='*/drivers/gpu'
    --exclude='*/drivers/media' --exclude='*/drivers/net/wireless')

# prepare_boot_packages FOLDER: makes FOLDER/NAME a link to each unpacked package. Sets boot_keys, a text that changes
# when any of them does.
prepare_boot_packages() {
    local name package version sha256 unpacked
    boot_keys=
    mkdir -p "$1" "$cache/boot" "$cache/distfiles" build/log
    while read -r name package version sha256; do
        fetch_package "$name" "$package" "$version" "$sha256"
        unpacked=$cache/boot/$(basename "$archive" .deb)
        [ -d "$unpacked" ] || logged "unpacking $(basename "$unpacked")" "build/log/unpack-$name.log" \
            unpack_package "$name" "$archive" "$unpacked"
        ln -sfn "$unpacked" "$1/$name"
        boot_keys+=" $(basename "$unpacked")"
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

# find_archive FOLDER PACKAGE VERSION: sets archive; the rest of the file's name is the architecture.
find_archive() {
    archive=$(find "$1" -maxdepth 1 -name "$2_$3_*.deb" -print -quit)
    [ -n "$archive" ]
}

# fetch_successor NAME PACKAGE VERSION: the version that the mirror has now. A kernel's package has another name then.
fetch_successor() {
    local package=$2 record
    [ "$1" != kernel ] ||
        package=$(record_of linux-image-amd64 | sed -n 's/^Depends: \(linux-image-[^ ,]*\).*/\1/p')
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

# Sets apt, the command, with package lists of our own: the machine's may be absent or old, and need root to renew. The
# sources and keys are the machine's.
begin_download() {
    local folder=$scratch/apt-boot
    have apt-get || unavailable "no apt-get here: give a folder with the packages of boot/packages.sh in CUPEL_DISTFILES"
    apt=(apt-get -q -o "Dir::State::lists=$folder/lists" -o "Dir::Cache=$folder" -o Acquire::Retries=3
        -o Acquire::Languages=none -o APT::Get::AllowUnauthenticated=false)
    if [ ! -d "$folder" ]; then
        mkdir -p "$folder"/{lists,archives}/partial "$folder/download"
        [ "$(id -u)" -ne 0 ] || chown -R _apt "$folder"
        "${apt[@]}" update >build/log/apt-boot.log 2>&1 </dev/null || {
            tail -n 5 build/log/apt-boot.log >&2
            unavailable 'the package lists cannot be fetched'
        }
    fi
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
        depmod -b "$3.$$" "$(basename "$3.$$"/lib/modules/*)" || return 1
    fi
    mv -T "$3.$$" "$3"
}
