#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks how many files know a part of a session. For each row of tests/check/parts, prints how many files outside of the part
# include its headers, and fails when they are more than the number there allows. When a count goes down, the number there
# must be lowered too. Every part of SESSION_PART_ROWS (src/run/session/part.h) must have a row, and every row must name a
# part.
#
#   tests/check/parts.sh [ROOT [TABLE]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
table=$(realpath "${2:-$here/parts}")
cd "${1:-$here/../..}"

list=src/run/session/part.h
mapfile -t parts < <(sed -n '/define SESSION_PART_ROWS/,/^$/s/.*ROW([A-Z_]*, \([a-z_]*\)).*/\1/p' "$list")
[ ${#parts[@]} -gt 0 ] || {
    echo "$list: it holds no SESSION_PART_ROWS"
    exit 1
}
declare -A seen=()
faults=()
printf '%-14s %5s %8s\n' part files allowed
while read -r part allowed own headers; do
    [[ $part && $part != '#'* ]] || continue
    seen[$part]=1
    [[ " ${parts[*]} " == *" $part "* ]] || faults+=("$part: no part of $list has that name")
    [[ $allowed =~ ^[0-9]+$ && $own ]] || {
        echo "$table: a row is a part, a number, the files of the part, and its headers: $part"
        exit 1
    }
    # The column of a part's files has file names, and folder names with a slash at the end, separated by commas.
    for place in ${own//,/ }; do
        [ -e "$place" ] || faults+=("$part: $place does not exist: correct tests/check/parts")
    done
    pattern=
    for header in $headers; do
        [ -e "src/$header" ] || [ -e "$header" ] || faults+=("$part: $header does not exist: correct tests/check/parts")
        pattern+=${pattern:+|}${header//./[.]}
    done
    users=()
    [ -z "$pattern" ] || while IFS= read -r file; do
        for place in ${own//,/ }; do
            [[ $file != "$place" && ($place != */ || $file != "$place"*) ]] || continue 2
        done
        users+=("$file")
    done < <(grep -rlE --include='*.[ch]' "^#include \"($pattern)\"" src hw tables | sort)
    printf '%-14s %5d %8d\n' "$part" ${#users[@]} "$allowed"
    [ ${#users[@]} -le "$allowed" ] ||
        faults+=("$part: ${#users[@]} files outside of it include its headers, $allowed are allowed:" "${users[@]/#/    }")
    [ ${#users[@]} -ge "$allowed" ] || echo "$part: fewer than the $allowed allowed: write ${#users[@]} into tests/check/parts"
done <"$table"
for part in "${parts[@]}"; do
    [ "${seen[$part]-}" ] || faults+=("$part: a part without a row in tests/check/parts")
done
[ ${#faults[@]} = 0 ] || {
    printf '%s\n' "${faults[@]}"
    exit 1
}
