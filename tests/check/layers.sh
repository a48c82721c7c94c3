#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Checks that src and hw keep to the list of rooms (folders) in tests/check/rooms and its arrows (permitted includes). Fails
# on: an #include that no arrow permits; an arrow that does not point upward in that list; an #include of another room's
# internal.h; a public header that only one file uses; <linux/stat.h> beside base/file/kernel_stat.h; a room that is not in
# the list; a folder of more than 40 files; a file without the licence line; a file over 500 lines that does not say why; more
# than 20 rooms at the first level, or more than 125 arrows between them. Prints these counts.
#
#   tests/check/layers.sh [ROOT]
set -euo pipefail
rooms=$(cd "$(dirname "$0")" && pwd)/rooms
cd "${1:-$(dirname "$0")/../..}"

top_level='boot docs examples hw include src tables tests tools Makefile build.sh CHANGELOG.md LICENSE README.md'
longest=500
fullest=40
rooms_max=20 arrows_max=125
breaches=$(mktemp)
counts=$(mktemp)
trap 'rm -f "$breaches" "$counts"' EXIT

# A user may keep results and programs beside the project. An entry of the top level belongs to the project when git tracks
# something in it, or, without git, when it contains sources.
is_ours() {
    if [ -e .git ] && command -v git >/dev/null; then
        git -c "safe.directory=$PWD" ls-files --error-unmatch -- "$1" >/dev/null 2>&1
    else
        [ -n "$(find "$1" -type f \( -name '*.[ch]' -o -name '*.sh' \) -print -quit)" ]
    fi
}

entries=()
while IFS= read -r entry; do
    case " $top_level " in
    *" $entry "*) entries+=("$entry") ;;
    *) ! is_ours "$entry" || echo "$entry: not one of the places the project has: $top_level" ;;
    esac
done < <(find . -mindepth 1 -maxdepth 1 -not -name '.*' -not -name build -printf '%P\n') >>"$breaches"

mapfile -d '' files < <(find "${entries[@]}" -type f \( -name '*.[ch]' -o -name '*.sh' \) -print0 | sort -z)

# Checks of every file its licence and length, and how many files its folder has. Test folders have no limit.
# shellcheck disable=SC2016
printf '%s\0' "${files[@]}" | xargs -0 -r awk -v longest="$longest" -v fullest="$fullest" '
    function finish() {
        if (!file) return
        if (!licence) print file ": the licence line is missing at its head"
        if (lines > longest && !why)
            print file ": " lines " lines, more than " longest \
                ": split it, or say at its head \"Longer than " longest " lines because\""
    }
    FNR == 1 {
        finish()
        file = FILENAME
        lines = licence = why = 0
        folder = file
        if (!sub("/[^/]*$", "", folder)) folder = "."
        if (folder !~ /^tests/ && ++full[folder] == fullest + 1)
            print folder ": more than " fullest " files: make rooms in it"
    }
    { lines = FNR }
    FNR <= 25 && /SPDX-License-Identifier: GPL-3.0-or-later/ { licence = 1 }
    FNR <= 25 && index($0, "Longer than " longest " lines because") { why = 1 }
    END { finish() }' >>"$breaches"

# Checks every #include. The input is the names of all files, then the list of rooms, then FILE:LINE:#include ...
{
    printf '%s\n' "${files[@]}" END-OF-FILES
    cat "$rooms"
    echo END-OF-ROOMS
    printf '%s\0' "${files[@]}" | xargs -0 -r grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*[<"]' -- || true
} | awk -v rooms_max=$rooms_max -v arrows_max=$arrows_max -v counts="$counts" '
    function room_of(file) {
        if (file in allowed) return file
        while (sub("/[^/]*$", "", file))
            if (file in allowed) return file
        return ""
    }
    function folder_of(file) {
        sub("/[^/]*$", "", file)
        return file
    }
    # Returns the room of the first level: src/io, hw, tables.
    function first_level(file,    names) {
        split(file, names, "/")
        return names[1] == "src" ? names[1] "/" names[2] : names[1]
    }
    function stem_of(file) {
        sub("[.][ch]$", "", file)
        return file
    }
    # Returns the file of this project that the compiler opens for the name, or "".
    function resolve(from, name) {
        if ((folder_of(from) "/" name) in ours) return folder_of(from) "/" name
        if (("src/" name) in ours) return "src/" name
        return name in ours ? name : ""
    }
    part == 0 {
        if ($0 == "END-OF-FILES") part = 1
        else ours[$0] = 1
        next
    }
    part == 1 {
        if ($0 == "END-OF-ROOMS") {
            part = 2
            for (file in ours)
                if (file ~ /[.][ch]$/) {
                    room = room_of(file)
                    if (room == "" || (room != folder_of(file) && room != file && room !~ /^(tests|boot)$/))
                        print file ": " folder_of(file) " is not a room of the project (tests/check/rooms)"
                }
        } else if ($1 ~ /^@/) {
            for (i = 2; i <= NF; i++) group[$1] = group[$1] " " $i
        } else if ($1 ~ /:$/) {
            room = substr($1, 1, length($1) - 1)
            allowed[room] = " "
            for (i = 2; i <= NF; i++) allowed[room] = allowed[room] ($i in group ? group[$i] : $i) " "
            n = split(allowed[room], names, " ")
            for (i = 1; i <= n; i++)
                if (names[i] != "any" && names[i] != room && !(names[i] in allowed) && allowed[room] !~ " " room " ")
                    print "tests/check/rooms: " room " may not include " names[i] ", which stands below it"
        }
        next
    }
    {
        split($0, place, ":")
        from = place[1]
        at = from ":" place[2]
        match($0, /include[ \t]*[<"]/)
        quote = substr($0, RSTART + RLENGTH - 1, 1)
        name = substr($0, RSTART + RLENGTH)
        sub(/[>"].*/, "", name)
        target = resolve(from, name)
        if (name ~ /[.][.]/) print at ": \"" name "\": write the path from src or the root, without .."
        if (target == "") {
            if (quote == "\"")
                print at ": \"" name "\" is in no room (third-party headers are written with <>)"
            if (name == "linux/stat.h" && from != "src/base/file/kernel_stat.h")
                print at ": <linux/stat.h> excludes the <sys/stat.h> of newer musl: include base/file/kernel_stat.h"
            next
        }
        if (stem_of(from) != stem_of(target)) users[target]++
        if (target ~ /\/internal[.]h$/ && folder_of(from) != folder_of(target) && from !~ /^tests\//)
            print at ": " target " is private to its room"
        if (from ~ /^(src|hw|tables|include)\// && first_level(from) != first_level(target))
            arrows[first_level(from) " " first_level(target)]
        room = room_of(from)
        other = room_of(target)
        if (room == "" || room == other || allowed[room] ~ / any /) next
        if (index(allowed[room], " " other " ") == 0) print at ": " room " must not include " other " (" target ")"
    }
    END {
        for (file in users)
            if (users[file] == 1 && file !~ /internal[.]h$/ && file !~ /^(tests|tables)\//)
                print file ": one file uses it: make it a part of the internal.h of its room"
        for (file in ours)
            if (file ~ /^(src|hw|tables|include)\//) rooms[first_level(file)]
        printf "%d rooms at the first level, %d arrows between them\n", length(rooms), length(arrows) >counts
        if (length(rooms) > rooms_max || length(arrows) > arrows_max)
            print "more than " rooms_max " rooms at the first level, or more than " arrows_max " arrows between them"
    }' >>"$breaches"
cat "$counts"

printf '%s\0' "${files[@]}" | xargs -0 -r awk '
    FILENAME ~ /^(src|hw|tables)\// { lines++; if (FNR == 1) files++ }
    END { print files + 0 " files of product code, " lines + 0 " lines" }'
[ ! -s "$breaches" ] || {
    sort "$breaches"
    echo "$(wc -l <"$breaches") breaches of the rules of tests/check/layers.sh"
    exit 1
}
