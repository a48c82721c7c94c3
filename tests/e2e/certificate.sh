#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The certificate of a measurement as a field engineer uses it: a file on a disk is measured, the certificate is signed, sent,
# verified, and tampered with.
# shellcheck source=/dev/null
. "$(dirname "$0")/../cli/checks"

command -v ssh-keygen >/dev/null || {
    echo "ssh-keygen is not there (Debian: openssh-client)"
    exit 77
}
ssh-keygen -q -t ed25519 -N '' -C '' -f key
echo "ada@example $(cat key.pub)" >signers

# Through the page cache, as not every filesystem has O_DIRECT. The only limit is on errors, so load cannot break it.
status 0 run test.dat --size 16m --direct 0 --preset quick --overhead 0 --sla 'read.errors=0' --runtime 1s \
    --label ticket=4711 --label 'engineer=Ada & Co <ada@example>' -o result --certificate
grep -q '^PASSED: ' out || fault "the page says: $(sed -n 3p out)"
for words in '  ticket              4711' '  engineer            Ada & Co <ada@example>' 'read.errors=0' \
    'SHA-256' 'serial number' 'its clock'; do
    holds result/certificate.txt "$words"
done
holds result/certificate.html 'Ada &amp; Co &lt;ada@example&gt;'
status 0 sign -k key result

# After sending, folder names and file times differ, which changes nothing.
mkdir sent
cp result/record.cupel result/certificate.txt result/certificate.txt.sig sent
touch -d 2001-01-01 sent/*
status 0 report --verify sent --allowed-signers signers
holds out 'which says PASSED, is as it was signed'
ssh-keygen -Y verify -f signers -I ada@example -n cupel-certificate -s sent/certificate.txt.sig <sent/certificate.txt >/dev/null ||
    fault "ssh-keygen does not accept the signature"

# Tampering: the record of another run under this certificate, a better number, another engineer.
status 0 run test.dat --size 16m --direct 0 --preset quick --overhead 0 --sla 'read.errors=0' --runtime 1s -o other
cp -r sent swapped
cp other/record.cupel swapped
status 1 report --verify swapped --allowed-signers signers
holds err 'record.cupel'
cp -r sent better
sed -i 's/^  engineer .*/  engineer            Bob/' better/certificate.txt
status 1 report --verify better --allowed-signers signers
holds err 'better/certificate.txt: it is not what was signed'
status 1 sign -k key better
holds err 'is not signed'
head -c "$(($(wc -c <sent/record.cupel) - 1))" sent/record.cupel >cut.cupel
cp -r sent shorter
cp cut.cupel shorter/record.cupel
status 1 report --verify shorter --allowed-signers signers
holds err 'record.cupel'

# Several sessions: the certificate names every record, and a missing one is detected.
longer '0 5' run test.dat --size 16m --direct 0 --preset quick --overhead 0 --runtime 1s --repeat 2 -o twice --certificate
holds twice/certificate.txt 'session-2/record.cupel'
status 0 sign -k key twice
status 0 report --verify twice --allowed-signers signers
cp -r twice edited
echo >>edited/session-1/report.html
status 1 report --verify edited --allowed-signers signers
holds err 'edited/session-1/report.html: it is not what the record makes'

# Several targets: their reports are computed again from their records; the certificate names the common report with its
# checksum.
cp test.dat second.dat
longer '0 5' run test.dat second.dat --size 16m --direct 0 --preset quick --overhead 0 --runtime 1s -o both
status 0 sign -k key both
status 0 report --verify both --allowed-signers signers
for each in both/report.html both/second.dat/report.txt; do
    cp -r both edited_too
    echo >>"edited_too/${each#both/}"
    status 1 report --verify edited_too --allowed-signers signers
    holds err "${each#both/}"
    rm -r edited_too
done
rm twice/session-2/record.cupel
status 1 report --verify twice --allowed-signers signers
finish
