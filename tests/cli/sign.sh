#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Certificates, cupel sign and report --verify: signatures are exchanged with ssh-keygen in both directions, unsuitable keys
# are refused, and one changed byte in any file is detected and named.
# shellcheck source=/dev/null
. "$(dirname "$0")/checks"

command -v ssh-keygen >/dev/null || {
    echo "ssh-keygen is not there (Debian: openssh-client)"
    exit 77
}
id=ada@example name=cupel-certificate

i=0
while [ $i -lt 10 ]; do
    echo "12816637200306${i}000,host,0,Read,$((4096 * i)),4096,100"
    i=$((i + 1))
done >reads.csv

# The certificate printed equals the one in the folder, with or without limits. --certificate with another --format needs -o.
status 0 replay reads.csv --ioengine null --certificate -o kept --label ticket=4711
holds out 'CUPEL CERTIFICATE'
holds out 'MEASURED: no limit was asked for'
grep -q '^  ticket  *4711$' out || fault "the label is not on the page"
cmp -s out kept/certificate.txt || fault "the page in the folder is another one"
status 0 report kept --certificate
cmp -s out kept/certificate.txt || fault "report makes another page"
status 0 report kept/record.cupel --certificate
cmp -s out kept/certificate.txt || fault "report RECORD makes another page"
(cd kept && sha256sum -c certificate.sha256) >sums 2>&1 || fault "sha256sum does not accept the list: $(cat sums)"
[ "$(cat sums)" = 'record.cupel: OK' ] || fault "sha256sum: $(cat sums)"
grep -qxFf kept/certificate.sha256 kept/certificate.txt || fault "the list is not that of the page"
status 0 replay reads.csv --ioengine null --certificate
holds out 'nothing that was kept'
refused 2 'a certificate is text or html: leave --format csv out' replay reads.csv --ioengine null --certificate --format csv
status 0 replay reads.csv --ioengine null --certificate --format csv -o tables
holds out 'metric,op,unit'
[ -s tables/certificate.txt ] || fault "there is no certificate beside tables"

status 0 replay reads.csv --ioengine null --certificate --format html --label 'who=<script>&"'
holds out '<td>&lt;script&gt;&amp;&quot;</td>'
grep -q '<script>&' out && fault "a label is markup"

# An undecided clause is not passed.
status 5 run --ioengine null --preset quick --overhead 0 --sla 'p99.999999<1s' --limit 2s --certificate -o open
grep -q '^UNDECIDED, NOT PASSED: ' out || fault "an undecided run: $(sed -n 3p out)"
grep -q '^PASSED' out && fault "an undecided run passes"

# cupel signs with a key of ssh-keygen; ssh-keygen accepts the signature and makes the same one.
ssh-keygen -q -t ed25519 -N '' -C '' -f key
ssh-keygen -q -t ed25519 -N '' -C '' -f other
echo "$id $(cat key.pub)" >signers
fingerprint=$(ssh-keygen -l -f key.pub | cut -d ' ' -f 2)
status 0 sign -k key kept
holds out "$fingerprint"
ssh-keygen -Y verify -f signers -I $id -n $name -s kept/certificate.txt.sig <kept/certificate.txt >/dev/null ||
    fault "ssh-keygen does not accept the signature"
cp kept/certificate.txt by_ssh.txt
ssh-keygen -q -Y sign -f key -n $name by_ssh.txt 2>/dev/null || fault "ssh-keygen signs no certificate"
cmp -s by_ssh.txt.sig kept/certificate.txt.sig || fault "ssh-keygen's signature is another one"
status 0 report --verify kept --allowed-signers signers
holds out "$fingerprint"
holds out "signer       $id"
holds out 'VERIFIED'
status 0 report --verify kept/record.cupel --allowed-signers signers
rm by_ssh.txt.sig
ssh-keygen -q -Y sign -O hashalg=sha256 -f key -n $name by_ssh.txt 2>/dev/null
cp -r kept by_sha256
cp by_ssh.txt.sig by_sha256/certificate.txt.sig
status 0 report --verify by_sha256 --allowed-signers signers

# An existing signature is kept; a folder without a certificate gets one; a certificate outside of a folder is signed as it
# is.
refused 2 'exists already and is not overwritten' sign -k key kept
cp -r open second
rm second/certificate.txt
status 0 sign -k key second
cmp -s second/certificate.txt open/certificate.txt || fault "sign makes another page"
status 0 report --verify second --allowed-signers signers
holds out 'which says UNDECIDED, NOT PASSED, is as it was signed'
cp kept/certificate.txt handed.txt
status 0 sign -k key handed.txt
holds out 'not checked: no record is beside the certificate'
cmp -s handed.txt.sig kept/certificate.txt.sig || fault "the same page has another signature"
cp kept/record.cupel alone.cupel
status 0 sign -k key alone.cupel
status 0 report --verify alone.cupel --allowed-signers signers

# The file of permitted signers.
status 5 report --verify kept
holds err "signed by an unknown key, $fingerprint"
echo "bob@example $(cat other.pub)" >others
status 5 report --verify kept --allowed-signers others
holds err 'signed by an unknown key'
echo "$id namespaces=\"git\" $(cat key.pub)" >others
status 5 report --verify kept --allowed-signers others
holds err 'its namespaces do not have this one'
refused 2 'nobody-there' report --verify kept --allowed-signers nobody-there
refused 2 'nobody has signed this certificate' report --verify tables
refused 2 '--allowed-signers needs --verify' report kept --allowed-signers signers
refused 2 'is not there: cupel sign' report --verify "$TMPDIR"

# Keys of other kinds.
ssh-keygen -q -t rsa -b 2048 -N '' -f rsa
ssh-keygen -q -t rsa -b 2048 -m PEM -N '' -f pem
ssh-keygen -q -t ecdsa -N '' -f ecdsa
ssh-keygen -q -t ed25519 -N secret -f locked
head -c 200 key >half
cp key shared
chmod 600 half
chmod 644 shared
refused 2 'of the type ssh-rsa' sign -k rsa kept
refused 2 'RSA PRIVATE KEY' sign -k pem kept
refused 2 'of the type ecdsa-sha2-nistp256' sign -k ecdsa kept
refused 2 'ssh-keygen -p' sign -k locked kept
refused 2 'breaks off' sign -k half kept
refused 2 'without .pub' sign -k key.pub kept
refused 3 'others may read this private key (mode 0644): chmod 600' sign -k shared kept
refused 2 '-k KEY is missing' sign kept
refused 2 'no-such-key' sign -k no-such-key kept
refused 2 'no-such-folder' sign -k key no-such-folder

# flip FILE BYTE: flips one bit of that byte.
flip() {
    byte=$(od -An -tu1 -j "$2" -N 1 "$1" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "\\$(printf %03o $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# changed FILE MESSAGE: changes one byte at many places in turn; each change must be detected with this message.
changed() {
    size=$(wc -c <"kept/$1")
    at=0
    while [ "$at" -lt "$size" ]; do
        rm -rf damaged
        cp -r kept damaged
        flip "damaged/$1" "$at"
        "$CUPEL" report --verify damaged --allowed-signers signers >out 2>err
        [ $? -eq 1 ] || fault "byte $at of $1 is changed: $(cat out err)"
        grep -q "$2" err || fault "byte $at of $1 is changed: $(cat err)"
        at=$((at + size / 13 + 1))
    done
}
changed record.cupel 'record.cupel: it is not as the certificate says'
changed certificate.txt 'damaged/certificate.txt: it is not what was signed'
changed certificate.txt.sig 'damaged/certificate.txt.sig: '
changed certificate.sha256 'damaged/certificate.sha256: it is not the list of the certificate'
changed certificate.html 'damaged/certificate.html: it is not the page of this record'
changed report.txt 'damaged/report.txt: it is not what the record makes'
changed report.html 'damaged/report.html: it is not what the record makes'
changed summary.csv 'damaged/summary.csv: it is not what the record makes'

# Reports may be missing. A file with the name of a report that the record does not make is detected. Other files are not
# checked, and the result says so.
rm -rf damaged
cp -r kept damaged
rm damaged/report.* damaged/*.csv
status 0 report --verify damaged --allowed-signers signers
grep -q '^reports' out && fault "reports that are not there: $(cat out)"
echo 'read.p99,passed' >damaged/clauses.csv
status 1 report --verify damaged --allowed-signers signers
holds err 'damaged/clauses.csv: the record makes no such file'
rm damaged/clauses.csv
echo passed >damaged/verdict.txt
status 0 report --verify damaged --allowed-signers signers
holds out 'other files  not signed and not checked'
LC_ALL=C.UTF-8 TZ=Asia/Tokyo COLUMNS=40 status 0 report --verify kept --allowed-signers signers
grep -q '^reports      computed again from the record: the same [0-9]* files$' out || fault "reports: $(cat out)"

# Pipes are not read, options that --verify ignores are refused, and unsigned files are mentioned.
for each in record.cupel certificate.txt certificate.txt.sig certificate.sha256 certificate.html report.html; do
    rm -rf damaged
    cp -r kept damaged
    rm "damaged/$each"
    mkfifo "damaged/$each"
    timeout 20 "$CUPEL" report --verify damaged --allowed-signers signers >out 2>err
    [ $? -eq 2 ] || fault "$each is a pipe: $(cat out err)"
    holds err 'it is no regular file'
done
refused 2 '--verify and --format exclude each other' report --verify kept --format json
refused 2 '--verify and --full exclude each other' report --verify kept --full
status 0 report --verify kept --allowed-signers signers
holds out 'other files  not signed and not checked'

# A certificate that was edited is not what the record gives, and is rejected even if it is signed correctly.
cp -r kept forged
rm forged/certificate.txt.sig
sed -i 's/^MEASURED/PASSED/' forged/certificate.txt
refused 1 'is not signed: the record does not make this certificate' sign -k key forged
refused 1 'is not signed: the record does not make this certificate' sign -k key forged/certificate.txt
cp forged/certificate.txt forged/other-name.txt
refused 1 'is not signed' sign -k key forged/other-name.txt
ln -s forged/certificate.txt forged-link.txt
refused 1 'is not signed' sign -k key forged-link.txt
cp alone.cupel forged.cupel
sed 's/^MEASURED/PASSED/' alone.cupel.certificate.txt >forged.cupel.certificate.txt
refused 1 'is not signed' sign -k key forged.cupel.certificate.txt
ssh-keygen -q -Y sign -f key -n $name forged/certificate.txt 2>/dev/null
status 1 report --verify forged --allowed-signers signers
holds err 'the record does not make this certificate'
mkdir kept/later
cp open/record.cupel kept/later
status 1 report --verify kept --allowed-signers signers
holds err 'later/record.cupel'
rm -r kept/later

# A merge is judged after the measurement: its certificate states the limits, and merged.cupel gives the same certificate
# again.
status 0 merge kept open --sla 'errors=0, read.errors=0' --certificate -o sum
grep -q '^PASSED: ' out || fault "a sum that keeps its limits: $(sed -n 3p out)"
status 0 sign -k key sum
status 0 report --verify sum --allowed-signers signers
status 0 report --verify sum/merged.cupel --allowed-signers signers
holds sum/certificate.txt '  report.html'
echo ' ' >>sum/report.txt
status 1 report --verify sum --allowed-signers signers
holds err 'report.txt: it is not as the certificate says'
refused 2 '--certificate and --confidence exclude each other' merge kept open --certificate --confidence 99%

# The verdict on a machine is in no record: its certificate is verified as signed, together with every file that it names.
mkdir -p machine/sda-read
echo '{"grade": "pass"}' >machine/qualification.json
echo '{}' >machine/machine.json
cp kept/record.cupel machine/sda-read
refused 2 'none can be made of it any more' sign -k key machine
{
    printf 'CUPEL CERTIFICATE\n\nPASSED: every limit that was asked for is kept\n\nComputed from\n'
    (cd machine && sha256sum machine.json qualification.json sda-read/record.cupel)
} >page
cp page machine/certificate.txt
status 0 sign -k key machine
status 0 report --verify machine --allowed-signers signers
holds out 'its checks of the machine are in no record'
echo '{"grade": "fail"}' >machine/qualification.json
status 1 report --verify machine --allowed-signers signers
holds err 'qualification.json: it is not as the certificate says'
rm machine/certificate.txt.sig
status 1 sign -k key machine
holds err 'machine/certificate.txt is not signed'

# A certificate that another version made of cupel is not called forged.
cp -r kept elder
rm elder/certificate.txt.sig
sed -i 's/^\(  this page by  *cupel\) .*/\1 0.0.1/; s/^MEASURED/SEEN/' elder/certificate.txt
ssh-keygen -q -Y sign -f key -n $name elder/certificate.txt 2>/dev/null
status 5 report --verify elder --allowed-signers signers
holds err 'verify it with that version'
finish
