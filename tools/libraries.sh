# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries of tools/libraries: each is built once for a compiler, and kept in the cache.

libraries=$(grep -v '^#' tools/libraries)
# uPlot as its maker publishes it by npm: settle_uplot.
uplot_npm_sha256=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
archives=(lm-sensors/lib/libsensors.a pciutils/lib/libpci.a liburing/lib/liburing.a gsl/lib/libgsl.a zlib/lib/libz.a tinyssh/lib/libtinyssh.a)

# Nothing in C unwinds the stack at run time: the tables for it are a tenth of the binary. Debuggers have their own.
no_unwinding='-fno-unwind-tables -fno-asynchronous-unwind-tables'
library_flags="-O2 $no_unwinding -ffunction-sections -fdata-sections"

# built_library NAME VERSION SHA256: the folder in the cache, whose name has the key, of what is built of that file.
built_library() {
    local key
    key=$(printf '%s\n' "$3" "$compiler" "$library_flags" "$(declare -f build_library "recipe_$1")" | sha256sum)
    echo "$cache/lib/$1-$2-${key:0:16}"
}

# settle_uplot: no stable release of Debian has it, so that mirrors lose its file with the next version. Then its row gives way
# to one of what npm has, in this build and those after it.
settle_uplot() {
    local row name number file sha256 folder=${distfiles:-$cache/distfiles} by_npm
    row=$(grep '^node-uplot ' <<<"$libraries") || return 0 # nothing of this variant draws
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

# prepare_libraries FOLDER: makes FOLDER/lib/NAME a link to each built library. What the cache does not have for this
# source, recipe and compiler is built. Sets library_keys, a text that changes when any of them does.
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

# build_library NAME VERSION DESTINATION: unpacks source and builds it aside, so that DESTINATION is whole or absent.
build_library() {
    local name=$1 destination=$3 work=$scratch/$1 headers=()
    mkdir -p "$work"/{source,out/lib,out/include} "$cache/lib"
    [ -z "$kernel_headers" ] || headers=(-isystem "$root/$kernel_headers")
    {
        echo '#!/bin/sh'
        printf 'exec'
        # shellcheck disable=SC2086 # the flags are words
        printf ' %q' "${cc[@]}" "${headers[@]}" $library_flags
        # A folder of this moment has no place in the binary: __FILE__ is part of messages.
        printf ' -ffile-prefix-map=%q=. "$@"\n' "$work"
    } >"$work/cc"
    chmod +x "$work/cc"
    unpack "$source" "$work/source" || die "$source cannot be unpacked"
    logged "building $name $2" "build/log/$name.log" run_recipe "$name" "$work"
    cp -R "$work/out" "$destination.$$"
    # Another build may have been faster; both made the same.
    mv -T "$destination.$$" "$destination" 2>/dev/null || rm -rf "$destination.$$"
}

# unpack FILE FOLDER: a tarball, or a package, which is an archive of tarballs.
unpack() {
    case $1 in
    *.deb) ar p "$1" data.tar.xz | tar -xJ -C "$2" --no-same-owner ;;
    *) tar -xf "$1" -C "$2" --strip-components=1 ;;
    esac
}

# In a shell of its own: in this one, `if` around it would switch off the stop at the first error.
run_recipe() {
    CC=$2/cc OUT=$2/out TARGET=$machine-linux jobs=$jobs bash -euo pipefail -c \
        "$(declare -f "recipe_$1"); export CC OUT; cd '$2/source'; recipe_$1"
}
