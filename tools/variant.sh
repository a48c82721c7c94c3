# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# A variant of the build: its folder, its flags, and the call of make.

warnings='-Wall -Wextra -Wshadow -Wconversion'

# write_if_changed FILE: writes standard input to the file only if the text differs, so that make sees a new time only then.
write_if_changed() {
    local text
    text=$(cat)
    if [ ! -f "$1" ] || [ "$text" != "$(<"$1")" ]; then
        printf '%s\n' "$text" >"$1"
    fi
}

# Prints the version: that of the last tag, or the number above with the commit. --no-optional-locks: a build must not lock
# the index while the user commits.
version_text() {
    local commit=
    if [ -e .git ] && have git; then
        commit=$(ask_git describe --always --abbrev=10 --match 'v[0-9]*' || true)
        [ -z "$(ask_git --no-optional-locks status --porcelain -uno)" ] || commit+=-dirty
    fi
    case $commit in
    '' | -dirty) echo "$version" ;;
    v*) echo "${commit#v}" ;;
    *) echo "$version-g$commit" ;;
    esac
}

# safe.directory: the tree may belong to another user, as when root installs.
ask_git() {
    git -c "safe.directory=$root" "$@" 2>/dev/null
}

# Prints the version of the variant's binary.
built_version() {
    sed 's/^VERSION := //' "$out/version.mk"
}

# Dates in built files are the commit's.
set_source_date() {
    local time
    time=$([ ! -e .git ] || ask_git log -1 --format=%ct || true)
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-${time:-$(stat -c %Y build.sh)}}
}

# Makes a folder for unpacking and building, which apt's own user can read.
begin_scratch() {
    scratch=$(mktemp -d)
    chmod 755 "$scratch"
    trap 'rm -rf "$scratch"' EXIT
}

end_scratch() {
    rm -rf "$scratch"
    trap - EXIT
}

# prepare VARIANT: does everything up to make, and sets out, the folder of the variant.
#
#   musl, aarch64  the product, for this machine or for aarch64
#   asan           the same sources by clang, with the host's C library, the address and undefined-behaviour sanitizers, and
#                  libFuzzer's counters in cupel's code and in the libraries
#   host           the library (include/cupel.h) for the host's C library: only the rooms that src/library uses
prepare() {
    # The flags are local to this call: another variant may follow in the same shell.
    local sources='src hw tables' optimize tests='' link strip frames='' library_flags=$library_flags
    need "${tools_build[@]}"
    mkdir -p build
    exec 9>"build/.lock-$1" # variants share no file that changes
    flock 9
    if [ "$1" = asan ]; then
        out=build/asan strip=cp kernel_headers=''
        cc=(clang) no_unwinding=''
        optimize='-O1 -gline-tables-only -fno-omit-frame-pointer -fno-sanitize-recover=all'
        link='-fsanitize=address,undefined,float-cast-overflow'
        tests=-O0 # half the time to compile, and it is not the tests' own code that takes time
        # C2y permits NULL + 0, so the sanitizer does not report it. Tests recognise the sanitizer by gcc's macro.
        optimize+=" $link,fuzzer-no-link -fno-sanitize=pointer-overflow -D__SANITIZE_ADDRESS__=1" library_flags+=' -g -fsanitize=address,fuzzer-no-link'
        link+=' -fuse-ld=lld' # links each of these 400 programs in a third of the time
    elif [ "$1" = host ]; then
        need "${tools_host[@]}"
        out=build/host strip=cp kernel_headers='' link=''
        cc=(gcc) no_unwinding='' optimize='-O2 -fPIC -fno-math-errno' library_flags+=' -fPIC'
        sources='tables hw src/base src/facts src/stat src/io src/source src/run src/library'
        # The library has no maps, which alone need GSL, the slowest library to build. GSL and the rooms for maps are left
        # out.
        sources+=' ( -name gaussian -o -name mars -o -name model -o -name map ) -prune -o'
        libraries=$(grep -v '^gsl \|^node-uplot ' <<<"$libraries") archives=("${archives[@]/gsl*/}")
    else
        out=build strip='objcopy --strip-all' runner=()
        if [ "$1" = aarch64 ]; then
            find_cross_compiler
        else
            find_musl_compiler
        fi
        optimize='-O2 -g -fno-pie -fno-math-errno -Werror' # a fixed address: nothing to relocate at start
        frames=-Wframe-larger-than=40960 # some functions run on a small stack (src/cmd/main.c)
        link='-static -no-pie' library_flags+=' -fno-pie -no-pie'
        # The folder of the sources must not get into the binary.
        [[ $root == *[[:space:]]* ]] || optimize+=" -ffile-prefix-map=$root=."
    fi
    begin_scratch
    prepare_libraries $out
    [ "$1" = host ] || embed_page $out
    end_scratch
    {
        echo "CC := ${cc[*]}"
        echo "STRIP := $strip"
        echo "CFLAGS := -std=c17 $optimize $warnings${no_unwinding:+ $no_unwinding} -ffunction-sections -fdata-sections -pthread"
        echo "CPPFLAGS := -D_GNU_SOURCE -Isrc -I.${kernel_headers:+ -isystem $kernel_headers}" \
            "$(printf -- ' -isystem %s' $out/lib/*/include)"
        echo "LDFLAGS := $link -Wl,--gc-sections -pthread"
        echo "LIBS := $(printf '%s\n' "${archives[@]}" | sed -n "s,.,$out/lib/&,p" | tr '\n' ' ')"
        echo "FRAMES := $frames"
        [ -z "$tests" ] || echo "TESTS := $tests"
        echo "# libraries:$library_keys"
    } | write_if_changed $out/flags.mk
    {
        # shellcheck disable=SC2086 # folders
        echo "SOURCES := $(c_files_of $sources)"
        echo "PROGRAMS := $(c_files_of tests/unit tests/guest tests/bench tests/fuzz)"
        echo "PRELOADS := $(c_files_of tests/bench/preload)"
    } | write_if_changed $out/sources.mk
    echo "VERSION := $(version_text)" | write_if_changed $out/version.mk
}

c_files_of() {
    find "$@" -name '*.c' -print 2>/dev/null | sort | tr '\n' ' '
}

# run_make TARGET...: runs make in the prepared variant.
run_make() {
    env -u LANG -u LANGUAGE make -s -k --no-print-directory -O -j "$jobs" "O=$out" "$@" ||
        die "the build failed: the messages are above"
}

# build_targets VARIANT TARGET...: builds, then releases the lock, because what follows may take long.
build_targets() {
    prepare "$1"
    run_make "${@:2}"
    exec 9>&-
}

# set_target [--target MACHINE]: sets variant, the variant of the build.
set_target() {
    local target=
    case ${1:-} in
    '') ;;
    --target=*) target=${1#*=} ;;
    --target) target=${2:-} ;;
    *) die "--target MACHINE or nothing is taken here, not $1" ;;
    esac
    case $target in
    '' | "$machine") ;;
    aarch64) variant=aarch64 ;;
    *) die "--target $target: this machine is $machine, and aarch64 can be built for" ;;
    esac
}
