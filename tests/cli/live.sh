#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# --live: draws a full screen on a terminal and always restores the terminal; without a terminal it is refused in one line.
# shellcheck source=/dev/null
helper=$(cd "$(dirname "$0")/terminal" && pwd)
. "$(dirname "$0")/checks"

for command in run 'replay trace' qualify; do
    # shellcheck disable=SC2086
    TERM=xterm status 2 $command . --live -o kept
    [ "$(wc -l <err)" -eq 1 ] || fault "$command --live without a terminal: $(cat err)"
    holds err '--live needs a terminal on standard error'
    [ ! -e kept ] || fault "$command --live made a folder before it was refused"
done

command -v python3 >/dev/null || {
    echo 'there is no python3 to make a terminal'
    exit 77
}
PYTHONDONTWRITEBYTECODE=1 timeout 150 python3 "$helper/live.py" "$CUPEL" || failures=$((failures + 1))
finish
