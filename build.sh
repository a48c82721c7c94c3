#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The one entry of the project: ./build.sh help says what it does.
#
# It installs the tools that are missing (Debian), fetches and verifies the sources of the libraries, builds each once
# for this compiler, and hands the rest to make. From top to bottom: pins, output, tools, compiler, sources, libraries,
# make, commands. Longer than 500 lines because it must work alone, before anything else is there.
set -euo pipefail
export LC_ALL=C

version=0.1.0

# What is linked or embedded, pinned: a file is accepted by its SHA-256 and by nothing else. The name is that of the
# Debian source package, for its place in the archive follows from that. uPlot draws in the pages (tables/html).
#
# name        version         file                                          SHA-256 of the file
libraries='
liburing      2.9             liburing_2.9.orig.tar.gz                      57e9b36e4ac1e46b8e0351dfb1694dc59638fc25e384b4ba36d87b800b16db1a
gsl           2.8             gsl_2.8+dfsg.orig.tar.gz                      69614b7005133a2d3a75827044164de98670568382e3192888a3185578451a70
pciutils      3.13.0          pciutils_3.13.0.orig.tar.gz                   a03c88a0aab709b1697ca1753766f443e78297f84c7bcd80a82c1422edd7cb42
lm-sensors    3.6.2           lm-sensors_3.6.2.orig.tar.gz                  c6a0587e565778a40d88891928bf8943f27d353f382d5b745a997d635978a8f0
zlib          1.3.1           zlib_1.3.dfsg+really1.3.1.orig.tar.gz         60dd315c07f616887caa029408308a018ace66e3d142726a97db164b3b8f69fb
tinyssh       20250501        tinyssh_20250501.orig.tar.gz                  f3ae622c765db4e0d791ea90a9feba39d7f693ef9cb949a797f7ad6b404a2d61
node-uplot    1.6.32          node-uplot_1.6.32+ds3-1_all.deb               83387b33a5b8b7aaed40f3c316d3373a13a785e71b3d0760a928e47a3c5951dc
'
# uPlot as its maker publishes it by npm: settle_uplot.
uplot_npm_sha256=4b8a8191e425658e3ea8c8c1314b0fc679c861ee3a1af2b20c7b16ba50b5133d
archives=(lm-sensors/lib/libsensors.a pciutils/lib/libpci.a liburing/lib/liburing.a gsl/lib/libgsl.a zlib/lib/libz.a tinyssh/lib/libtinyssh.a)

# The tools, each with the Debian package that brings it; a path stands for a file that must be there.
tools_build=(make:make ar:binutils flex:flex bison:bison tar:tar gzip:gzip xz:xz-utils flock:util-linux)
tools_asan=(clang:clang /usr/include/stdio.h:libc6-dev)
tools_host=(gcc:gcc /usr/include/stdio.h:libc6-dev objcopy:binutils)
tools_library=(g++:g++ pkg-config:pkg-config) # its test
tools_launchers=(mpirun.openmpi:openmpi-bin mpirun.mpich:mpich clush:clustershell pdsh:pdsh ansible:ansible-core
    sshd:openssh-server ssh:openssh-client ip:iproute2 setpriv:util-linux slurmctld:slurmctld slurmd:slurmd srun:slurm-client munged:munge)
tools_shells=(zsh:zsh fish:fish) # the test of their completion
tools_schema=(/usr/lib/python3/dist-packages/jsonschema/__init__.py:python3-jsonschema)
tools_metrics=(/usr/lib/python3/dist-packages/prometheus_client/__init__.py:python3-prometheus-client)
tools_browser=(chromium:chromium python3:python3 /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core)
tools_packages=(dpkg-deb:dpkg rpmbuild:rpm)
tools_aarch64=(aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu /usr/aarch64-linux-gnu/include/linux/io_uring.h:linux-libc-dev-arm64-cross
    /usr/lib/aarch64-linux-musl/musl-gcc.specs:musl-dev:arm64)
tools_emulator=(qemu-aarch64-static:qemu-user-static)
tools_check=(clang-format:clang-format clang-tidy:clang-tidy cppcheck:cppcheck shellcheck:shellcheck)
tools_bench=(fio:fio)
tools_image=(sfdisk:fdisk mkfs.fat:dosfstools mcopy:mtools grub-mkimage:grub-common cpio:cpio zstd:zstd xz:xz-utils
    modprobe:kmod depmod:kmod dpkg-deb:dpkg)
tools_qemu=(qemu-system-x86_64:qemu-system-x86 /usr/share/OVMF/OVMF_CODE_4M.secboot.fd:ovmf)

# Relative folders in the environment are the caller's; the rest of this file works in the project's root.
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
machine=$(uname -m) # what the binary is for; --target names another one
runner=()           # what its programs are run by here

# ---------------------------------------------------------------- output

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "build.sh: $*"
    exit 1
}

# logged TEXT LOG COMMAND...: the output goes to the log, one line says what was done and how long it took.
logged() {
    local text=$1 log=$2 begin=$EPOCHREALTIME tenths
    shift 2
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" >&2
        die "$text failed; above is the end of $root/$log"
    fi
    tenths=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 100000))
    say "$text ($((tenths / 10)).$((tenths % 10)) s)"
}

# ---------------------------------------------------------------- tools

have() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# need TOOL:PACKAGE...: installs the packages of the tools that are missing, or says which they are.
need() {
    local pair tools=() packages=()
    for pair in "$@"; do
        if ! have "${pair%%:*}"; then
            tools+=("${pair%%:*}")
            packages+=("${pair#*:}")
        fi
    done
    [ ${#tools[@]} -gt 0 ] || return 0
    have apt-get || die "not found: ${tools[*]}; install them with this system's package manager"
    install_packages "${packages[@]}"
    hash -r
    for pair in "${tools[@]}"; do
        have "$pair" || die "$pair is still missing after installing ${packages[*]}"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

install_packages() {
    if [ "$(id -u)" -ne 0 ] && { ! have sudo || { [ ! -t 0 ] && ! sudo -n true 2>/dev/null; }; }; then
        die "packages are missing; as root: apt-get install --no-install-recommends $*"
    fi
    local install=(as_root env DEBIAN_FRONTEND=noninteractive
        apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@")
    # Only package lists that are absent or too old to download by are fetched again.
    if ! "${install[@]}" --download-only >/dev/null 2>&1 </dev/null; then
        logged "updating the package lists" build/log/apt-update.log as_root apt-get -q update
    fi
    logged "installing $*" build/log/apt-install.log "${install[@]}"
}

# need_sanitizers: clang with its own libraries, which may be a package apart, then of clang's version. Exit 77: they cannot be
# had here.
need_sanitizers() {
    local version
    mkdir -p build
    (need "${tools_asan[@]}") || exit 77
    links_fuzzer && return
    version=$(clang -dumpversion)
    ! have apt-get || (install_packages "libclang-rt-${version%%.*}-dev") || true
    links_fuzzer || {
        say "clang ${version%%.*} cannot link a fuzzer here: install its compiler-rt and a C++ library" \
            "(Debian: libclang-rt-${version%%.*}-dev, libstdc++-dev)"
        exit 77
    }
}

links_fuzzer() {
    printf 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n); %s\n' \
        'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9 ? 0 : 0; }' |
        clang -fsanitize=fuzzer,address,undefined -x c - -o build/.fuzzer-$$ 2>/dev/null && rm -f build/.fuzzer-$$
}

# ---------------------------------------------------------------- compiler

# preprocesses TEXT COMPILER...
preprocesses() {
    printf '%s\n' "$1" | "${@:2}" -E - >/dev/null 2>&1
}

is_musl() {
    preprocesses $'#include <features.h>\n#ifdef __GLIBC__\n#error\n#endif' "$@"
}

# Sets cc, a command with its arguments, to a compiler for musl, and kernel_headers to a folder it needs or to nothing.
find_musl_compiler() {
    local candidate
    if [ -n "${CC:-}" ]; then
        read -ra cc <<<"$CC"
        is_musl "${cc[@]}" || die "CC=$CC is not a C compiler for musl: unset CC, or name one such as musl-gcc"
    else
        cc=()
        for candidate in musl-gcc cc "$(uname -m)-linux-musl-gcc"; do
            is_musl "$candidate" && cc=("$candidate") && break
        done
        if [ ${#cc[@]} -eq 0 ]; then
            need musl-gcc:musl-tools
            cc=(musl-gcc)
        fi
    fi
    find_kernel_headers
}

# Debian's musl-gcc does not see the kernel's headers, and all of /usr/include would bring glibc's as well: it is given
# a folder of links to the kernel's three.
find_kernel_headers() {
    local asm
    kernel_headers=
    ! preprocesses '#include <linux/io_uring.h>' "${cc[@]}" || return 0
    need /usr/include/linux/io_uring.h:linux-libc-dev
    asm=/usr/include/$("${cc[@]}" -print-multiarch)/asm
    [ -d "$asm" ] || asm=/usr/include/asm
    kernel_headers=build/kernel-headers
    mkdir -p $kernel_headers
    ln -sfn /usr/include/linux $kernel_headers/linux
    ln -sfn /usr/include/asm-generic $kernel_headers/asm-generic
    ln -sfn "$asm" $kernel_headers/asm
    preprocesses '#include <linux/io_uring.h>' "${cc[@]}" -isystem $kernel_headers ||
        die "${cc[*]} cannot use linux/io_uring.h: install the kernel's headers (linux-libc-dev)"
}

# find_cross_compiler: sets cc, kernel_headers, out, strip, machine and runner for programs of aarch64, by Debian's packages.
# Exit 77: they cannot be had here.
find_cross_compiler() {
    local folder=/usr/aarch64-linux-gnu/include name
    out=build/aarch64 machine=aarch64 strip='aarch64-linux-gnu-objcopy --strip-all' runner=(qemu-aarch64-static)
    if ! have "${tools_aarch64[2]%%:*}" && have dpkg && ! dpkg --print-foreign-architectures | grep -qx arm64; then
        say "dpkg --add-architecture arm64, for ${tools_aarch64[2]#*:}"
        as_root dpkg --add-architecture arm64
    fi
    (need "${tools_aarch64[@]}") || exit 77
    cc=(aarch64-linux-gnu-gcc -specs=/usr/lib/aarch64-linux-musl/musl-gcc.specs)
    kernel_headers=$out/kernel-headers
    mkdir -p $kernel_headers
    for name in linux asm asm-generic; do
        ln -sfn $folder/$name $kernel_headers/$name
    done
}

# ---------------------------------------------------------------- sources

# fetch NAME VERSION FILE SHA256: sets source to the path of the verified file.
fetch() {
    local name=$1 file=$3 sha256=$4
    [[ $sha256 =~ ^[0-9a-f]{64}$ ]] || die "$file: no SHA-256 is pinned for it in build.sh: refused"
    if [ -n "$distfiles" ]; then
        source=$distfiles/$file
        [ -f "$source" ] || die "$source does not exist: put the source there, or unset CUPEL_DISTFILES"
    else
        source=$cache/distfiles/$file
        if [ ! -f "$source" ] || ! matches "$source" "$sha256"; then
            logged "fetching $name $2" "build/log/fetch-$name.log" fetch_from_mirror "$name" "$file" "$sha256"
        fi
    fi
    matches "$source" "$sha256" ||
        die "$source: its SHA-256 is not the one pinned in build.sh ($sha256): refused"
}

matches() {
    [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]
}

# fetch_from_mirror NAME FILE SHA256: into the cache, from the Debian mirror that this machine uses anyway, by apt, which
# knows its proxies. In the archive all releases share the folder of a source package, so that none is named.
fetch_from_mirror() {
    local name=$1 file=$2 sha256=$3 helper=/usr/lib/apt/apt-helper mirror part
    [ -x $helper ] || {
        echo "No apt here: give a folder that has $file in CUPEL_DISTFILES."
        return 1
    }
    mkdir -p "$cache/distfiles"
    part=$cache/distfiles/$file.$$
    for mirror in $(debian_mirrors) ${CUPEL_MIRROR:-}; do
        echo "mirror: $mirror"
        if $helper -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o Acquire::https::Timeout=30 \
            download-file "${mirror/#file:/copy:}/$(place_of "$name" "$file")" "$part" "SHA256:$sha256"; then
            mv "$part" "$cache/distfiles/$file"
            return 0
        fi
        rm -f "$part"*
    done
    echo "No mirror in this machine's apt setup${CUPEL_MIRROR:+, nor $CUPEL_MIRROR,} has $file: mirrors keep what a release has."
    echo "Give one that keeps everything in CUPEL_MIRROR, or a folder that has the file in CUPEL_DISTFILES."
    [ "$name" != node-uplot ] || have npm || echo "Or install npm, which has it, too."
    return 1
}

# place_of NAME FILE: of a source package, in any Debian archive; npm:NAME@VERSION of what settle_uplot takes.
place_of() {
    local version=${2#uplot-}
    case $1 in
    node-uplot) [ "$version" = "$2" ] && echo "pool/main/n/$1/$2" || echo "npm:uplot@${version%.tgz}" ;;
    lib*) echo "pool/main/${1:0:4}/$1/$2" ;;
    *) echo "pool/main/${1:0:1}/$1/$2" ;;
    esac
}

# The archives of this machine's apt setup that carry a whole release.
debian_mirrors() {
    local codename
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    apt-get update --print-uris 2>/dev/null |
        sed -n "s,^'\(.*\)/dists/\($codename\|stable\|testing\|sid\|unstable\)/InRelease' .*,\1,p"
}

# ---------------------------------------------------------------- libraries

# Nothing in C unwinds the stack at run time: the tables for it are a tenth of the binary. Debuggers have their own.
no_unwinding='-fno-unwind-tables -fno-asynchronous-unwind-tables'
library_flags="-O2 $no_unwinding -ffunction-sections -fdata-sections"

# A recipe runs in the unpacked source. $CC is a wrapper that brings the flags; archives go to $OUT/lib, headers to
# $OUT/include. Each is part of the key of the cache, so a change builds the library again.

recipe_liburing() {
    ./configure --cc="$CC"
    make -j "$jobs" -C src liburing.a
    cp src/liburing.a "$OUT/lib/"
    cp -R src/include/. "$OUT/include/"
}

# Only linear algebra and the minimisers are compiled, from the lists in GSL's own Makefile.am files and without libtool:
# a small part of the time of the whole.
recipe_gsl() {
    local folder
    ./configure --disable-shared --disable-dependency-tracking --host="${TARGET:?}" CC="$CC"
    mkdir -p "$OUT/include/gsl"
    cp gsl_*.h ./*/gsl_*.h "$OUT/include/gsl/"
    for folder in err sys complex block vector matrix permutation blas cblas linalg min multimin poly; do
        mkdir -p "objects/$folder"
        sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' $folder/Makefile.am |
            sed -n 's/^libgsl[a-z]*_la_SOURCES *=//p' | tr -s '[:blank:]' '\n' | sed -n "s,.*\.c\$,$PWD/$folder/&,p" |
            (cd "objects/$folder" && xargs -n 8 -P "$jobs" "$CC" -w -DHAVE_CONFIG_H -I../.. -I"$OUT/include" -c)
    done
    ar qcs "$OUT/lib/libgsl.a" objects/*/*.o
}

# Only what reads /sys and captures: the other ways to the registers go through ports and the memory of the machine.
recipe_pciutils() {
    local flags=(CC="$CC" HOST="${TARGET:?}" OPT=-O2 ZLIB=no DNS=no HWDB=no SHARED=no LIBKMOD=no)
    make "${flags[@]}" lib/config.h
    sed -i '/PCI_HAVE_PM_LINUX_SYSFS\|PCI_HAVE_PM_DUMP/!{/PCI_HAVE_PM_/d}' lib/config.h lib/config.mk
    make "${flags[@]}" lib/libpci.a
    mkdir "$OUT/include/pci"
    cp lib/libpci.a "$OUT/lib/"
    cp lib/pci.h lib/header.h lib/config.h lib/types.h "$OUT/include/pci/"
}

recipe_lm-sensors() {
    make CC="$CC" CFLAGS=-O2 BUILD_SHARED_LIB=0 lib/libsensors.a
    mkdir "$OUT/include/sensors"
    cp lib/libsensors.a "$OUT/lib/"
    cp lib/sensors.h lib/error.h "$OUT/include/sensors/"
}

# Only what reads.
recipe_zlib() {
    "$CC" -DHAVE_UNISTD_H -c adler32.c crc32.c inffast.c inflate.c inftrees.c zutil.c
    ar qcs "$OUT/lib/libz.a" ./*.o
    cp zlib.h zconf.h "$OUT/include/"
}

# Only the arithmetic of Ed25519 and the two hashes. The empty header says that no other library has them.
recipe_tinyssh() {
    : >haslib25519.h
    "$CC" -I. -Icryptoint -c fe25519.c fe.c ge25519.c sc25519.c cleanup.c crypto_verify_32.c crypto_hash_sha256.c \
        crypto_hash_sha512_tinyssh.c cryptoint/int16_optblocker.c
    ar qcs "$OUT/lib/libtinyssh.a" ./*.o
    mkdir "$OUT/include/tinyssh"
    cp haslib25519.h fe.h ge25519.h sc25519.h crypto_hash_sha256.h crypto_hash_sha512.h cryptoint/crypto_uint{32,64}.h \
        "$OUT/include/tinyssh/"
}

# Nothing is compiled. Whoever gets a page gets its licence.
recipe_node-uplot() {
    # shellcheck disable=SC2016 # awk's
    local files=usr/share/nodejs/uplot licence=(awk '/^Files:/ { ours = !/debian/ } ours && /^Copyright:/
        text { sub(/^ \.?/, ""); print } !before && /^License:/ { text = 1 } { before = $0 }' usr/share/doc/node-uplot/copyright)
    [ -d $files ] || files=. licence=(cat LICENSE) # npm's
    {
        echo '/*! uPlot'
        "${licence[@]}"
        echo '*/'
        cat $files/dist/uPlot.iife.min.js
    } >"$OUT/uplot.js"
    cp $files/dist/uPlot.min.css "$OUT/uplot.css"
}

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

# ---------------------------------------------------------------- pages

# embed_page FOLDER: FOLDER/page.gz is what all pages share (src/report/html/page_parts.h): style, script, and which
# script may run, each ended by a zero byte.
embed_page() {
    local uplot=$1/lib/node-uplot
    sed 's/^ *//' "$uplot/uplot.css" tables/html/*.css >"$scratch/style"
    sed 's/^ *//' "$uplot/uplot.js" tables/html/*.js >"$scratch/script"
    ! grep -n '</\|<!--' "$scratch/style" "$scratch/script" >&2 || die 'this would end the script or the style of a page'
    {
        cat "$scratch/style"
        printf '\0'
        cat "$scratch/script"
        printf "\0default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'\0" \
            "$(sha256_base64 "$scratch/style")" "$(sha256_base64 "$scratch/script")"
    } | gzip -n9 >"$scratch/page.gz"
    cmp -s "$scratch/page.gz" "$1/page.gz" || cp "$scratch/page.gz" "$1/page.gz"
}

sha256_base64() {
    # shellcheck disable=SC2059 # the format is the bytes
    printf "$(sha256sum <"$1" | cut -d ' ' -f 1 | sed 's/../\\x&/g')" | base64
}

# ---------------------------------------------------------------- make

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
    local sources='src hw tables' optimize link strip frames=''
    need "${tools_build[@]}"
    mkdir -p build
    exec 9>"build/.lock-$1" # variants share no file that changes
    flock 9
    if [ "$1" = asan ]; then
        out=build/asan strip=cp kernel_headers=''
        cc=(clang) no_unwinding=''
        optimize='-O1 -gline-tables-only -fno-omit-frame-pointer -fno-sanitize-recover=all'
        link='-fsanitize=address,undefined,float-cast-overflow'
        # NULL + 0, which C2y defines, is no fault here. Tests ask for the sanitizer by gcc's name for it.
        optimize+=" $link,fuzzer-no-link -fno-sanitize=pointer-overflow -D__SANITIZE_ADDRESS__=1" library_flags+=' -g -fsanitize=address,fuzzer-no-link'
    elif [ "$1" = host ]; then
        need "${tools_host[@]}"
        out=build/host strip=cp kernel_headers='' link=''
        cc=(gcc) no_unwinding='' optimize='-O2 -fPIC -fno-math-errno' library_flags+=' -fPIC'
        sources='tables hw src/base src/facts src/stat src/io src/nvme src/stamp src/readback src/trace src/generator src/run src/replay src/library'
        # GSL takes longest to build, and the library has no maps: it is left out with the rooms that are for them.
        sources+=' ( -name gaussian -o -name mars -o -name model ) -prune -o'
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
        echo "# libraries:$library_keys"
    } | write_if_changed $out/flags.mk
    {
        # shellcheck disable=SC2086 # folders
        echo "SOURCES := $(c_files_of $sources)"
        echo "PROGRAMS := $(c_files_of tests/unit tests/guest tests/bench tests/fuzz)"
        echo "PRELOADS := $(c_files_of tests/bench/preload)"
    } | write_if_changed $out/sources.mk
    echo "VERSION := $(version_text)" | write_if_changed $out/version.mk
    makefile | write_if_changed build/Makefile
}

c_files_of() {
    find "$@" -name '*.c' -print 2>/dev/null | sort | tr '\n' ' '
}

# run_make TARGET...: in the variant that was prepared.
run_make() {
    env -u LANG -u LANGUAGE make -s -k --no-print-directory -O -j "$jobs" -f build/Makefile "O=$out" "$@" ||
        die "the build failed: the messages are above"
}

makefile() {
    cat <<'EOF'
# Written by build.sh. O is the folder of the variant; its .mk files change only when what they say changes.
include $(O)/flags.mk $(O)/sources.mk $(O)/version.mk
PROGRAMS := $(filter-out $(PRELOADS),$(PROGRAMS))
HARNESSES := $(patsubst %.c,$(O)/%,$(filter tests/fuzz/fuzz_%,$(PROGRAMS)))
FUZZERS := $(HARNESSES:$(O)/tests/fuzz/%=$(O)/fuzzer/%)
comma := ,

OBJECTS := $(SOURCES:%.c=$(O)/obj/%.o)
MAIN := $(O)/obj/src/cmd/main.o
VERSIONED := $(O)/obj/src/base/version.o

.PHONY: binary library unit guest bench corpus fuzz tidy
.DELETE_ON_ERROR:
.SECONDARY:
binary: $(O)/cupel
library: $(O)/library/libcupel.a $(O)/library/libcupel-run.a
unit: $(patsubst %.c,$(O)/%,$(filter tests/unit/test_%,$(PROGRAMS)))
guest: $(patsubst %.c,$(O)/%,$(filter tests/guest/%,$(PROGRAMS)))
bench: $(patsubst %.c,$(O)/%,$(filter tests/bench/%,$(PROGRAMS))) $(PRELOADS:%.c=$(O)/%.so)
corpus: $(HARNESSES)
fuzz: $(FUZZERS)
tidy: $(SOURCES:%.c=$(O)/tidy/%.ok)

$(OBJECTS): CFLAGS += $(FRAMES)

# Profiles become part of the program by .incbin, which the compiler does not tell make.
$(patsubst %.c,$(O)/obj/%.o,$(filter src/generator/profile%,$(SOURCES))): $(wildcard tables/profiles/*.profile)

# What pages share, likewise: embed_page.
$(O)/obj/src/report/html/page_parts.o: $(O)/page.gz
$(O)/obj/src/report/html/page_parts.o: CFLAGS += -Wa,-I$(O)

$(O)/obj/%.o: %.c $(O)/flags.mk
	@mkdir -p $(@D)
	@echo "compiling $<"
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -MT $@ -MT $(O)/tidy/$*.ok -MT $(O)/analysis/$*.ok -c $< -o $@

# Only this file knows the version: a commit compiles nothing else again.
$(VERSIONED): $(O)/version.mk
$(VERSIONED): CPPFLAGS += -DCUPEL_VERSION='"$(VERSION)"'

# Made anew each time, for a source that is gone must be gone from the archive; q, for names repeat between folders.
$(O)/parts.a: $(filter-out $(MAIN),$(OBJECTS)) $(O)/sources.mk
	@rm -f $@
	ar qcs $@ $(filter-out $(MAIN),$(OBJECTS))

# The library: all that its functions reach, as one object in which every other name is its own. Those that do I/O, which
# reach the most, are an archive of their own.
RUNS := 'cupel_\(run_\|request\|timer\)'
$(O)/library/libcupel.names: GREP := grep -v $(RUNS)
$(O)/library/libcupel-run.names: GREP := grep $(RUNS)
$(O)/library/%.names: include/cupel.h build/Makefile
	@mkdir -p $(@D)
	@grep -o 'cupel_[a-z_]*(' $< | tr -d '(' | sort -u | $(GREP) >$@

$(O)/library/%.a: $(O)/library/%.names $(O)/parts.a $(LIBS)
	@$(CC) -r -nostdlib -Wl,--gc-sections $$(sed 's/^/-Wl,-u,/' $<) -o $(@:.a=.o) $(O)/parts.a $(LIBS)
	@objcopy --strip-unneeded --keep-global-symbols=$< $(@:.a=.o)
	@rm -f $@
	ar qcsD $@ $(@:.a=.o)
	@echo "built $@ ($$(($$(wc -c <$@) / 1024)) KiB)"

# The map says what came out of which archive: packaging/spdx.sh.
$(O)/cupel.debug: $(MAIN) $(O)/parts.a $(LIBS)
	$(CC) $(LDFLAGS) -Wl,-Map=$(O)/cupel.map -o $@ $^ -lm

$(O)/cupel: $(O)/cupel.debug
	$(STRIP) $< $@.new
	@mv $@.new $@
	@echo "built $@ ($$(($$(wc -c <$@) / 1024)) KiB)"

$(O)/tests/%: $(O)/obj/tests/%.o $(O)/parts.a $(LIBS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lm

# A harness of a reader: its files are in memory (tests/fuzz/memory_file.c). As a test it reads a corpus once; as a fuzzer, of
# the variant with the sanitizers, it has libFuzzer's main().
FUZZ_PARTS := $(patsubst %,$(O)/obj/tests/fuzz/memory_%.o,file folder) $(O)/parts.a $(LIBS)
wrap = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
FUZZ_WRAPS := $(call wrap,open openat read pread write fstat stat fstatat close fopen mkdirat symlinkat)
$(HARNESSES): $(O)/tests/fuzz/%: $(O)/obj/tests/fuzz/%.o $(O)/obj/tests/fuzz/corpus_main.o $(FUZZ_PARTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $(FUZZ_WRAPS) -o $@ $^ -lm

$(FUZZERS): $(O)/fuzzer/%: $(O)/obj/tests/fuzz/%.o $(O)/obj/tests/fuzz/memory_reuse.o $(FUZZ_PARTS)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -fsanitize=fuzzer $(FUZZ_WRAPS) $(call wrap,malloc calloc realloc free) -o $@ $^ -lm

# For programs with any C library: linked with none.
$(O)/tests/%.so: tests/%.c $(O)/flags.mk
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -nostdlib -MMD -MP -MT $@ -MF $(O)/tests/$*.d -o $@ $<

# clang-tidy: all that it knows, or without the analysis of paths, which takes a second a file, all else a tenth of that.
TIDY = clang-tidy --quiet $(1) $< -- -std=c17 $(CPPFLAGS) $(TIDYFLAGS) -DCUPEL_VERSION='"check"' 2>$@.err || \
	{ sed '/ generated\.$$/d' $@.err; false; }

$(O)/analysis/%.ok: %.c .clang-tidy $(O)/flags.mk
	@mkdir -p $(@D)
	@$(call TIDY,)
	@touch $@

$(O)/tidy/%.ok: %.c .clang-tidy $(O)/flags.mk
	@mkdir -p $(@D)
	@$(call TIDY,--checks=-clang-analyzer-*)
	@touch $@

-include $(OBJECTS:.o=.d) $(PROGRAMS:%.c=$(O)/obj/%.d) $(PRELOADS:%.c=$(O)/%.d)
EOF
}

# ---------------------------------------------------------------- commands

# build_targets VARIANT TARGET...: then the lock is given back, for what follows may take long.
build_targets() {
    prepare "$1"
    run_make "${@:2}"
    exec 9>&-
}

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

# keeps_result_only ARGUMENTS: they say where the result goes, and nothing of what is measured.
keeps_result_only() {
    while [ $# -gt 0 ]; do
        case $1 in
        -o | --output) [ $# -gt 1 ] && shift 2 || return 1 ;;
        -o?* | --output=?*) shift ;;
        *) return 1 ;;
        esac
    done
}

# The program runs where the caller stands: relative names are the caller's.
cmd_run() {
    build_targets musl binary
    cd "$caller"
    keeps_result_only "$@" || exec "$root/build/cupel" run "$@"
    if [ $# -gt 0 ]; then
        say "cupel run . --preset quick --limit 40s $*"
        exec "$root/build/cupel" run . --preset quick --limit 40s "$@"
    fi
    # A disk whose speed wanders is not decided in 40 s: that is a result too, and no failure of this script.
    say "cupel run . --preset quick --limit 40s"
    "$root/build/cupel" run . --preset quick --limit 40s || [ $? -eq 5 ]
}

cmd_test() {
    local variant=musl targets=(binary unit guest corpus)
    if [ "${1:-}" = --asan ]; then
        shift
        variant=asan targets=(binary unit corpus)
        need_sanitizers
        export CUPEL_QEMU=no # virtual machines run the static binary
        export CUPEL_TIMED_JOBS=${CUPEL_TIMED_JOBS:-2} # what is looked for here is no time
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

# build_named NAME...: what these tests run. A unit test is a program; a script runs the binary, and names the harnesses of
# readers (fuzz_NAME) or the programs of virtual machines (guest_NAME) that it runs.
build_named() {
    local targets=() name script
    prepare "$variant"
    for name in "$@"; do
        [ ! -e "tests/unit/$name.c" ] || targets+=("$out/tests/unit/$name")
        for script in tests/{cli,e2e}/"$name.sh"; do
            [ -e "$script" ] || continue
            targets+=(binary)
            ! grep -q 'fuzz_' "$script" || targets+=(corpus)
            ! grep -q 'guest_' "$script" || [ "$variant" != musl ] || targets+=(guest)
        done
    done
    run_make "${targets[@]}"
    exec 9>&-
}

# test_emulated [NAME...]: the tests of units and of the command line that take no time, or those named, with programs for
# another machine. Each has a starter, for the emulator comes first on its command line.
test_emulated() {
    local program
    need "${tools_emulator[@]}"
    if [ $# -gt 0 ]; then
        build_named "$@"
    else
        build_targets "$variant" binary unit
    fi
    rm -rf $out/emulated
    mkdir -p $out/emulated/unit
    for program in "$out"/cupel "$out"/tests/unit/test_*; do
        [[ $program != *.* ]] || continue
        # As long as a block: a test takes it for a target.
        printf '#!/bin/sh\nexec %s "%s" "$@"\n#%8192s\n' "${runner[*]}" "$root/$program" '' >$out/emulated/starter
        chmod 755 $out/emulated/starter
        case $program in
        */cupel) mv $out/emulated/starter $out/emulated/cupel ;;
        *) mv $out/emulated/starter "$out/emulated/unit/${program##*/}" ;;
        esac
    done
    [ $# -gt 0 ] || set -- --quick
    export CUPEL_TEST_LIMIT=${CUPEL_TEST_LIMIT:-600}
    CUPEL_EMULATED=$machine CUPEL_QEMU=no CUPEL=$root/$out/emulated/cupel CUPEL_UNIT=$root/$out/emulated/unit exec tests/run.sh "$@"
}

# prepare_image NAMES: what the virtual machines boot, where a selected test boots one: made when it is missing or older than
# the program. Where its packages or QEMU cannot be had, the tests that need them skip and say so.
prepare_image() {
    [ "${CUPEL_QEMU:-yes}" != no ] && [[ -z "$1" || "$1" =~ qemu_|image ]] || return 0
    [ ! -e build/cupel.img ] || [ -n "$(find boot tables -newer build/cupel.img)" ] ||
        ! cmp -s build/cupel build/image/root/init || ! have qemu-system-x86_64 || return 0
    ./build.sh image --qemu || [ $? -eq 77 ] || die "the image cannot be made; CUPEL_QEMU=no tests without it"
}

# prepare_library NAMES: the library, and what its test compiles programs with, when that test is selected.
prepare_library() {
    [[ -z "$1" || " $1 " == *' library '* ]] || return 0
    (need "${tools_library[@]}") || say "the library's test needs them: it is skipped"
    (build_targets host library)
}

# prepare_formats NAMES: what JSON and metrics are held against their formats with, when such a test is selected.
prepare_formats() {
    [[ -n "$1" && ! " $1 " == *' metrics_while_running '* ]] || (need "${tools_metrics[@]}") ||
        say "the test of the metrics needs it for its second parser"
    [[ -z "$1" || " $1 " == *' json_schema '* ]] || return 0
    python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || (need "${tools_schema[@]}") ||
        say "the test of the JSON schema needs it: it is skipped"
}

# prepare_launchers NAMES: the launchers that tests of many hosts start cupel by, when such a test is selected. Only on a
# machine that is made for tests: their packages start services (sshd, Slurm), which is nothing to do to anybody's machine.
prepare_launchers() {
    [ "${CUPEL_LAUNCHERS:-no}" = yes ] && [[ -z "$1" || "$1" =~ launch_ ]] || return 0
    (need "${tools_launchers[@]}") || say "the tests of launchers need them: those whose launcher is missing are skipped"
}

# prepare_shells NAMES: those whose completion is tested, when that test is selected.
prepare_shells() {
    [[ -z "$1" || " $1 " == *' completion '* ]] || return 0
    (need "${tools_shells[@]}") || say "the test of completion needs them: a shell that is missing is left out"
}

# prepare_browser NAMES: what pages are looked at with, when such a test is selected.
prepare_browser() {
    [ "${CUPEL_BROWSER:-yes}" != no ] && [[ -z "$1" || "$1" =~ html_ ]] || return 0
    (need "${tools_browser[@]}") || say "the tests of pages need them: they are skipped"
}

# All that building, tests, checks and fuzzing may ask for, at once: later each finds its own.
cmd_tools() {
    local tools=(musl-gcc:musl-tools /usr/include/linux/io_uring.h:linux-libc-dev "${tools_build[@]}" "${tools_host[@]}" "${tools_library[@]}"
        "${tools_shells[@]}" "${tools_schema[@]}" "${tools_metrics[@]}" "${tools_browser[@]}" "${tools_packages[@]}" "${tools_check[@]}"
        "${tools_asan[@]}" "${tools_image[@]}" "${tools_qemu[@]}" "${tools_emulator[@]}")
    PATH+=:/usr/sbin:/sbin
    [ "${CUPEL_LAUNCHERS:-no}" != yes ] || tools+=("${tools_launchers[@]}")
    (need "${tools[@]}") || say "not all at once, then: each is asked for where it is needed"
}

cmd_check() {
    need "${tools_check[@]}"
    build_targets musl binary
    CC="${cc[*]}" exec tests/check/run.sh "$@"
}

# With --qemu: what the tests boot it with is installed too. Exit 77: something that it needs cannot be had here.
cmd_image() {
    local tools=("${tools_image[@]}")
    PATH+=:/usr/sbin:/sbin
    case ${1:-} in
    '') ;;
    --qemu) tools+=("${tools_qemu[@]}") ;;
    *) die "image takes --qemu or nothing, not $1" ;;
    esac
    (need "${tools[@]}") || exit 77
    . boot/packages.sh
    . boot/initrd.sh
    . boot/image.sh
    prepare musl
    run_make binary
    begin_scratch
    make_image
    end_scratch
    exec 9>&-
}

cmd_bench() {
    need "${tools_bench[@]}"
    build_targets musl binary bench
    CUPEL=$root/build/cupel CUPEL_BENCH=$root/build/tests/bench exec tests/bench/run.sh "$@"
}

# install_place [--prefix] DIR: sets prefix, and to, the folder below DESTDIR that is written to.
install_place() {
    prefix=/usr/local
    case ${1:-} in
    '') ;;
    --prefix=*) prefix=${1#*=} ;;
    --prefix) prefix=${2:-} ;;
    -*) die "--prefix DIR or nothing is taken here, not $1" ;;
    *) prefix=$1 ;;
    esac
    [ -n "$prefix" ] || die "--prefix needs a folder, such as /usr/local"
    case $prefix in
    /*) ;;
    *) prefix=$caller/$prefix ;;
    esac
    to=${DESTDIR:-}$prefix
}

# The program with its pages, and the library: below DESTDIR, for a system where they lie in --prefix.
cmd_install() {
    local prefix to
    . packaging/install.sh
    . packaging/spdx.sh
    install_place "$@"
    (build_targets host library)
    build_targets musl binary library
    set_source_date
    install_all "$to"
    say "installed cupel and libcupel.a below $to; ./build.sh uninstall --prefix $prefix removes them"
}

cmd_uninstall() {
    local prefix to
    . packaging/install.sh
    install_place "$@"
    uninstall_all "$to"
    say "removed cupel and libcupel.a from $to"
}

# Everything into build/package, for this machine or another. What a missing tool would make is left out, and named.
cmd_package() {
    local variant=musl
    . packaging/install.sh
    . packaging/spdx.sh
    . packaging/package.sh
    set_target "$@"
    (need "${tools_packages[@]}") || say "what they make is left out"
    [ $variant = musl ] || need "${tools_emulator[@]}" # the program prints its own pages
    build_targets $variant binary
    set_source_date
    make_packages
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

cmd_reproduce() {
    . packaging/reproduce.sh
    reproduce "$@"
}

# See tests/fuzz/run.sh. Exit 77: what builds a fuzzer cannot be had here.
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
  check [--all]             layers, formatting, shell scripts, static analysis; every warning is an error. --all: the paths of all
                            files are analysed, not only of those that changed lately and of their users
  bench [NAME...]           build, then compare with minimal loops and with fio: all, or those of tests/bench
  image [--qemu]            build, then build/cupel.img, a disk image for a USB stick; --qemu: with what tests boot it in
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

The sources and their SHA-256 are listed at the top of build.sh, the packages in boot/packages.sh.
EOF
}

command=${1:-build}
[ $# -eq 0 ] || shift
case $command in
build | run | tools | test | check | bench | image | fuzz | install | uninstall | package | reproduce | clean | help) "cmd_$command" "$@" ;;
-h | --help) cmd_help ;;
*) die "$command is not a command; ./build.sh help lists them" ;;
esac
