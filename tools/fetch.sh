# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# Fetches the sources of other projects from a mirror into the cache and accepts them by their SHA-256.

# fetch NAME VERSION FILE SHA256: sets source to the path of the verified file.
fetch() {
    local name=$1 file=$3 sha256=$4
    [[ $sha256 =~ ^[0-9a-f]{64}$ ]] || die "$file: no SHA-256 is pinned for it in tools/libraries: refused"
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
        die "$source: its SHA-256 is not the one pinned in tools/libraries ($sha256): refused"
}

matches() {
    [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]
}

# fetch_from_mirror NAME FILE SHA256: fetches into the cache, from the Debian mirror that this machine uses, by apt, which has
# its proxy settings. All releases share the folder of a source package in the archive, so no release is named.
fetch_from_mirror() {
    local name=$1 file=$2 sha256=$3 helper=/usr/lib/apt/apt-helper mirror part
    [ -x $helper ] || {
        echo "No apt here: give a folder that has $file in CUPEL_DISTFILES."
        return 1
    }
    mkdir -p "$cache/distfiles"
    part=$cache/distfiles/$file.$$
    for mirror in $(debian_mirrors "") ${CUPEL_MIRROR:-}; do
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

# place_of NAME FILE: prints the path of a source package's file in any Debian archive, or npm:NAME@VERSION for the file that
# settle_uplot takes.
place_of() {
    local version=${2#uplot-}
    case $1 in
    node-uplot) [ "$version" = "$2" ] && echo "pool/main/n/$1/$2" || echo "npm:uplot@${version%.tgz}" ;;
    lib*) echo "pool/main/${1:0:4}/$1/$2" ;;
    *) echo "pool/main/${1:0:1}/$1/$2" ;;
    esac
}

# debian_mirrors SUFFIX: prints the archives in this machine's apt setup that carry a whole release (""), or its security
# updates ("-security").
debian_mirrors() {
    local codename
    # shellcheck source=/dev/null
    codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-stable}")
    apt-get update --print-uris 2>/dev/null |
        sed -n "s,^'\(.*\)/dists/\($codename\|stable\|testing\|sid\|unstable\)$1/InRelease' .*,\1,p"
}
