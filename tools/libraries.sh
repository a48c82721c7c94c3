# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries of tools/libraries: each is built once per compiler and kept in the cache.

libraries=$(grep -v '^#' tools/libraries)
# The checksum of uPlot's file at npm, where its maker publishes it: settle_uplot.
uplot_npm_sha256=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
archives=(lm-sensors/lib/libsensors.a pciutils/lib/libpci.a liburing/lib/liburing.a gsl/lib/libgsl.a zlib/lib/libz.a tinyssh/lib/libtinyssh.a)

# C code does not unwind the stack at run time, and the tables for it are a tenth of the binary. Debuggers use .debug_frame.
no_unwinding='-fno-unwind-tables -fno-asynchronous-unwind-tables'
library_flags="-O2 $no_unwinding -ffunction-sections -fdata-sections"

# built_library NAME VERSION SHA256: prints the folder in the cache for the library built from that file. The folder's name
# contains the key.
built_library() {
    local key
    key=$(printf '%s\n' "$3" "$compiler" "$library_flags" "$(declare -f build_library "recipe_$1")" | sha256sum)
    echo "$cache/lib/$1-$2-${key:0:16}"
}

# settle_uplot: no stable release of Debian has uPlot, so Debian's mirrors delete its file when the next version appears. When
# that has happened, this replaces uPlot's row in tools/libraries by one for npm's file, in this build and in later ones.
settle_uplot() {
    local row name number file sha256 folder=${distfiles:-$cache/distfiles} by_npm
    row=$(grep '^node-uplot ' <<<"$libraries") || return 0 # this variant makes no HTML pages
    read -r name number file sha256 <<<"$row"
    by_npm=uplot-$number.tgz
    if [ -d "$(built_library "$name" "$number" "$sha256")" ] || [ -f "$folder/$file" ]; then
        return 0
    fi
    if [ ! -f "$folder/$by_npm" ]; then
        [ -z "$distfiles" ] && have npm || return 0
        ! (fetch "$name" "$number" "$file" "$sha256") || return 0
        logged "fetching uPlot $number by npm" build/log/fetch-npm.log \
            npm pack --silent --pack-destination "$folder" "uplot@$number"
    fi
    libraries=${libraries/"$row"/"$name $number $by_npm $uplot_npm_sha256"}
}

# prepare_libraries FOLDER: makes FOLDER/lib/NAME a link to each built library. Libraries that the cache does not have for
# this source, recipe and compiler are built. Sets library_keys, a text that changes when any of the three changes.
prepare_libraries() {
    local name number file sha256 compiler built
    compiler=$("${cc[@]}" -v 2>&1 | tail -n 1)$("${cc[@]}" -dumpmachine)$(basename "${cc[0]}")
    library_keys=
    settle_uplot
    mkdir -p "$1/lib"
    while read -r name number file sha256; do
        built=$(built_library "$name" "$number" "$sha256")
        library_keys+=" ${built##*-}"
        if [ ! -d "$built" ]; then
            fetch "$name" "$number" "$file" "$sha256"
            build_library "$name" "$number" "$built"
        fi
        ln -sfn "$built" "$1/lib/$name"
    done < <(grep . <<<"$libraries")
}

# build_library NAME VERSION DESTINATION: unpacks the source and builds it in another folder, so that DESTINATION is complete
# or absent.
build_library() {
    local name=$1 destination=$3 work=$scratch/$1 headers=()
    mkdir -p "$work"/{source,out/lib,out/include} "$cache/lib"
    [ -z "$kernel_headers" ] || headers=(-isystem "$root/$kernel_headers")
    {
        echo '#!/bin/sh'
        printf 'exec'
        # shellcheck disable=SC2086 # the flags are words
        printf ' %q' "${cc[@]}" "${headers[@]}" $library_flags
        # The name of this temporary folder must not get into the binary through __FILE__, which messages contain.
        printf ' -ffile-prefix-map=%q=. "$@"\n' "$work"
    } >"$work/cc"
    chmod +x "$work/cc"
    unpack "$source" "$work/source" || die "$source cannot be unpacked"
    logged "building $name $2" "build/log/$name.log" run_recipe "$name" "$work"
    cp -R "$work/out" "$destination.$$"
    # When another build finished first, its result is kept: both are the same.
    mv -T "$destination.$$" "$destination" 2>/dev/null || rm -rf "$destination.$$"
}

# unpack FILE FOLDER: unpacks a tarball, or a Debian package, which is an archive of tarballs.
unpack() {
    case $1 in
    *.deb) ar p "$1" data.tar.xz | tar -xJ -C "$2" --no-same-owner ;;
    *) tar -xf "$1" -C "$2" --strip-components=1 ;;
    esac
}

# Runs in a new shell: in this shell, a caller's `if` would switch off `set -e`.
run_recipe() {
    CC=$2/cc OUT=$2/out TARGET=$machine-linux jobs=$jobs bash -euo pipefail -c \
        "$(declare -f "recipe_$1"); export CC OUT; cd '$2/source'; recipe_$1"
}
