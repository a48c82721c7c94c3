# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# The compiler for each variant of the program.

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
