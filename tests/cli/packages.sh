#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What ./build.sh package makes: each package contains the built binary, its pages, completions and licence, with correct
# names, owners and checksums. docker, podman and skopeo can read the container image. The list of components names the pins
# and every archive from which the linker took something.
#
# Slow: it packs several packages.
set -euo pipefail

case $CUPEL in
*/asan/* | */emulated/*)
    echo 'what is packed is the product'
    exit 77
    ;;
esac
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

./build.sh package >"$tree/log" 2>&1 || fail "$(cat "$tree/log")"
cp build/package/* "$tree/"
machine=$(uname -m)
number=$(sed 's/^VERSION := //; s/-/+/g' build/version.mk)
(cd "$tree" && sha256sum --quiet -c SHA256SUMS) || fail 'SHA256SUMS is wrong'
[ "$(wc -l <"$tree/SHA256SUMS")" -eq "$(find "$tree" -name 'cupel*' | wc -l)" ] || fail 'SHA256SUMS does not have all'

# holds FOLDER ZSH: checks what every package has below its usr.
holds() {
    local name
    cmp "$CUPEL" "$1/bin/cupel" || fail "$1: not the binary that was built"
    for name in man/man1/cupel.1 man/man1/cupel-run.1; do
        [ -s "$1/share/$name" ] || gzip -t "$1/share/$name.gz" || fail "$1: no $name"
    done
    for name in bash-completion/completions/cupel fish/vendor_completions.d/cupel.fish "$2/_cupel" \
        doc/cupel/{README.md,CHANGELOG.md,cupel.spdx.json,docs/limits.md,docs/schema/cupel-1.json}; do
        [ -s "$1/share/$name" ] || fail "$1: no $name"
    done
    cmp "$1/share/doc/cupel/cupel.spdx.json" "$tree/cupel-$number-linux-$machine.spdx.json"
}

# ---- the archive

tar -tvzf "$tree/cupel-$number-linux-$machine.tar.gz" >"$tree/listing"
awk '$2 != "0/0" { exit 1 }' "$tree/listing" || fail 'the archive has the name of who built it'
tar -C "$tree" -xzf "$tree/cupel-$number-linux-$machine.tar.gz"
holds "$tree/cupel-$number-linux-$machine" zsh/site-functions
cmp LICENSE "$tree/cupel-$number-linux-$machine/LICENSE"

# ---- .deb and .rpm

if command -v dpkg-deb >/dev/null; then
    deb=$(echo "$tree"/cupel_*.deb)
    dpkg-deb -x "$deb" "$tree/deb"
    dpkg-deb -e "$deb" "$tree/deb/DEBIAN"
    holds "$tree/deb/usr" zsh/vendor-completions
    [ -s "$tree/deb/usr/share/doc/cupel/copyright" ] || fail 'the .deb has no copyright'
    (cd "$tree/deb" && md5sum --quiet -c DEBIAN/md5sums) || fail 'the md5sums of the .deb are wrong'
    [ "$(dpkg-deb -f "$deb" Version)" = "$number" ] || fail "the .deb has version $(dpkg-deb -f "$deb" Version)"
    [ "$(dpkg-deb -f "$deb" Architecture)" = "$(dpkg --print-architecture)" ] || fail 'the .deb is of another architecture'
    size=$(dpkg-deb -f "$deb" Installed-Size)
    { [ "$size" -gt 2000 ] && [ "$size" -lt 4000 ]; } || fail "the .deb says it has $size KiB"
    [ -z "$(dpkg-deb -f "$deb" Depends)" ] || fail 'the .deb depends on something'
    [ "$(find "$tree/deb/DEBIAN" -type f -printf '%f\n' | sort | tr '\n' ' ')" = 'control md5sums ' ] || fail 'the .deb has scripts'
    dpkg-deb -c "$deb" | awk '$2 != "root/root" { exit 1 }' || fail 'the .deb has files of others than root'
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error "$deb" || fail 'lintian finds errors'
    fi
fi
if command -v rpmbuild >/dev/null && command -v rpm2cpio >/dev/null && command -v cpio >/dev/null; then
    rpm=$(echo "$tree"/cupel-*.rpm)
    mkdir "$tree/rpm"
    (cd "$tree/rpm" && rpm2cpio "$rpm" | cpio -id --quiet)
    holds "$tree/rpm/usr" zsh/site-functions
    cmp LICENSE "$tree/rpm/usr/share/doc/cupel/LICENSE"
    [ "$(rpm -qp --qf '%{VERSION} %{ARCH} %{LICENSE}' "$rpm")" = "$number $machine GPL-3.0-or-later" ] || fail 'the .rpm says what it is not'
    [ -z "$(rpm -qp --scripts "$rpm")" ] || fail 'the .rpm has scripts'
    ! rpm -qp --requires "$rpm" | grep -v '^rpmlib(' || fail 'the .rpm depends on something'
fi

# ---- the container image

# Prints the path of the blob whose digest follows the pattern in the file.
blob() {
    echo "$tree/image/blobs/sha256/$(tr -d '\n' <"$tree/image/$1" | sed "s/.*$2sha256[:/]\([0-9a-f]*\)\".*/\1/")"
}
mkdir "$tree/image" "$tree/layer"
image=$tree/cupel-$number-container-$machine.tar
tar -C "$tree/image" -xf "$image"
for file in "$tree"/image/blobs/sha256/*; do
    [ "$(sha256sum <"$file" | cut -d ' ' -f 1)" = "${file##*/}" ] || fail "$file has another sum than its name"
done
manifest=$(blob index.json '"digest":"')
layer=$(blob "blobs/sha256/${manifest##*/}" '"layers":.*"digest":"')
[ "$layer" = "$(blob manifest.json '"Layers":\["blobs\/')" ] || fail 'the two manifests have different layers'
config=$(blob manifest.json '"Config":"blobs\/')
grep -q "\"digest\":\"sha256:${config##*/}\",\"size\":$(stat -c %s "$config")" "$manifest" || fail 'the manifests differ in the configuration'
grep -q "\"diff_ids\":\[\"sha256:${layer##*/}\"\]" "$config" || fail 'the configuration has another layer'
[ "$(tar -tf "$layer" | grep -v '/$')" = usr/bin/cupel ] || fail 'the image has other files'
tar -C "$tree/layer" -xf "$layer"
cmp "$CUPEL" "$tree/layer/usr/bin/cupel"
entry=$(sed -n 's/.*"Entrypoint":\["\([^"]*\)"\].*/\1/p' "$config")
[ -x "$tree/layer$entry" ] || fail "the image starts $entry, which is not in it"
if command -v skopeo >/dev/null; then
    for form in oci-archive docker-archive; do
        cp "$image" "$tree/image.tar" # a reference to an image may not contain a plus sign
        skopeo inspect "$form:$tree/image.tar" >"$tree/inspected" || fail "skopeo does not read it as $form"
        grep -q "${layer##*/}" "$tree/inspected" || fail "skopeo sees another layer as $form"
    done
fi
for program in podman docker; do
    if $program info >/dev/null 2>&1; then
        reference=$($program load -i "$image" | sed -n 's/^Loaded image: //p')
        $program run --rm "$reference" --version | grep -q "^$("$CUPEL" --version | head -n 1)" || fail "$program does not run the image"
        $program rmi "$reference" >/dev/null
    fi
done

# ---- the list of components, compared with the linker's map and the pins

list=$tree/cupel-$number-linux-$machine.spdx.json
if command -v python3 >/dev/null; then
    python3 - "$list" <<'END' || fail 'the list is no SPDX document'
import json, sys
document = json.load(open(sys.argv[1]))
packages = {p["SPDXID"]: p for p in document["packages"]}
assert document["spdxVersion"] == "SPDX-2.3" and len(packages) == len(document["packages"])
for package in packages.values():
    for key in "name", "versionInfo", "downloadLocation", "licenseConcluded", "supplier":
        assert package[key], (package, key)
ends = {r["relatedSpdxElement"] for r in document["relationships"]} | {r["spdxElementId"] for r in document["relationships"]}
assert ends == set(packages) | {"SPDXRef-DOCUMENT"}, ends
END
fi
grep -v '^#' tools/libraries | while read -r name version _ sha256; do
    [ -n "$sha256" ] || continue
    ! compgen -G "build/lib/$name/lib/*.a" >/dev/null || grep -q "^build/lib/$name/lib/.*(" build/cupel.map || continue
    tr -d '\n' <"$list" | grep -q "\"name\": \"$name\",  *\"versionInfo\": \"$version\".\{1,500\}\"checksumValue\": \"$sha256\"" ||
        fail "the list does not have $name $version by its sum"
done
archives=0
while read -r archive; do
    case $archive in
    build/parts.a) name=cupel ;;
    build/lib/*) name=${archive#build/lib/} name=${name%%/*} ;;
    */libc.a | */libm.a | */libpthread.a) name=musl ;;
    */libgcc.a | */libgcc_eh.a) name=libgcc ;;
    *) fail "something of $archive is linked, which nobody thought of" ;;
    esac
    archives=$((archives + 1))
    grep -q "\"name\": \"$name\"" "$list" || fail "something of $archive is linked, and $name is not in the list"
    [ "$name" = cupel ] || grep -q "\"STATIC_LINK\", \"relatedSpdxElement\": \"SPDXRef-$name\"" "$list" || fail "$name is not listed as linked"
done < <(sed -n '/^Archive member included/,/^Discarded input sections/p' build/cupel.map | sed -n 's/^\([^ ]*\.a\)(.*/\1/p' | sort -u)
[ $archives -ge 6 ] || fail "the linker's map has only $archives archives"
sed -n 's/.*"STATIC_LINK", "relatedSpdxElement": "SPDXRef-\(.*\)".*/\1/p' "$list" | while read -r name; do
    case $name in
    musl | libgcc) ;;
    *) grep -q "^build/lib/$name/lib/.*(" build/cupel.map || fail "$name is in the list, and nothing of it is linked" ;;
    esac
done
