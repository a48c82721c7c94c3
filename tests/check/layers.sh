#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom: reads the #include lines of every C file below ROOT and fails on a breach. Also: files outside
# the known rooms, files without the licence line, files over 500 lines that do not say why.
#
#   tests/check/layers.sh [ROOT]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

top_level='boot hw profiles src tables tests build.sh CHANGELOG.md LICENSE README.md'
longest=500

# The rooms that a room may include, besides itself. tests and boot may include anything.
allowed_from() {
    case $1 in
    tables) echo '' ;;
    src/base) echo 'tables' ;;
    src/stat | src/io | src/trace | src/generator | src/tracepoint | hw) echo 'tables src/base' ;;
    src/model) echo 'tables src/base src/stat' ;;
    src/run) echo 'tables src/base src/stat src/model src/io src/trace src/generator src/tracepoint hw' ;;
    src/report | src/init) echo 'tables src/base' ;;
    src/qualify) echo 'tables src/base src/stat src/io src/generator hw src/run' ;;
    src/cmd) echo 'tables src/base src/stat src/model src/io src/trace src/generator src/tracepoint hw src/run src/report src/qualify src/init' ;;
    tests | boot) echo 'any' ;;
    *) return 1 ;;
    esac
}

room_of() {
    case $1 in
    src/*/*)
        room=${1#src/}
        room=src/${room%%/*}
        ;;
    */*) room=${1%%/*} ;;
    *) room=. ;;
    esac
}

breaches=0
breach() {
    echo "$*"
    breaches=$((breaches + 1))
}

# resolve FILE NAME: sets target to the file that the compiler would take, nothing when it is not one of ours.
resolve() {
    local candidate
    for candidate in "${1%/*}/$2" "src/$2" "$2"; do
        if [ -f "$candidate" ]; then
            target=$candidate
            return
        fi
    done
    target=
}

check_include() {
    local file=$1 line=$2 quote=$3 name=$4 from allowed
    resolve "$file" "$name"
    if [ -z "$target" ]; then
        [ "$quote" = '<' ] || breach "$file:$line: \"$name\" is in no room (third-party headers are written with <>)"
        return 0
    fi
    case $name in
    *..*) breach "$file:$line: \"$name\": write the path from src or the root, without .." ;;
    esac
    room_of "$file"
    from=$room
    room_of "$target"
    allowed=$(allowed_from "$from") || return 0
    [ "$allowed" != any ] && [ "$room" != "$from" ] || return 0
    case " $allowed " in
    *" $room "*) ;;
    *) breach "$file:$line: $from must not include $room ($target)" ;;
    esac
}

while IFS= read -r entry; do
    case " $top_level " in
    *" ${entry#./} "*) ;;
    *) breach "${entry#./}: not one of the places the project has: $top_level" ;;
    esac
done < <(find . -mindepth 1 -maxdepth 1 -not -name '.*' -not -name build)

files=()
while IFS= read -r -d '' file; do
    files+=("${file#./}")
done < <(find . \( -path ./build -o -path './.*' \) -prune -o -type f \( -name '*.[ch]' -o -name '*.sh' \) -print0 | sort -z)

for file in ${files[@]+"${files[@]}"}; do
    room_of "$file"
    if [ "$room" != . ] && ! allowed_from "$room" >/dev/null; then
        breach "$file: $room is not a room of the project"
    fi
    mapfile -t lines <"$file"
    head=$(printf '%s\n' "${lines[@]:0:25}")
    [[ $head == *SPDX-License-Identifier:\ GPL-3.0-or-later* ]] || breach "$file: the licence line is missing at its head"
    if [ ${#lines[@]} -gt $longest ] && [[ $head != *'Longer than 500 lines because'* ]]; then
        breach "$file: ${#lines[@]} lines, more than $longest: split it, or say at its head \"Longer than 500 lines because\""
    fi
done

include='^([^:]*):([0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^>"]*)[>"]'
while IFS= read -r found; do
    if [[ $found =~ $include ]]; then
        check_include "${BASH_REMATCH[@]:1:4}"
    fi
done < <(printf '%s\0' ${files[@]+"${files[@]}"} | xargs -0 -r grep -HnE '^[[:space:]]*#[[:space:]]*include' -- || true)

[ $breaches -eq 0 ] || {
    echo "$breaches breaches of the rules of tests/check/layers.sh"
    exit 1
}
