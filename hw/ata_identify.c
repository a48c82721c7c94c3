/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decoding of ATA IDENTIFY DEVICE data. */
#include "hw/ata_identify.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
