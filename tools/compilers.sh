# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# The compiler for each variant of the program.

# preprocesses TEXT COMPILER...: true when the compiler can preprocess the text.
preprocesses() {
    printf '%s\n' "$1" | "${@:2}" -E - >/dev/null 2>&1
}

is_musl() {
    preprocesses $'#include <features.h>\n#ifdef __GLIBC__\n#error\n#endif' "$@"
}

# Sets cc to a compiler command for musl, with arguments, and kernel_headers to a folder that it needs, or to nothing.
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

# Debian's musl-gcc does not find the kernel's headers, and all of /usr/include would add glibc's headers as well. So it gets
# a folder with links to the kernel's three header folders.
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

# find_cross_compiler: sets cc, kernel_headers, out, strip, machine and runner for building aarch64 programs with Debian's
# packages. Exits with 77 when these are not available here.
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
