#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The only entry point for building, testing and packaging: ./build.sh help lists the commands.
#
# It installs missing tools (on Debian), fetches the sources of the libraries, verifies them, builds each library once for
# this compiler, and leaves the rest to make. tools/ holds the parts, one topic a file; Makefile states what is made from
# what.
# shellcheck disable=SC2034,SC2154 # the parts use what is set here, and set what is used
set -euo pipefail
export LC_ALL=C

version=0.1.0

# Relative folders in the environment are relative to the caller's folder; the rest of this file works in the project's root.
absolute() {
    case $1 in
    /* | '') echo "$1" ;;
    *) echo "$PWD/$1" ;;
    esac
}
caller=$PWD
distfiles=$(absolute "${CUPEL_DISTFILES:-}")
cache=$(absolute "${CUPEL_CACHE:-}")
cd "$(dirname "${BASH_SOURCE[0]}")"
root=$PWD
cache=${cache:-${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/cupel}
jobs=$(nproc)
machine=$(uname -m) # the machine that the binary is built for; --target names another one
runner=()           # the command that runs such a binary here: an emulator, or nothing

for part in output needed compilers fetch libraries recipes page variant test image package/install package/spdx package/package \
    package/reproduce; do
    # shellcheck source=/dev/null
    . "tools/$part.sh"
done

cmd_build() {
    local variant=musl
    case ${1:-} in
    --asan)
        variant=asan
        need_sanitizers
        ;;
    *) set_target "$@" ;;
    esac
    build_targets $variant binary
}

# keeps_result_only ARGUMENTS: true when the arguments only say where the result is written, and not what is measured.
keeps_result_only() {
    while [ $# -gt 0 ]; do
        case $1 in
        -o | --output) [ $# -gt 1 ] && shift 2 || return 1 ;;
        -o?* | --output=?*) shift ;;
        *) return 1 ;;
        esac
    done
}

# The program runs in the caller's folder, so that the caller's relative names are right.
cmd_run() {
    build_targets musl binary
    cd "$caller"
    keeps_result_only "$@" || exec "$root/build/cupel" run "$@"
    if [ $# -gt 0 ]; then
        say "cupel run . --preset quick --limit 40s $*"
        exec "$root/build/cupel" run . --preset quick --limit 40s "$@"
    fi
    # On a disk whose speed varies, 40 s may be too short for the precision (exit 5): that is a result, and this script
    # succeeds.
    say "cupel run . --preset quick --limit 40s"
    "$root/build/cupel" run . --preset quick --limit 40s || [ $? -eq 5 ]
}

cmd_check() {
    need "${tools_check[@]}"
    build_targets musl binary
    CC="${cc[*]}" exec tests/check/run.sh "$@"
}

cmd_bench() {
    local guests=
    need "${tools_bench[@]}"
    if [[ " $* " == *' controllers '* ]]; then
        guests=guest
        prepare_image qemu_
    fi
    # shellcheck disable=SC2086 # one target, or none
    build_targets musl binary $guests bench build/tests/unit/test_{coverage,percentile_coverage,percentile_memory,exec_coverage,repetition}
    CUPEL=$root/build/cupel CUPEL_BENCH=$root/build/tests/bench exec tests/bench/run.sh "$@"
}

# See tests/fuzz/run.sh. Exits with 77 when the tools that build a fuzzer cannot be installed here.
cmd_fuzz() {
    need_sanitizers
    build_targets asan fuzz
    CUPEL_FUZZ=$root/$out/fuzzer exec tests/fuzz/run.sh "$@"
}

cmd_clean() {
    rm -rf build
    say "removed build/; sources and built libraries stay in $cache"
}

cmd_help() {
    cat <<EOF
./build.sh [COMMAND]

  build [--asan | --target aarch64]  build/cupel, a static binary (the default); --asan: build/asan/cupel with sanitizers;
                            --target: build/aarch64/cupel for another machine
  run [ARGUMENTS]           build, then cupel run ARGUMENTS (default, also with -o DIR alone: . --preset quick --limit 40s,
                            a scratch file in this folder)
  test [--asan] [--quick | NAME...]  build, then all tests; --quick: those of units and of the command line that are fast
  test --target aarch64 [NAME...]  the same fast ones, or those named, in an emulator
  tools                     install what building, tests, checks and fuzzing need, at once
  check [--all]             layers, formatting, shell scripts, static analysis; every warning is an error. --all: clang-tidy and
                            cppcheck of all files, not only of those that changed lately and of their users
  bench [NAME...|papers]    build, then compare with minimal loops and with fio: all, or those of tests/bench; papers: the
                            tables and figures of the papers that cupel follows; controllers, by name alone: docs/controllers.md
  image [--qemu] [--firmware] [--target aarch64]  build, then build/cupel.img, a disk image for a USB stick; --qemu: with what
                            tests boot it in; --firmware: with files that are not free and that some adapters need;
                            --target: build/aarch64/cupel.img for another machine
  fuzz [NAME] [SECONDS [SEED]]  everything that reads foreign bytes, by libFuzzer under the sanitizers (default: each for 60 s)
  install [--prefix DIR]    build, then install the program, its pages and the library below DIR (default: /usr/local)
  uninstall [--prefix DIR]  remove what install put there
  package [--target aarch64]  build, then build/package: .deb, .rpm, an archive, a container image, the list of what is linked
  reproduce [--full]        two builds of the commit in different places are equal; --full: also without caches
  clean                     remove build/
  help                      this text

Environment
  CC                        a C compiler for musl (default: the first that works of musl-gcc and cc)
  DESTDIR                   put before --prefix where install writes, for packages
  SOURCE_DATE_EPOCH         the time that packages have, in seconds since 1970 (default: the commit's)
  CUPEL_MIRROR              a Debian mirror that is asked after those of this machine's apt, one that keeps all versions
  CUPEL_DISTFILES           a folder with the sources (and the image's packages): nothing is fetched then
  CUPEL_CACHE               where fetched sources and built libraries stay (now $cache)
  CUPEL_LAUNCHERS           yes: test installs Open MPI, MPICH, Slurm, clush, pdsh, Ansible and sshd, which start services (default: no)

The sources and their SHA-256 are listed in tools/libraries, the packages in boot/packages.sh.
EOF
}

command=${1:-build}
[ $# -eq 0 ] || shift
case $command in
build | run | tools | test | check | bench | image | fuzz | install | uninstall | package | reproduce | clean | help) "cmd_$command" "$@" ;;
-h | --help) cmd_help ;;
*) die "$command is not a command; ./build.sh help lists them" ;;
esac
