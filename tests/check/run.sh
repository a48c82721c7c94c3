#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The steps of ./build.sh check, which builds first and sets CC to the compiler it used. Every step runs even when an earlier
# one fails; a failed step shows its output. clang-tidy and cppcheck, which take longest, look only at what changed lately and
# at what uses that (tests/check/changed.sh), or with --all at every file. The other steps always look at every file.
#
#   tests/check/run.sh [--all]
set -euo pipefail
cd "$(dirname "$0")/../.."

case ${1:-} in
'') sources=(tests/check/changed.sh) ;;
--all) sources=(find src hw tables -name '*.c' -printf 'whole %p\n') ;;
*)
    echo "check takes --all or nothing, not $1" >&2
    exit 2
    ;;
esac
looked_at=$("${sources[@]}")
jobs=$(nproc)
failed=0
steps=0

step() {
    local name=$1 begin=$EPOCHREALTIME log=build/log/check-${1// /-}.log word=ok tenths
    shift
    mkdir -p build/log
    "$@" >"$log" 2>&1 </dev/null || word=FAIL
    tenths=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 100000))
    steps=$((steps + 1))
    printf '%-4s  %-14s %3d.%d s\n' $word "$name" $((tenths / 10)) $((tenths % 10))
    if [ $word = FAIL ]; then
        failed=$((failed + 1))
        cat "$log"
    fi
}

check_format() {
    find src hw tables tests include examples -name '*.[ch]' -print0 | xargs -0 -r -n 8 -P "$jobs" clang-format --dry-run -Werror
}

check_shell() {
    find build.sh boot tools tests .ci -type f \( -name '*.sh' -o -path '.ci/*' \) -print0 |
        xargs -0 -r -n 4 -P "$jobs" shellcheck -x
}

# A script that counts faults must end with `finish`, which fails if there were any.
check_test_ends() {
    ! grep -lF '/checks"' tests/cli/*.sh tests/e2e/*.sh | xargs grep -L '^finish$' | grep .
}

# A failed allocation is always reported by err_no_memory, in one wording.
check_memory_errors() {
    ! grep -rlPz --include='*.c' 'err_set\([^;]*"[^";]*(no memory (left|for|to)|enough memory|out of memory)' src hw
}

# Tests are always checked in full: they take a tenth of cppcheck's time. cppcheck keeps its results for unchanged files in a
# folder. With such a folder it also checks across files, without following what functions do; those findings are wrong.
check_cppcheck() {
    mkdir -p build/cppcheck
    { cut -d ' ' -f 2 <<<"$looked_at" && find tests -name '*.c'; } | sed '/^$/d' >build/log/cppcheck.files
    cppcheck --quiet -j "$jobs" --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
        --cppcheck-build-dir=build/cppcheck --suppress=ctuuninitvar --suppress=ctunullpointer --suppress=ctuArrayIndex \
        --suppress=ctuPointerArith --error-exitcode=1 --suppress=missingIncludeSystem \
        --file-list=build/log/cppcheck.files -Isrc -I. -Itests/unit -D_GNU_SOURCE -D__linux__ -D__x86_64__ '-DCUPEL_VERSION="check"'
}

# clang gets the include folders of the compiler, except for gcc's own headers, of which clang has its own.
check_tidy() {
    local folder flags=-nostdlibinc files
    mapfile -t files < <(sed -n 's,^\(.*\) \(.*\)\.c$,build/\1/\2.ok,p' <<<"$looked_at")
    [ ${#files[@]} -gt 0 ] || return 0
    # shellcheck disable=SC2086 # CC is a command with its arguments
    for folder in $($CC -E -v -x c /dev/null 2>&1 | sed -n '/^#include </,/^End/s/^ //p'); do
        case $folder in
        */gcc/*) ;;
        *) flags+=" -isystem $folder" ;;
        esac
    done
    make -s -k -O --no-print-directory -j "$jobs" O=build "TIDYFLAGS=$flags" "${files[@]}"
}

step layers tests/check/layers.sh
step circles tests/check/circles.sh
step names tests/check/names.sh
step parts tests/check/parts.sh
step pages tests/check/pages.sh
step 'memory errors' check_memory_errors
step format check_format
step 'shell scripts' check_shell
step 'ends of tests' check_test_ends
step cppcheck check_cppcheck
step clang-tidy check_tidy
[ $failed -eq 0 ] || {
    echo "$failed of $steps checks failed"
    exit 1
}
echo 'all checks passed'
