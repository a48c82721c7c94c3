#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# build.sh refuses sources that it should not trust, before anything is unpacked: a tarball that was tampered with, one
# that is missing, and a pin without a checksum. In a scratch copy, with an empty cache and no network.
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

sed 's/^\(liburing .*trixie *\)[0-9a-f]*$/\1/' build.sh >"$tree/project/build.sh"
refuses 'no SHA-256 is pinned for it'

said=$("$tree/project/build.sh" nonsense 2>&1) && fail 'an unknown command was accepted'
[[ $said == 'build.sh: nonsense is not a command; ./build.sh help lists them' ]] || fail "$said"

said=$(CC=/bin/false "$tree/project/build.sh" 2>&1 </dev/null) && fail 'a compiler that is none was accepted'
[[ $said == 'build.sh: CC=/bin/false is not a C compiler for musl'* ]] || fail "$said"
