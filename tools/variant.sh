# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# A variant of the build: its folder, its flags, and make.

warnings='-Wall -Wextra -Wshadow -Wconversion'

# write_if_changed FILE: make must see a new time only where the text is new.
write_if_changed() {
    local text
    text=$(cat)
    if [ ! -f "$1" ] || [ "$text" != "$(<"$1")" ]; then
        printf '%s\n' "$text" >"$1"
    fi
}

# The version is that of the last tag, else the one above with the commit. --no-optional-locks: a build must not hold the
# index while its owner commits.
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

# The tree may be another user's: who installs is root.
ask_git() {
    git -c "safe.directory=$root" "$@" 2>/dev/null
}

# The version that the binary of the variant has.
built_version() {
    sed 's/^VERSION := //' "$out/version.mk"
}

# What has a date in what is built has that of the commit.
set_source_date() {
    local time
    time=$([ ! -e .git ] || ask_git log -1 --format=%ct || true)
    export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-${time:-$(stat -c %Y build.sh)}}
}

# A folder for what is unpacked and built, which apt's own user can read.
begin_scratch() {
    scratch=$(mktemp -d)
    chmod 755 "$scratch"
    trap 'rm -rf "$scratch"' EXIT
}

end_scratch() {
    rm -rf "$scratch"
    trap - EXIT
}

# prepare VARIANT: everything up to make. musl is the product; asan is the same sources by clang, with the host's C library, the
# sanitizers for addresses and undefined behaviour, and libFuzzer's counters in our code and in the libraries; host is the library
# (include/cupel.h) for the host's C library, and compiles only the rooms below src/library. Sets out, the folder of the variant.
prepare() {
    # The flags are this variant's: another one may follow in the same shell.
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
        # NULL + 0, which C2y defines, is no fault here. Tests ask for the sanitizer by gcc's name for it.
        optimize+=" $link,fuzzer-no-link -fno-sanitize=pointer-overflow -D__SANITIZE_ADDRESS__=1" library_flags+=' -g -fsanitize=address,fuzzer-no-link'
        link+=' -fuse-ld=lld' # links each of these 400 programs in a third of the time
    elif [ "$1" = host ]; then
        need "${tools_host[@]}"
        out=build/host strip=cp kernel_headers='' link=''
        cc=(gcc) no_unwinding='' optimize='-O2 -fPIC -fno-math-errno' library_flags+=' -fPIC'
        sources='tables hw src/base src/facts src/stat src/io src/source src/run src/library'
        # GSL takes longest to build, and the library has no maps: it is left out with the rooms that are for them.
        sources+=' ( -name gaussian -o -name mars -o -name model -o -name map ) -prune -o'
        libraries=$(grep -v '^gsl \|^node-uplot ' <<<"$libraries") archives=("${archives[@]/gsl*/}")
    else
        out=build strip='objcopy --strip-all' runner=()
        if [ "$1" = aarch64 ]; then
            find_cross_compiler
        else
            find_musl_compiler
        fi
        optimize='-O2 -g -fno-pie -fno-math-errno -Werror' # at a fixed address: no relocation when it starts
        frames=-Wframe-larger-than=40960 # a small stack has room for some of them (src/cmd/main.c)
        link='-static -no-pie' library_flags+=' -fno-pie -no-pie'
        # Where the sources lie is no part of what is built.
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

# run_make TARGET...: in the variant that was prepared.
run_make() {
    env -u LANG -u LANGUAGE make -s -k --no-print-directory -O -j "$jobs" "O=$out" "$@" ||
        die "the build failed: the messages are above"
}

# build_targets VARIANT TARGET...: then the lock is given back, for what follows may take long.
build_targets() {
    prepare "$1"
    run_make "${@:2}"
    exec 9>&-
}

# set_target [--target MACHINE]: sets variant.
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
