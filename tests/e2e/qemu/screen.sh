# shellcheck shell=bash disable=SC2154 # lib.sh is read in before
# SPDX-License-Identifier: GPL-3.0-or-later
# What the screen of a virtual machine shows, by screendump.
needs python3
golden=$PROJECT/tests/golden/verdict_screen

# shown NAME: what the screen shows now, NAME.ppm, and what the serial line got since the last keys, NAME.txt.
shown() {
    sleep 0.5 # the guest writes to its serial line before it writes to its screen, and QEMU draws now and then
    monitor screendump "$FOLDER/$1.ppm" >/dev/null
    since_sent >"$1.txt"
}

# verdict_shown GOLDEN COLOUR ROWS [KNOWN...]: the screen `verdict` holds what screen.py says; KNOWN are screens that look
# the same on the serial line.
verdict_shown() {
    local letters=$golden/$1 colour=$2 rows=$3 known=()
    shift 3
    for name in "$@"; do
        known+=("$name.ppm=$name.txt")
    done
    python3 "$PROJECT/tests/e2e/qemu/screen.py" verdict.ppm=verdict.txt "$letters" "$colour" "$rows" "${known[@]}" ||
        fault "the screen is not as it should be"
}
