/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of ATA IDENTIFY DEVICE data. */
#include "hw/disk/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"

/* Word 76 bits 3:1, one for each rate; 0 and FFFFh: the word is not supported. */
static bool is_serial(uint16_t capabilities)
{
    return capabilities != 0 && capabilities != 0xffff && (capabilities & 0x0e);
}

double ata_identify_rate(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    uint16_t capabilities = words[76];
    if (!is_serial(capabilities))
        return (double)NAN;
    return capabilities & 8 ? 6e9 : capabilities & 4 ? 3e9 : 1.5e9;
}

unsigned ata_identify_queue_depth(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return is_serial(words[76]) && (words[76] & 0x100) ? (words[75] & 0x1fu) + 1 : 0;
}

/* Words 83 and 87 say with bits 15:14 of 01b that the words beside them count. */
static bool is_valid(uint16_t word)
{
    return word >> 14 == 1;
}

enum ata_smart ata_identify_smart(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    if (!is_valid(words[83]) || !(words[82] & 1))
        return ATA_NO_SMART;
    return is_valid(words[87]) && (words[85] & 1) ? ATA_SMART_ON : ATA_SMART_OFF;
}

bool ata_identify_is_solid_state(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return words[217] == 1;
}

bool ata_identify_has_solid_state_log(const uint16_t words[static ATA_IDENTIFY_WORDS])
{
    return ata_identify_is_solid_state(words) && is_valid(words[87]) && (words[87] & 0x20);
}

void ata_identify_read(const uint8_t bytes[static 2 * ATA_IDENTIFY_WORDS],
                       uint16_t words[static ATA_IDENTIFY_WORDS])
{
    for (size_t i = 0; i < ATA_IDENTIFY_WORDS; i++)
        words[i] = load_le16(bytes + 2 * i);
}

unsigned ata_identify_parse(const char *text, uint16_t words[static ATA_IDENTIFY_WORDS])
{
    static const char blanks[] = " \t\r\n", digits[] = "0123456789abcdefABCDEF";
    unsigned count = 0;
    memset(words, 0, ATA_IDENTIFY_WORDS * sizeof *words);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strspn(text, digits);
        if (length != 4 || (text[4] && !strchr(blanks, text[4])) || count == ATA_IDENTIFY_WORDS) {
            memset(words, 0, ATA_IDENTIFY_WORDS * sizeof *words);
            return 0;
        }
        words[count++] = (uint16_t)strtoul(text, NULL, 16);
        text += length;
    }
    return count;
}
