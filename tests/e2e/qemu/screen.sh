# shellcheck shell=bash disable=SC2154 # lib.sh is read in before
# SPDX-License-Identifier: GPL-3.0-or-later
# The screen of a virtual machine, read by screendump.
needs python3
golden=$PROJECT/tests/golden/verdict_screen

# shown NAME: stores the present screen as NAME.ppm, and the serial output since the last keys as NAME.txt.
shown() {
    sleep 0.5 # the guest writes to the serial line first, and QEMU draws the screen only now and then
    monitor screendump "$FOLDER/$1.ppm" >/dev/null
    since_sent >"$1.txt"
}

# verdict_shown GOLDEN COLOUR ROWS [KNOWN...]: the screen `verdict` equals the golden page, as screen.py compares; KNOWN are
# screens with known text, from which it learns the letters.
verdict_shown() {
    local letters=$golden/$1 colour=$2 rows=$3 known=()
    shift 3
    for name in "$@"; do
        known+=("$name.ppm=$name.txt")
    done
    python3 "$PROJECT/tests/e2e/qemu/screen.py" verdict.ppm=verdict.txt "$letters" "$colour" "$rows" "${known[@]}" ||
        fault "the screen is not as it should be"
}
