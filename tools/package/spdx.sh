# shellcheck shell=bash disable=SC2154 # build.sh sets what is not set here
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of what is linked into the binary, as SPDX 2.3: the pins of build.sh, and what the compiler brings. Read in by
# Makes the list of components (SPDX). build.sh sources this file, which uses build.sh's functions.

# Of each pinned library: the licence under which it is linked, and its author.
licences='
liburing    LGPL-2.1-or-later OR MIT    Jens Axboe and others
gsl         GPL-3.0-or-later            The GSL Team
pciutils    GPL-2.0-or-later            Martin Mares
lm-sensors  LGPL-2.1-or-later           The lm-sensors developers
zlib        Zlib                        Jean-loup Gailly and Mark Adler
tinyssh     CC0-1.0 OR 0BSD OR MIT-0 OR MIT    Jan Mojzis
node-uplot  MIT                         Leon Sorokin
'

# linked_archives: prints the archives from which the linker took something, according to its map.
linked_archives() {
    sed -n '/^Archive member included/,/^Discarded input sections\|^Memory Configuration/p' "$out/cupel.map" |
        sed -n 's/^\([^ ]*\.a\)(.*/\1/p' | sort -u
}

# spdx_list: prints the SPDX document.
spdx_list() {
    local name number file sha256 licence author linked relation relations=()
    linked=$(linked_archives)
    cat <<EOF
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "cupel-$(built_version)-linux-$machine",
  "documentNamespace": "urn:sha256:$(sha256sum <"$out/cupel" | cut -d ' ' -f 1)",
  "creationInfo": {
    "created": "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)",
    "creators": ["Tool: cupel-build.sh-$version"]
  },
  "packages": [
EOF
    spdx_package cupel "$(built_version)" 'GPL-3.0-or-later' 'The cupel developers' '' \
        "$(sha256sum <"$out/cupel" | cut -d ' ' -f 1)" APPLICATION
    while read -r name number file sha256; do
        relation=CONTAINS # its text is in the program
        if compgen -G "$out/lib/$name/lib/*.a" >/dev/null; then
            grep -q "^$out/lib/$name/" <<<"$linked" || continue # the program needs nothing of it
            relation=STATIC_LINK
        fi
        licence=$(licence_of "$name")
        [ -n "$licence" ] || die "$name has no licence in tools/package/spdx.sh"
        author=${licence#*|}
        printf ',\n'
        spdx_package "$name" "$number" "${licence%%|*}" "$author" "$(place_of "$name" "$file")" "$sha256" LIBRARY
        relations+=("$relation:$name")
    done < <(grep . <<<"$libraries")
    spdx_toolchain
    printf '\n  ],\n  "relationships": [\n'
    printf '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-cupel"}'
    for name in "${relations[@]}" STATIC_LINK:musl STATIC_LINK:libgcc; do
        printf ',\n    {"spdxElementId": "SPDXRef-cupel", "relationshipType": "%s", "relatedSpdxElement": "SPDXRef-%s"}' "${name%%:*}" "${name#*:}"
    done
    printf ',\n    {"spdxElementId": "SPDXRef-linux-headers", "relationshipType": "BUILD_DEPENDENCY_OF", "relatedSpdxElement": "SPDXRef-cupel"}'
    printf '\n  ]\n}\n'
}

# Lists what is linked but not pinned: the C library, what the compiler adds, the kernel's headers. The files are this
# machine's.
spdx_toolchain() {
    local library musl
    musl=$("${cc[@]}" -print-file-name=libc.a)
    library=$("${cc[@]}" -print-libgcc-file-name)
    printf ',\n'
    spdx_package musl "$(version_of_file "$musl")" MIT 'Rich Felker and others' '' "$(sha256sum <"$musl" | cut -d ' ' -f 1)" LIBRARY
    printf ',\n'
    spdx_package libgcc "$("${cc[@]}" -dumpfullversion)" 'GPL-3.0-or-later WITH GCC-exception-3.1' 'Free Software Foundation' \
        '' "$(sha256sum <"$library" | cut -d ' ' -f 1)" LIBRARY
    printf ',\n'
    spdx_package linux-headers "$(kernel_headers_version)" 'GPL-2.0-only WITH Linux-syscall-note' 'Linus Torvalds and others' \
        '' '' OTHER
}

# spdx_package NAME VERSION LICENCE AUTHOR PLACE SHA256 PURPOSE: prints one package. PLACE is the path of the file in a Debian
# archive (any mirror has it, so none is named), or npm:NAME@VERSION for the maker's file.
spdx_package() {
    local author=${4//\\/\\\\}
    printf '    {\n      "SPDXID": "SPDXRef-%s",\n      "name": "%s",\n      "versionInfo": "%s",\n' "$1" "$1" "$2"
    printf '      "supplier": "Organization: %s",\n      "originator": "Organization: %s",\n' \
        "$([[ $1 == cupel || $5 == npm:* ]] && echo "$4" || echo Debian)" "${author//\"/\\\"}"
    printf '      "downloadLocation": "NOASSERTION",\n      "filesAnalyzed": false,\n'
    case $5 in
    '') ;;
    npm:*) printf '      "sourceInfo": "what npm pack %s fetches",\n' "${5#npm:}" ;;
    *) printf '      "packageFileName": "%s",\n      "sourceInfo": "packageFileName is the path in any Debian archive",\n' "$5" ;;
    esac
    [ -z "$6" ] || printf '      "checksums": [{"algorithm": "SHA256", "checksumValue": "%s"}],\n' "$6"
    printf '      "licenseConcluded": "%s",\n      "licenseDeclared": "%s",\n      "copyrightText": "NOASSERTION",\n' "$3" "$3"
    printf '      "primaryPackagePurpose": "%s"\n    }' "$7"
}

# licence_of NAME: prints "LICENCE|AUTHOR", or nothing.
licence_of() {
    sed -n "s/^$1  *\([^ ].*[^ ]\)   *\([^ ].*\)\$/\1|\2/p" <<<"$licences"
}

# Prints Debian's version of the package that the file belongs to; on other systems, the version that the named program
# prints.
version_of_file() {
    local package
    package=$(dpkg -S "$(realpath "$1")" 2>/dev/null | cut -d ' ' -f 1)
    if [ -n "$package" ]; then
        # shellcheck disable=SC2016 # a form of dpkg's
        dpkg-query -W -f '${Version}' "${package%:}"
    else
        echo NOASSERTION
    fi
}

kernel_headers_version() {
    local code
    code=$(echo '#include <linux/version.h>' |
        "${cc[@]}" ${kernel_headers:+-isystem "$kernel_headers"} -dM -E - 2>/dev/null | sed -n 's/^#define LINUX_VERSION_CODE //p')
    [ -n "$code" ] && echo "$((code >> 16)).$(((code >> 8) & 255)).$((code & 255))" || echo NOASSERTION
}
