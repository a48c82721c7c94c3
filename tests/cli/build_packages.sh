#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which packages ./build.sh image accepts: pinned ones by their SHA-256; if the mirror has other versions, those that apt
# verifies; from a folder only pinned ones. The test replaces apt by a script whose mirror is a folder.
set -euo pipefail

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{mirror,bin,distfiles,project/boot}
cp boot/packages.sh "$tree/project/boot/"
cp -R tools "$tree/project/"
sed '/^command=/,$d' build.sh >"$tree/project/build.sh" # the functions alone

# The fake mirror has files NAME_VERSION_amd64.deb. Its file `kernel` names the kernel that linux-image-amd64 depends on.
cat >"$tree/bin/apt-get" <<'EOT'
#!/usr/bin/env bash
mirror=${0%/bin/*}/mirror
case " $* " in
*' --print-uris '*)
    for suite in "" -updates -security; do
        echo "'http://mirror/debian$suite/dists/$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")$suite/InRelease' name 0"
    done ;;
*' update '*)
    for word in "$@"; do
        [[ $word != Dir::Etc::SourceList=* ]] || cp "${word#*=}" "$mirror/../sources"
    done
    [ ! -e "$mirror/down" ] ;;
*' download '*)
    package=${*: -1}
    cp "$mirror/${package%%=*}_"$([[ $package = *=* ]] && echo "${package#*=}")*.deb . ;;
esac
EOT
cat >"$tree/bin/apt-cache" <<'EOT'
#!/usr/bin/env bash
mirror=${0%/bin/*}/mirror
case ${*: -1} in
linux-image-amd64) echo "Depends: $(cat "$mirror/kernel"), other" ;;
*)
    for file in "$mirror/${*: -1}_"*.deb; do
        version=${file#"$mirror/${*: -1}_"}
        printf 'Version: %s\nSHA256: %s\n' "${version%_*}" "$(sha256sum <"$file" | cut -d ' ' -f 1)"
    done ;;
esac
EOT
chmod +x "$tree/bin"/*

fail() {
    echo "$*" >&2
    exit 1
}

# fetched NAME PACKAGE VERSION SHA256: calls fetch_package; leaves its output and the file it takes in said, its status in
# status.
fetched() {
    status=0
    # shellcheck disable=SC2016 # the inner shell's
    said=$(cd "$tree/project" && PATH=$tree/bin:$PATH CUPEL_CACHE=$tree/cache CUPEL_DISTFILES=${folder:-} bash -c '
        . ./build.sh
        . boot/packages.sh
        mkdir -p build/log "$cache/distfiles"
        begin_scratch
        debian=amd64 boot_images="x86_64 all firmware"
        fetch_package "$@"
        echo "took $(basename "$archive")"' build.sh "$@" 2>&1) || status=$?
}

# expect STATUS WORDS: the last call had this status and printed these words.
expect() {
    [ "$status" -eq "$1" ] || fail "status $status instead of $1: $said"
    [[ $said == *"$2"* ]] || fail "expected \"$2\", got: $said"
}

echo 'kernel one' >"$tree/mirror/linux-image-1_1.0-1_amd64.deb"
echo linux-image-1 >"$tree/mirror/kernel"
sum=$(sha256sum <"$tree/mirror/linux-image-1_1.0-1_amd64.deb" | cut -d ' ' -f 1)
wrong=${sum//[0-7]/8}

fetched kernel linux-image-1 1.0-1 ''
expect 1 'no SHA-256 is pinned for it'
fetched kernel linux-image-1 1.0-1 "$wrong"
expect 1 'its SHA-256 is not the pinned one'
fetched kernel linux-image-1 1.0-1 "$sum"
expect 0 'took linux-image-1_1.0-1_amd64.deb'
[[ $said != *gone* ]] || fail "$said"
# apt is asked for the pins' release at the machine's own mirrors. Each package is verified by its signature.
sed 's/.*\] //' "$tree/sources" >"$tree/lines"
diff - "$tree/lines" <<'EOT' || fail 'apt is asked with other sources'
http://mirror/debian trixie main non-free-firmware
http://mirror/debian-security trixie-security main non-free-firmware
EOT
! grep -v '^deb \[signed-by=/' "$tree/sources" || fail 'a source whose signature is not looked at'
touch "$tree/mirror/down" # the package now comes from the cache; a changed file there is fetched again
fetched kernel linux-image-1 1.0-1 "$sum"
expect 0 'took linux-image-1_1.0-1_amd64.deb'
echo changed >"$tree/cache/distfiles/linux-image-1_1.0-1_amd64.deb"
fetched kernel linux-image-1 1.0-1 "$sum"
expect 77 'package lists cannot be fetched'
rm "$tree/mirror/down"
fetched kernel linux-image-1 1.0-1 "$sum"
expect 0 'fetched linux-image-1_1.0-1_amd64.deb'

# The mirror no longer has the pinned versions.
rm -r "$tree/cache" "$tree/mirror"/*.deb
echo 'kernel two' >"$tree/mirror/linux-image-2_2.0-1_amd64.deb"
echo linux-image-2 >"$tree/mirror/kernel"
echo 'shim two' >"$tree/mirror/shim-signed_2_amd64.deb"
fetched kernel linux-image-1 1.0-1 "$sum"
expect 0 'linux-image-1 1.0-1 has gone from the mirror: linux-image-2_2.0-1_amd64 is taken'
fetched shim shim-signed 1 "$sum"
expect 0 'shim-signed 1 has gone from the mirror: shim-signed_2_amd64 is taken'
fetched shim shim-signed 1 "$sum" # a second call does not fetch it again
[[ $said != *'fetched '* ]] || fail "$said"
rm "$tree/mirror"/*
fetched pci-names pci.ids 1 "$sum"
expect 77 'cannot be fetched, nor what follows it'

# From a folder only the pinned version is accepted.
folder=$tree/distfiles
fetched shim shim-signed 1 "$sum"
expect 1 'put it there, or unset CUPEL_DISTFILES'
echo 'shim one' >"$folder/shim-signed_1_amd64.deb"
fetched shim shim-signed 1 "$sum"
expect 1 'its SHA-256 is not the pinned one'
echo 'shim one of another machine' >"$folder/shim-signed_1_arm64.deb"
fetched shim shim-signed 1 "$(sha256sum <"$folder/shim-signed_1_amd64.deb" | cut -d ' ' -f 1)"
expect 0 'took shim-signed_1_amd64.deb'

# wanted WORDS: prints the drivers of an image with boot_images=WORDS.
wanted() {
    # shellcheck disable=SC2034 # wanted_modules reads it
    (boot_images=$1 && . boot/initrd.sh && wanted_modules | tr -s ' ' '\n')
}
for name in nvme vmd; do
    wanted 'all x86_64' | grep -qx $name || fail "no $name for x86-64"
done
for name in nvme hns3 qla2xxx; do
    wanted 'all firmware aarch64' | grep -qx $name || fail "no $name for aarch64 with firmware"
done
for name in vmd qla2xxx x86_64: softdep; do
    ! wanted 'all aarch64' | grep -qx $name || fail "$name for aarch64 without firmware"
done
