#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A collector of reports, and a server of boot files: one HTTP request from standard input, one answer. QEMU runs it for
# each connection that the guest makes to 10.0.2.100 (network.sh); nothing listens on this machine.
#
#   collector.sh FOLDER       PUT keeps FOLDER/put/PATH, GET gives FOLDER/get/PATH; /refused/... is refused,
#                             and of /small/... the records of random reads.
#                             FOLDER/requests has a line for each: METHOD PATH STATUS, FOLDER/heads all of the heads.
folder=$1
cr=$(printf '\r')

# answer STATUS WORDS [FILE]: sends the answer and logs the request.
answer() {
    printf '%s %s %s\n' "$method" "$path" "$1" >>"$folder/requests"
    printf 'HTTP/1.1 %s %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n' "$1" "$2" \
        "$(if [ -n "${3:-}" ]; then wc -c <"$3"; else echo 0; fi)"
    [ -z "${3:-}" ] || cat "$3"
    exit 0
}

take() {
    mkdir -p "$folder/put$(dirname "$path")"
    kept=$folder/put$path
    head -c "$length" >"$kept.part"
    [ "$(wc -c <"$kept.part")" -eq "$length" ] || answer 400 'Cut Off'
    mv "$kept.part" "$kept"
    answer 201 Created
}

length=0
IFS=' ' read -r method path _
while IFS= read -r line; do
    line=${line%"$cr"}
    [ -n "$line" ] || break
    printf '%s\n' "$line" >>"$folder/heads"
    case $line in
    [Cc]ontent-[Ll]ength:*) length=$((${line#*:} + 0)) ;;
    esac
done
case $method$path in
*..*) answer 400 'Bad Path' ;;
PUT/refused/*) answer 507 'No Room' ;;
PUT/small/*-randread/record.cupel) answer 413 'Content Too Large' ;;
PUT/*) take ;;
GET/* | HEAD/*) if [ -f "$folder/get$path" ]; then answer 200 OK "$folder/get$path"; else answer 404 'Not Found'; fi ;;
*) answer 405 'Not Allowed' ;;
esac
