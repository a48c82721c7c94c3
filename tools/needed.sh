# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# The tools that building, tests and checks need, and how they are installed (Debian).

# The tools, each with the Debian package that brings it; a path stands for a file that must be there.
tools_build=(make:make ar:binutils flex:flex bison:bison tar:tar gzip:gzip xz:xz-utils flock:util-linux)
tools_asan=(clang:clang ld.lld:lld /usr/include/stdio.h:libc6-dev)
tools_host=(gcc:gcc /usr/include/stdio.h:libc6-dev objcopy:binutils)
tools_library=(g++:g++ pkg-config:pkg-config) # for the library's test
tools_launchers=(mpirun.openmpi:openmpi-bin mpirun.mpich:mpich clush:clustershell pdsh:pdsh ansible:ansible-core
    sshd:openssh-server ssh:openssh-client ip:iproute2 setpriv:util-linux slurmctld:slurmctld slurmd:slurmd srun:slurm-client munged:munge)
tools_shells=(zsh:zsh fish:fish) # for the test of shell completion
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
    modprobe:kmod depmod:kmod modinfo:kmod dpkg-deb:dpkg /usr/share/keyrings/debian-archive-keyring.gpg:debian-archive-keyring)
tools_qemu_aarch64=(qemu-system-aarch64:qemu-system-arm /usr/share/AAVMF/AAVMF_CODE.fd:qemu-efi-aarch64)
tools_qemu=(qemu-system-x86_64:qemu-system-x86 /usr/share/OVMF/OVMF_CODE_4M.secboot.fd:ovmf)

have() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# need TOOL:PACKAGE...: installs the packages of the tools that are missing, or reports which are missing.
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
    # Package lists are updated only when they are absent or too old to download the packages.
    if ! "${install[@]}" --download-only >/dev/null 2>&1 </dev/null; then
        logged "updating the package lists" build/log/apt-update.log as_root apt-get -q update
    fi
    logged "installing $*" build/log/apt-install.log "${install[@]}"
}

# need_sanitizers: installs clang and the run-time libraries of its version, which may be a separate package. Exits with 77
# when they are not available here.
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

# Installs everything that building, tests, checks and fuzzing may need, so that none of them has to install later.
cmd_tools() {
    local tools=(musl-gcc:musl-tools /usr/include/linux/io_uring.h:linux-libc-dev "${tools_build[@]}" "${tools_host[@]}" "${tools_library[@]}"
        "${tools_shells[@]}" "${tools_schema[@]}" "${tools_metrics[@]}" "${tools_browser[@]}" "${tools_packages[@]}" "${tools_check[@]}"
        "${tools_asan[@]}" "${tools_image[@]}" "${tools_qemu[@]}" "${tools_emulator[@]}")
    PATH+=:/usr/sbin:/sbin
    [ "${CUPEL_LAUNCHERS:-no}" != yes ] || tools+=("${tools_launchers[@]}")
    (need "${tools[@]}") || say "not all at once, then: each is asked for where it is needed"
}
