#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Counts in how many files of src, hw and tables the names of certain things occur. Whoever adds such a thing has to touch as
# many files. Prints a row for each name in tests/check/names. Fails when a name occurs in more files than the number there
# allows, or in none, which means that it was renamed. When a count goes down, the number there must be lowered too.
#
# Comments do not count, nor do the tables of fio's names, which do not change when a thing is added. For a thing called NAME
# these count:
#
#   backend      the string "NAME", "--ioengine NAME" in a string, the identifier io_NAME
#   metric       the string "NAME", the identifier METRIC_NAME
#   format       the string "NAME", the identifier trace_format_NAME, a row NAME of the list of formats
#   bus          the string "NAME", the identifier look_at_NAME, identifiers that begin with NODE_NAME
#   subcommand   the string "NAME", "cupel NAME" in a string, the identifier command_NAME
#   operation    the identifiers OPERATION_NAME and REQUEST_NAME
#   option       the string "NAME", "--NAME" in a string (an option's variables have other names)
#
#   tests/check/names.sh [ROOT [TABLE]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
table=$(realpath "${2:-$here/names}")
cd "${1:-$here/../..}"

# The tables of fio's names are left out: a new thing of this project does not change them.
mapfile -d '' files < <(find src hw tables -type f ! -path '*/fio_option*' ! -path '*/fio_json.*' ! -path tables/fio_keys.h \( -name '*.[ch]' -o -name '*.profile' \) -print0 | sort -z)

# shellcheck disable=SC2016
awk '
    function count(i) {
        if (!((i, FILENAME) in seen)) {
            seen[i, FILENAME] = 1
            where[i] = where[i] "\n    " FILENAME
            files[i]++
        }
    }
    function string(s,    i) {
        if (s in equal) count_all(equal[s])
        if (s !~ /--|cupel /) return
        for (i = 1; i <= rows; i++)
            if (inside[i] && s ~ inside[i] "([^a-z0-9_-]|$)") count(i)
    }
    function count_all(list,    n, part, k) {
        n = split(list, part, " ")
        for (k = 1; k <= n; k++) count(part[k])
    }
    function identifier(word,    i) {
        if (word in exact) count_all(exact[word])
        if (word !~ /^NODE_/) return
        for (i = 1; i <= rows; i++)
            if (kind[i] == "bus" && index(word "_", start[i] "_") == 1) count(i)
    }
    FNR == NR {
        if ($1 ~ /^#/ || NF == 0) next
        if (NF != 3 || $3 !~ /^[0-9]+$/) {
            print FILENAME ":" FNR ": a row is a kind, a name and a number"
            bad = 1
            next
        }
        rows++
        kind[rows] = $1
        name[rows] = $2
        allowed[rows] = $3
        c = $2
        gsub(/-/, "_", c)
        if ($1 != "operation")
            equal[$2] = equal[$2] " " rows
        if ($1 == "backend") {
            inside[rows] = "--ioengine " $2
            exact["io_" c] = exact["io_" c] " " rows
        } else if ($1 == "metric") {
            exact["METRIC_" toupper(c)] = exact["METRIC_" toupper(c)] " " rows
        } else if ($1 == "format") {
            exact["trace_format_" c] = exact["trace_format_" c] " " rows
            row_of[c] = rows
        } else if ($1 == "bus") {
            exact["look_at_" c] = exact["look_at_" c] " " rows
            start[rows] = "NODE_" toupper(c)
        } else if ($1 == "subcommand") {
            inside[rows] = "cupel " $2
            exact["command_" c] = exact["command_" c] " " rows
        } else if ($1 == "operation") {
            exact["OPERATION_" toupper(c)] = exact["OPERATION_" toupper(c)] " " rows
            exact["REQUEST_" toupper(c)] = exact["REQUEST_" toupper(c)] " " rows
        } else if ($1 == "option") {
            inside[rows] = "--" $2
        } else {
            print FILENAME ":" FNR ": there is no kind " $1
            bad = 1
        }
        next
    }
    FNR == 1 { comment = 0 }
    {
        rest = $0
        while (rest != "") {
            if (comment) {
                at = index(rest, "*/")
                if (!at) break
                rest = substr(rest, at + 2)
                comment = 0
            } else if (match(rest, /^"([^"\\]|\\.)*"/)) {
                word = substr(rest, 2, RLENGTH - 2)
                rest = substr(rest, RLENGTH + 1)
                string(word)
            } else if (match(rest, /^[A-Za-z_][A-Za-z0-9_]*/)) {
                word = substr(rest, 1, RLENGTH)
                identifier(word)
                rest = substr(rest, RLENGTH + 1)
                if (word == "ROW" && match(rest, /^\([a-z0-9_]+\)/)) {
                    word = substr(rest, 2, RLENGTH - 2)
                    if (word in row_of) count(row_of[word])
                }
            } else if (rest ~ /^\/\*/) {
                comment = 1
                rest = substr(rest, 3)
            } else if (rest ~ /^\/\//) {
                break
            } else if (match(rest, /^\047([^\047\\]|\\.)+\047/)) {
                rest = substr(rest, RLENGTH + 1)
            } else if (match(rest, /^[^"A-Za-z_\/\047]+/)) {
                rest = substr(rest, RLENGTH + 1)
            } else {
                rest = substr(rest, 2)
            }
        }
    }
    END {
        if (bad) exit 1
        printf "%-11s %-14s %5s %8s\n", "kind", "name", "files", "allowed"
        for (i = 1; i <= rows; i++) {
            printf "%-11s %-14s %5d %8d\n", kind[i], name[i], files[i], allowed[i]
            if (files[i] > allowed[i])
                faults = faults kind[i] " " name[i] ": its name stands in " files[i] " files, " allowed[i] \
                    " are allowed: let a table or a function answer instead of a comparison" where[i] "\n"
            else if (!files[i])
                faults = faults kind[i] " " name[i] ": its name stands nowhere: correct tests/check/names\n"
            else if (files[i] < allowed[i])
                hints = hints kind[i] " " name[i] ": " files[i] " files, fewer than the " allowed[i] \
                    " allowed: write " files[i] " into tests/check/names\n"
        }
        printf "%s%s", hints, faults
        exit faults != ""
    }' "$table" "${files[@]}"
