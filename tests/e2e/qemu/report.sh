# shellcheck shell=bash disable=SC2154 # lib.sh and tests/cli/checks are read in before
# SPDX-License-Identifier: GPL-3.0-or-later
# The report of a virtual machine that was started with direct_boot. It is written to a USB stick that has only a data
# partition, so that no image of a whole stick is needed.

# data_stick LINE...: adds the stick, with these lines as its cupel.cfg.
data_stick() {
    needs sfdisk mkfs.fat mcopy
    local id
    id=$(sed -n 's/^#define DATA_PARTITION_ID 0x//p' "$PROJECT/tables/boot_image.h")
    truncate -s 64M data.img
    printf 'label: dos\nlabel-id: 0x%s\nstart=2048, type=c\n' "$id" | sfdisk -q data.img
    mkfs.fat -F 32 -s 1 -i "$id" --offset 2048 data.img $((63 * 1024)) >mkfs.log
    own_stick data.img
    printf '%s\n' "$@" >cupel.cfg
    mcopy -i data.img@@1M cupel.cfg ::
    devices+=(-device qemu-xhci -drive "file=$FOLDER/data.img,if=none,id=stick,format=raw"
        -device 'usb-storage,drive=stick,removable=on')
}

# read_reports: copies the reports from the stick of a machine that is off: the first into the folder report, the second into
# report-2.
read_reports() {
    local folder
    mcopy -s -n -Q -i data.img@@1M '::20*' . 2>mtools.err || true
    for folder in 20*; do
        case $folder in
        *-2) mv "$folder" report-2 ;;
        *) mv "$folder" report ;;
        esac
    done
    [ -d report ] || give_up 'there is no report on the stick'
}

# words [FILE]: prints the text of the file, or of standard input, in one line with single blanks, so that line breaks do not
# matter.
words() {
    tr -s ' \n' ' ' <"${1:-/dev/stdin}"
}

# says FILE TEXT: the file contains the text, wherever its lines are broken.
says() {
    words "$1" | grep -aqF -- "$2" || {
        fault "no \"$2\" in $1:"
        head -n 40 "$1" | sed 's/^/    /'
    }
}

# says_not FILE TEXT: the file does not contain the text.
says_not() {
    ! words "$1" | grep -aF -o -- "$2" || fault "\"$2\" in $1"
}

# console_of COMMAND: prints the serial output from the command with this beginning to the next command.
console_of() {
    tr -d '\000\r' <serial.log | awk -v begin="cupel: command \"$1" '
        !/ ended with status / { if (index($0, "cupel: command \"") == 1) inside = index($0, begin) == 1 }
        / ended with status / || /^report: / { inside = 0 }
        inside'
}

# ended_with STATUS COMMAND: the command with this beginning ended with the status.
ended_with() {
    local line
    line=$(tr -d '\000\r' <serial.log | grep -aF "cupel: command \"$2" | grep -ao 'ended with status.*')
    [ "$line" = "ended with status $1" ] || fault "\"$2\" ${line:-did not end}, not with $1"
}

# metric FILE METRIC [COLUMN]: prints a cell of a run's CSV.
metric() {
    awk -F, -v m="$2" -v c="${3:-value}" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) k = i }
        $1 == m { print $k; exit }' "$1"
}
