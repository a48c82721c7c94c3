# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that the build is reproducible: builds the commit twice, in two clones in folders of different names, under users of
# different names with another umask, time zone and language. The binaries and all packages must be equal, byte by byte.
# build.sh sources this file.
#
# Normally the libraries, and compilations that ccache knows, come from the cache, so that only the steps after the compiler
# are compared. With --full both builds compile everything, libraries too.

# reproduce [--full]: without --full, this tree is the first of the two if it has no uncommitted change.
reproduce() {
    local full=no first=one second=the-other/clone name differ=0 count=0
    case ${1:-} in
    '') ;;
    --full) full=yes ;;
    *) die "reproduce takes --full or nothing, not $1" ;;
    esac
    { have git && [ -e .git ]; } || die "reproduce clones the commit: this tree has no .git"
    [ "$full" = no ] || { (need "${tools_packages[@]}") || true; }
    begin_scratch
    if [ -n "$(ask_git status --porcelain -uno)" ]; then
        say "what is not committed is not built"
    elif [ "$full" = no ]; then
        first=this
        ln -s "$root" "$scratch/this"
    fi
    mkdir "$scratch/the-other"
    for name in $first $second; do
        [ "$name" = this ] || git -c advice.detachedHead=false clone -q --shared "$root" "$scratch/$name"
    done
    build_clone $first 022 UTC C builder
    build_clone $second 077 Asia/Kathmandu de_DE.UTF-8 somebody-else
    while read -r name; do
        count=$((count + 1))
        cmp "$scratch/$first/build/$name" "$scratch/$second/build/$name" >&2 || differ=$((differ + 1))
    done < <(printf '%s\n' cupel cupel.debug && cd "$scratch/$second/build" && find package -name 'cupel*')
    [ $differ -eq 0 ] || die "$differ of $count files differ between two builds; diffoscope shows what in them"
    say "$count files are equal in two builds: $(sha256sum <"$scratch/$second/build/cupel" | cut -d ' ' -f 1) build/cupel"
    end_scratch
}

# build_clone FOLDER UMASK ZONE LANGUAGE USER: builds the packages in the clone, in that environment.
build_clone() {
    local caches=(CUPEL_CACHE="$cache")
    if [ "$full" = yes ]; then
        caches=(CUPEL_CACHE="$scratch/$1/build/cache" CUPEL_DISTFILES="$cache/distfiles" CCACHE_DISABLE=1)
    fi
    # `cd -P` uses the folder's real name: under another name everything would be compiled again.
    (cd -P "$scratch/$1" && umask "$2" &&
        TZ=$3 LANG=$4 LC_ALL=$4 USER=$5 LOGNAME=$5 env -u SOURCE_DATE_EPOCH "${caches[@]}" ./build.sh package) >"$scratch/log" 2>&1 ||
        die "the build in $1 failed: $(tail -n 20 "$scratch/log")"
}

cmd_reproduce() {
    reproduce "$@"
}
