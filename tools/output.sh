# shellcheck shell=bash disable=SC2154,SC2034 # build.sh and its other parts set and use what is not set or used here
# SPDX-License-Identifier: GPL-3.0-or-later
# What build.sh and its parts print.

say() {
    printf '%s\n' "$*" >&2
}

die() {
    say "build.sh: $*"
    exit 1
}

# logged TEXT LOG COMMAND...: runs the command with its output in the log, and prints one line: the text and the seconds it
# took.
logged() {
    local text=$1 log=$2 begin=$EPOCHREALTIME tenths
    shift 2
    mkdir -p "$(dirname "$log")"
    if ! "$@" >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" >&2
        die "$text failed; above is the end of $root/$log"
    fi
    tenths=$(((${EPOCHREALTIME/[.,]/} - ${begin/[.,]/}) / 100000))
    say "$text ($((tenths / 10)).$((tenths % 10)) s)"
}
