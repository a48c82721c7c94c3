#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that every file exists that README.md, boot/README.md and docs/*.md mention: paths that begin with a folder of the
# top level (src/io/io.h, tests/unit/test_*.c), the targets of links, and the folders and files that the map of README.md
# lists for a room ("src/io/   ... io.h  ring/"). A path with * or ? must match at least one file. Checks that all rooms of
# the first level are in that map and in the one at the head of src/cmd/main.c, and that every C file exists that a comment
# mentions.
#
#   tests/check/pages.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

pages=(README.md boot/README.md)
mapfile -t -O 2 pages < <(find docs -name '*.md' | sort)
missing=0
checked=0

# expect PAGE:LINE PATH: reports the path if neither it nor a file that matches it exists.
expect() {
    local path=${2%%[.,:;]}
    checked=$((checked + 1))
    [ -e "$path" ] || { [[ $path == *[*?]* ]] && compgen -G "$path" >/dev/null; } || {
        echo "$1: $path does not exist"
        missing=$((missing + 1))
    }
}

for page in "${pages[@]}"; do
    while IFS=: read -r line path; do
        expect "$page:$line" "$path"
    done < <(grep -noP '(?<![\w./~-])(src|hw|tables|boot|docs|tests|include|examples)/[\w.*?/-]*' "$page" || true)
    while IFS=: read -r line target; do
        target=${target#](}
        case $target in
        *://* | '#'*) ;;
        *) expect "$page:$line" "$(dirname "$page")/${target%%#*}" ;;
        esac
    done < <(grep -noP '\]\([^)]+' "$page" || true)
done

# Each row of a table must have as many cells as its first row.
while IFS= read -r row; do
    echo "$row cells than the table's first row"
    missing=$((missing + 1))
done < <(awk '
    !/^\|/ || FNR == 1 { first = 0 }
    /^\|/ {
        text = $0
        gsub(/\\\||`[^`]*`/, "", text)
        cells = gsub(/\|/, "", text)
        if (first && cells != first) print FILENAME ":" FNR ": " (cells > first ? "more" : "fewer")
        if (!first) first = cells
    }' "${pages[@]}")

while IFS=: read -r line room words; do
    for word in $words; do
        word=${word#(}
        word=${word%%[,;:)]*}
        case $word in
        [a-z]*/ | [a-z]*.[ch] | [a-z]*.sh) expect "README.md:$line" "$room/$word" ;;
        esac
    done
done < <(sed -nE '/^```/!{=;p}' README.md | sed 'N;s/\n/:/' |
    sed -nE 's,^([0-9]+:(src|hw|tables|boot|docs|tests|include|examples)[a-z/]*)/  +,\1:,p')

# room_in_maps ROOM: checks that both maps have a line for the room.
room_in_maps() {
    local map
    for map in README.md src/cmd/main.c; do
        [ -e "$map" ] || continue
        grep -qE "^( \*   )?$1/ " "$map" || {
            echo "$map: its map leaves out $1/"
            missing=$((missing + 1))
        }
    done
}
for room in tables hw src/*; do
    [ ! -d "$room" ] || room_in_maps "$room"
done

# Finds files of this project that comments mention: a.c, room/a.h, src/room/a.h. Paths in other folders are not ours.
while IFS=: read -r file line name; do
    echo "$file:$line: the comment mentions $name, which does not exist"
    missing=$((missing + 1))
done < <(
    find src hw tables tests include examples -name '*.[ch]' -print 2>/dev/null | awk '
        {
            path = $0
            known[path]
            while (sub("^[^/]*/", "", path)) known[path]
            files[++count] = $0
        }
        END {
            for (i = 1; i <= count; i++) {
                line = 0
                while ((getline text < files[i]) > 0) {
                    line++
                    if (text ~ /^[ \t]*#[ \t]*include/) continue
                    while (match(text, /[A-Za-z0-9_*.\/-]*[A-Za-z0-9_]\.[ch]([^A-Za-z0-9_]|$)/)) {
                        name = substr(text, RSTART, RLENGTH)
                        text = substr(text, RSTART + RLENGTH)
                        sub(/[^ch]$/, "", name)
                        if (name !~ /[*]/ && name !~ /^(linux|asm|lib|fs|sys)?\// &&
                            name !~ /^cputype|NAME/ && !(name in known))
                            print files[i] ":" line ":" name
                    }
                }
                close(files[i])
            }
        }'
)

echo "$checked paths in ${#pages[@]} pages"
[ $missing -eq 0 ] || {
    echo "$missing are wrong"
    exit 1
}
