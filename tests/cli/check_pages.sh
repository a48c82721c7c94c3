#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The check of pages accepts pages whose paths exist, and names each path that does not.
set -euo pipefail

check=$PWD/tests/check/pages.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{src/io/ring,src/stat,docs,boot/stick,tests/unit}
touch "$tree"/src/io/{io.h,ring/ring.c} "$tree"/boot/modules "$tree"/tests/unit/test_io.c "$tree"/build.sh

fail() {
    echo "$*" >&2
    exit 1
}

# shellcheck disable=SC2016 # the pages have backticks
good_tree() {
    printf '%s\n' '# x' '' 'See [io](docs/io.md), [the web](https://example.org/src/none.c), `src/io/io.h`, build/src/x.' '' \
        '```' 'src/io/     I/O: io.h  ring/ (one; two)' 'src/stat/   numbers, and/or words' 'build.sh    build' '```' >"$tree/README.md"
    printf '%s\n' 'In src/io/ring/. Tests: `tests/unit/test_*.c`, [io](../src/io/io.h#top), [above](#x).' >"$tree/docs/io.md"
    printf '%s\n' '[modules](modules) are in [stick](stick)' >"$tree/boot/README.md"
}

# refuses WORDS FILE LINE: with this line in the page, the check must fail and print WORDS.
refuses() {
    local said
    printf '%s\n' "$3" >>"$tree/$2"
    if said=$("$check" "$tree"); then
        fail "accepted in $2: $3"
    fi
    [[ $said == *"$1"* ]] || fail "$2: expected \"$1\", got: $said"
    good_tree
}

good_tree
said=$("$check" "$tree") || fail "pages without a fault were refused: $said"
printf '/* See ring/none.c, linux/fs.h and io.h. */\n' >"$tree/src/io/ring/ring.c"
refuses 'src/io/ring/ring.c:1: the comment mentions ring/none.c, which does not exist' README.md ''
printf '/* See ring/ring.c, linux/fs.h and io.h. */\n' >"$tree/src/io/ring/ring.c"
refuses 'README.md:10: src/io/gone.c does not exist' README.md 'as src/io/gone.c, which'
refuses 'docs/io.md:2: tests/unit/bench_*.c does not exist' docs/io.md 'Benchmarks: tests/unit/bench_*.c'
refuses 'docs/io.md:2: docs/none.md does not exist' docs/io.md 'see [none](none.md)'
refuses 'boot/README.md:2: boot/stuck does not exist' boot/README.md '[stuck](stuck)'
refuses 'README.md:10: src/io/uring/ does not exist' README.md 'src/io/   ring/ uring/'
refuses 'README.md:10: src/io/uring.c does not exist' README.md 'src/io/   (uring.c; ring/)'
mkdir "$tree/src/attic"
refuses 'README.md: its map leaves out src/attic/' README.md ''
rmdir "$tree/src/attic"
