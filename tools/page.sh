# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later

# embed_page FOLDER: writes FOLDER/page.gz, the text that all HTML pages share (src/report/html/html_page.c): style, script,
# and a content security policy that permits only these two, each ended by a zero byte.
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
