# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs cupel and removes it again. build.sh sources this file, which uses build.sh's functions.

# install_program FOLDER ZSH: installs below FOLDER the program, its pages, completions (zsh's in share/ZSH), documents and
# the list of linked components.
install_program() {
    local to=$1 zsh=$2 name cupel=("${runner[@]}" "$root/$out/cupel")
    install -d -m 755 "$to"/{bin,share/man/man1,share/doc/cupel/docs,share/bash-completion/completions} \
        "$to/share/fish/vendor_completions.d" "$to/share/$zsh" ||
        die "$to cannot be written to: name another folder by --prefix, or be root"
    install -m 755 "$root/$out/cupel" "$to/bin/cupel"
    write "$to/share/bash-completion/completions/cupel" "${cupel[@]}" help --completion bash
    write "$to/share/$zsh/_cupel" "${cupel[@]}" help --completion zsh
    write "$to/share/fish/vendor_completions.d/cupel.fish" "${cupel[@]}" help --completion fish
    write "$to/share/man/man1/cupel.1" "${cupel[@]}" help --man
    sed -n 's/^cupel \([a-z][a-z]*\) .*/\1/p' "$to/share/man/man1/cupel.1" | sort -u | while read -r name; do
        write "$to/share/man/man1/cupel-$name.1" "${cupel[@]}" help "$name" --man
    done
    install -m 644 README.md CHANGELOG.md LICENSE "$to/share/doc/cupel/"
    install -m 644 docs/*.md "$to/share/doc/cupel/docs/"
    install -d -m 755 "$to/share/doc/cupel/docs/schema"
    install -m 644 docs/schema/* "$to/share/doc/cupel/docs/schema/"
    write "$to/share/doc/cupel/cupel.spdx.json" spdx_list
}

# write FILE COMMAND...: writes the command's output to the file.
write() {
    "${@:2}" >"$1.new" </dev/null
    chmod 644 "$1.new"
    mv "$1.new" "$1"
}

# Installs the library for the host's C library, and in lib/cupel-musl the one for musl. $prefix is its final place.
install_library() {
    local to=$1
    install -d -m 755 "$to"/{include,lib/pkgconfig,lib/cupel-musl}
    install -m 644 include/cupel.h "$to/include/"
    install -m 644 build/host/library/*.a "$to/lib/"
    install -m 644 build/library/*.a "$to/lib/cupel-musl/"
    write "$to/lib/pkgconfig/cupel.pc" pkg_config cupel 'readings to means with intervals, and when they are enough'
    write "$to/lib/pkgconfig/cupel-run.pc" pkg_config cupel-run 'the part of it that does I/O'
}

# pkg_config NAME DESCRIPTION: prints the pkg-config file for libNAME.a in $prefix.
pkg_config() {
    cat <<EOF
prefix=$prefix
# With --define-variable=libdir=$prefix/lib/cupel-musl: for programs that musl-gcc -static links.
libdir=\${prefix}/lib

Name: $1
Description: $2
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${libdir} -l$1 -lm -pthread
EOF
}

# The list of installed files, for the removal: paths below the prefix, and with a / at the end the folders that the install
# made.
manifest=share/doc/cupel/installed

# install_all FOLDER: installs everything below FOLDER. It is first made in an empty folder, so that the list has only these
# files.
install_all() {
    local to=$1
    umask 022 # everybody can read it, even if the umask of the builder says otherwise
    begin_scratch
    install_program "$scratch/tree" zsh/site-functions
    install_library "$scratch/tree"
    (cd "$scratch/tree" && find . -type f | sed 's,^\./,,' | sort) >"$scratch/installed"
    list_new_folders "$to" "$scratch/tree" >>"$scratch/installed"
    install -m 644 "$scratch/installed" "$scratch/tree/$manifest"
    { mkdir -p "$to" && cp -R "$scratch/tree/." "$to/"; } ||
        die "$to cannot be written to: name another folder by --prefix, or be root"
    end_scratch
}

# list_new_folders FOLDER TREE: prints the folders of TREE that FOLDER does not have, or that an earlier install made there,
# inner ones first.
list_new_folders() {
    local to=$1 name
    (cd "$2" && find . -depth -type d | sed 's,^\./,,') | while read -r name; do
        if [ ! -e "$to/$name" ] || grep -qxF "$name/" "$to/$manifest" 2>/dev/null; then
            echo "$name/"
        fi
    done
}

# uninstall_all FOLDER: removes the files of the list, and those of its folders that are empty then.
uninstall_all() {
    local to=$1 name
    [ -f "$to/$manifest" ] || die "nothing that ./build.sh install put there is below $to (no $manifest)"
    local names
    mapfile -t names <"$to/$manifest"
    for name in "${names[@]}"; do
        case /$name/ in
        */../* | //*) die "$to/$manifest is not as install wrote it: $name" ;;
        esac
    done
    for name in "${names[@]}" "$manifest"; do
        [[ $name == */ ]] || rm -f "$to/$name"
    done
    for name in "${names[@]}"; do
        if [[ $name == */ && -d $to/$name && ! -L $to/${name%/} ]]; then
            rmdir --ignore-fail-on-non-empty "$to/${name%./}"
        fi
    done
}

# install_place [--prefix] DIR: sets prefix, and `to`, the folder below DESTDIR into which files are written.
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

# Installs the program with its pages, and the library, below DESTDIR, for a system on which they are used in --prefix.
cmd_install() {
    local prefix to
    install_place "$@"
    (build_targets host library)
    build_targets musl binary library
    set_source_date
    install_all "$to"
    say "installed cupel and libcupel.a below $to; ./build.sh uninstall --prefix $prefix removes them"
}

cmd_uninstall() {
    local prefix to
    install_place "$@"
    uninstall_all "$to"
    say "removed cupel and libcupel.a from $to"
}
