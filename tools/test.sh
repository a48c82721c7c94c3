# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# ./build.sh test: builds and installs what the tests need, then runs tests/run.sh.

cmd_test() {
    local variant=musl targets=(binary unit guest corpus)
    if [ "${1:-}" = --asan ]; then
        shift
        variant=asan targets=(binary unit corpus)
        need_sanitizers
        export CUPEL_QEMU=no # virtual machines run only the static binary
        export CUPEL_TIMED_JOBS=${CUPEL_TIMED_JOBS:-2} # these variants are not for measuring times
        export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1:strict_string_checks=1}
        export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
    fi
    case ${1:-} in
    --target*)
        set_target "$@"
        [[ $1 == --target=* ]] || shift
        shift
        [ $variant = musl ] || test_emulated "$@"
        ;;
    esac
    case ${1:-} in
    '') build_targets $variant "${targets[@]}" ;;
    --quick) build_targets $variant binary unit corpus ;;
    *) build_named "$@" ;;
    esac
    [ $variant = asan ] || [ "${1:-}" = --quick ] || prepare_image "$*"
    [ $variant = asan ] || [ "${1:-}" = --quick ] || prepare_library "$*"
    [ $variant = asan ] || [ "${1:-}" = --quick ] || prepare_launchers "$*"
    [ $variant = asan ] || [ "${1:-}" = --quick ] || prepare_shells "$*"
    [ "${1:-}" = --quick ] || prepare_formats "$*"
    [ $variant = asan ] || [ "${1:-}" = --quick ] || prepare_browser "$*"
    CUPEL=$root/$out/cupel CUPEL_UNIT=$root/$out/tests/unit exec tests/run.sh "$@"
}

# build_named NAME...: builds what the named tests run. A unit test is a program. A script runs the binary, and mentions the
# reader harnesses (fuzz_NAME) and programs for virtual machines (guest_NAME) that it runs as well.
build_named() {
    local targets=() name script program
    prepare "$variant"
    for name in "$@"; do
        [ ! -e "tests/unit/$name.c" ] || targets+=("$out/tests/unit/$name")
        for script in tests/{cli,e2e}/"$name.sh"; do
            [ -e "$script" ] || continue
            targets+=(binary)
            ! grep -q 'fuzz_' "$script" || targets+=(corpus)
            [ "$variant" = musl ] || continue
            while read -r program; do
                [ ! -e "tests/guest/$program.c" ] || targets+=("$out/tests/guest/$program")
            done < <(grep -o 'guest_[a-z0-9_]*' "$script" | sort -u)
        done
    done
    run_make "${targets[@]}"
    exec 9>&-
}

# test_emulated [NAME...]: runs the named tests, or the quick ones of tests/unit and tests/cli, with programs for another
# machine. Each program has a starter, a script that puts the emulator before the program on the command line.
test_emulated() {
    local program
    need "${tools_emulator[@]}"
    if [ $# -gt 0 ]; then
        build_named "$@"
    else
        build_targets "$variant" binary unit
    fi
    rm -rf "$out"/emulated
    mkdir -p "$out"/emulated/unit
    for program in "$out"/cupel "$out"/tests/unit/test_*; do
        [[ $program != *.* ]] || continue
        # The starter is padded to a block: one test uses the program's file as its target.
        printf '#!/bin/sh\nexec %s "%s" "$@"\n#%8192s\n' "${runner[*]}" "$root/$program" '' >"$out"/emulated/starter
        chmod 755 "$out"/emulated/starter
        case $program in
        */cupel) mv "$out"/emulated/starter "$out"/emulated/cupel ;;
        *) mv "$out"/emulated/starter "$out/emulated/unit/${program##*/}" ;;
        esac
    done
    [ $# -gt 0 ] || set -- --quick
    export CUPEL_TEST_LIMIT=${CUPEL_TEST_LIMIT:-600}
    CUPEL_EMULATED=$machine CUPEL_QEMU=no CUPEL=$root/$out/emulated/cupel CUPEL_UNIT=$root/$out/emulated/unit exec tests/run.sh "$@"
}

# prepare_image NAMES: makes the image that virtual machines boot, if a selected test boots one and the image is missing or
# older than the program. Where its packages or QEMU are not available, the tests that need them are skipped with a message.
prepare_image() {
    [ "${CUPEL_QEMU:-yes}" != no ] && [[ -z "$1" || "$1" =~ qemu_|image ]] || return 0
    if [[ -z "$1" ]] && have "${tools_aarch64[0]%%:*}" || [[ "$1" =~ _arm ]]; then
        (./build.sh image --qemu --target aarch64) || [ $? -eq 77 ] || die "the image for aarch64 cannot be made"
    fi
    [ ! -e build/cupel.img ] || [ -n "$(find boot tables -newer build/cupel.img)" ] ||
        ! cmp -s build/cupel build/image/root/init || ! have qemu-system-x86_64 || return 0
    ./build.sh image --qemu || [ $? -eq 77 ] || die "the image cannot be made; CUPEL_QEMU=no tests without it"
}

# prepare_library NAMES: builds the library and installs the tools of its test, when that test is selected.
prepare_library() {
    [[ -z "$1" || " $1 " == *' library '* ]] || return 0
    (need "${tools_library[@]}") || say "the library's test needs them: it is skipped"
    (build_targets host library)
}

# prepare_formats NAMES: installs the validators for JSON and metrics, when a test that uses them is selected.
prepare_formats() {
    [[ -n "$1" && ! " $1 " == *' metrics_while_running '* ]] || (need "${tools_metrics[@]}") ||
        say "the test of the metrics needs it for its second parser"
    [[ -z "$1" || " $1 " == *' json_schema '* ]] || return 0
    python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || (need "${tools_schema[@]}") ||
        say "the test of the JSON schema needs it: it is skipped"
}

# prepare_launchers NAMES: installs the launchers that the tests of multi-host runs start cupel with, when such a test is
# selected. Only with CUPEL_LAUNCHERS=yes, on machines made for tests: these packages start services (sshd, Slurm).
prepare_launchers() {
    [ "${CUPEL_LAUNCHERS:-no}" = yes ] && [[ -z "$1" || "$1" =~ launch_ ]] || return 0
    (need "${tools_launchers[@]}") || say "the tests of launchers need them: those whose launcher is missing are skipped"
}

# prepare_shells NAMES: installs the shells whose completion is tested, when that test is selected.
prepare_shells() {
    [[ -z "$1" || " $1 " == *' completion '* ]] || return 0
    (need "${tools_shells[@]}") || say "the test of completion needs them: a shell that is missing is left out"
}

# prepare_browser NAMES: installs the browser that opens the pages, when such a test is selected.
prepare_browser() {
    [ "${CUPEL_BROWSER:-yes}" != no ] && [[ -z "$1" || "$1" =~ html_ ]] || return 0
    (need "${tools_browser[@]}") || say "the tests of pages need them: they are skipped"
}
