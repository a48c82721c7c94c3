#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh refuses sources that it should not trust, before anything is unpacked: a tarball that was tampered with, one
# that is missing, and a pin without a checksum. In a scratch copy, with an empty cache and no network. Where it fetches
# them from: the mirrors of apt's setup, which are folders here, and last the one that keeps everything.
set -euo pipefail

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir "$tree"/{project,distfiles}
cp build.sh "$tree/project/"
tarball=$(sed -n 's/^liburing  *[^ ]* *\([^ ]*\).*/\1/p' build.sh)
[ -n "$tarball" ]

fail() {
    echo "$*" >&2
    exit 1
}

# refuses WORDS: the build must fail with one line that says WORDS.
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
refuses 'its SHA-256 is not the one pinned in build.sh'

sed 's/^\(liburing .*gz  *\)[0-9a-f]*$/\1/' build.sh >"$tree/project/build.sh"
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

# fetched NAME: what fetch says; its status in status.
fetched() {
    status=0
    # shellcheck disable=SC2016 # the inner shell's
    said=$(cd "$tree/project" && PATH=$tree/bin:$PATH CUPEL_CACHE=$tree/cache CUPEL_DISTFILES='' CUPEL_MIRROR=file:$tree/all bash -c '
        . ./build.sh
        fetch "$1" 1.0 some+one.tar "$2"
        cat "$source"' build.sh "$1" "$sum" 2>&1) || status=$?
}

# provide MIRROR PLACE TEXT
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
