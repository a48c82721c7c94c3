#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh refuses sources that it should not trust, before anything is unpacked: a tarball with changed content, a missing
# tarball, and a pin without a checksum. Also, from where sources are fetched: from the mirrors in apt's setup, which are
# folders here, last from the mirror that keeps old files; uPlot then from npm. Runs in a scratch copy with an empty cache and
# no network.
set -euo pipefail

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree"/{project,distfiles}
cp -R build.sh tools Makefile "$tree/project/"
tarball=$(sed -n 's/^liburing  *[^ ]* *\([^ ]*\).*/\1/p' tools/libraries)
[ -n "$tarball" ]

fail() {
    echo "$*" >&2
    exit 1
}

# refuses WORDS: the build must fail with one line that contains WORDS.
refuses() {
    local said
    if said=$(CUPEL_CACHE=$tree/cache CUPEL_DISTFILES=$tree/distfiles "$tree/project/build.sh" 2>&1 </dev/null); then
        fail "built: $said"
    fi
    [[ $said == build.sh:*"$tarball"*"$1"* ]] || fail "expected \"$1\", got: $said"
    [ "$(wc -l <<<"$said")" -eq 1 ] || fail "more than one line: $said"
    [ -z "$(find "$tree/cache" -name '*.a' 2>/dev/null)" ] || fail 'something was built'
}

refuses 'does not exist: put the source there'

echo 'not the source' | gzip >"$tree/distfiles/$tarball"
refuses 'its SHA-256 is not the one pinned in tools/libraries'

sed 's/^\(liburing .*gz  *\)[0-9a-f]*$/\1/' tools/libraries >"$tree/project/tools/libraries"
refuses 'no SHA-256 is pinned for it'

said=$("$tree/project/build.sh" nonsense 2>&1) && fail 'an unknown command was accepted'
[[ $said == 'build.sh: nonsense is not a command; ./build.sh help lists them' ]] || fail "$said"

said=$(CC=/bin/false "$tree/project/build.sh" 2>&1 </dev/null) && fail 'a compiler that is none was accepted'
[[ $said == 'build.sh: CC=/bin/false is not a C compiler for musl'* ]] || fail "$said"

[ -x /usr/lib/apt/apt-helper ] || exit 0
sed '/^command=/,$d' build.sh >"$tree/project/build.sh" # the functions alone
mkdir "$tree/bin"
cat >"$tree/bin/apt-get" <<EOT
#!/bin/sh
printf "'file:$tree/%s/dists/stable/InRelease' x 0\n" old new
EOT
chmod +x "$tree/bin/apt-get"
sum=$(echo right | sha256sum | cut -d ' ' -f 1)

# fetched NAME: calls fetch; leaves its output in said, its status in status.
fetched() {
    status=0
    # shellcheck disable=SC2016 # the inner shell's
    said=$(cd "$tree/project" && PATH=$tree/bin:$PATH CUPEL_CACHE=$tree/cache CUPEL_DISTFILES='' CUPEL_MIRROR=file:$tree/all bash -c '
        . ./build.sh
        fetch "$1" 1.0 some+one.tar "$2"
        cat "$source"' build.sh "$1" "$sum" 2>&1) || status=$?
}

# provide MIRROR PLACE TEXT: puts a file with this text into the mirror.
provide() {
    mkdir -p "$tree/$1/pool/main/$2"
    echo "$3" >"$tree/$1/pool/main/$2/some+one.tar"
}

fetched libsome
[ $status -eq 1 ] || fail "fetched from nowhere: $said"
[[ $said == *'has some+one.tar: '*'a folder that has the file in CUPEL_DISTFILES'* ]] || fail "$said"
provide old libs/libsome wrong
provide new libs/libsome right
fetched libsome
[[ $status -eq 0 && $said == 'fetching libsome'*right ]] || fail "status $status: $said"
rm -r "$tree"/{old,new}
fetched libsome
[ "$said" = right ] || fail "not from the cache: $said"
rm -r "$tree/cache"
provide all s/some right
fetched some
[[ $status -eq 0 && $said == *right ]] || fail "not from the last mirror: $said"

# uPlot, whose file mirrors delete, is fetched by npm, once.
mkdir -p "$tree/cache/distfiles" "$tree/package/dist"
echo 'whose uPlot' >"$tree/package/LICENSE"
echo drawing >"$tree/package/dist/uPlot.iife.min.js"
echo looks >"$tree/package/dist/uPlot.min.css"
tar -C "$tree" -czf "$tree/packed.tgz" package
cat >"$tree/bin/npm" <<EOT
#!/bin/sh
echo "\$@" >>"$tree/asked"
cp "$tree/packed.tgz" "$tree/cache/distfiles/uplot-\${5#uplot@}.tgz"
EOT
chmod +x "$tree/bin/npm"
sum=$(sha256sum <"$tree/packed.tgz" | cut -d ' ' -f 1)

# prepared SHA256: calls settle_uplot with this checksum for npm's file; leaves its output in said, its status in status.
prepared() {
    status=0
    # shellcheck disable=SC2016 # the inner shell's
    said=$(cd "$tree/project" && PATH=$tree/bin:$PATH CUPEL_CACHE=$tree/cache CUPEL_DISTFILES='' CUPEL_MIRROR='' bash -c '
        . ./build.sh
        libraries=$(grep "^node-uplot " <<<"$libraries") uplot_npm_sha256=$1 cc=(true) kernel_headers=
        begin_scratch
        prepare_libraries build
        read -r name number file sum <<<"$libraries"
        place_of "$name" "$file"
        cat build/lib/node-uplot/uplot.*' build.sh "$1" 2>&1) || status=$?
}

prepared "${sum//[0-9]/0}"
[[ $status -eq 1 && $said != *drawing* ]] || fail "npm's file is not checked: $said"
rm "$tree/cache/distfiles"/*
prepared "$sum"
[[ $status -eq 0 && $said == *'npm:uplot@'*looks*'whose uPlot'*drawing ]] || fail "not from npm: status $status: $said"
prepared "$sum"
[[ $status -eq 0 && $said == 'npm:uplot@'*drawing ]] || fail "not from the cache: status $status: $said"
[ "$(grep -c '^pack ' "$tree/asked")" -eq 2 ] || fail "npm was asked again: $(cat "$tree/asked")"
