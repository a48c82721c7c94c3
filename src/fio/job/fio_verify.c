/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the settings for reading back written data, and for atomic writes. Every kind of
   checksum becomes cupel's stamp. */
#include <stdio.h>
#include <string.h>

#include "fio/job/fio_value.h"
#include "fio/job/internal.h"

static const char *const kinds[] = {
    "md5",      "crc64",    "crc32",  "crc32c", "crc32c-intel", "crc16",
    "crc7",     "sha256",   "sha512", "sha1",   "sha3-224",     "sha3-256",
    "sha3-384", "sha3-512", "xxhash", "meta",   "pattern",      "pattern_hdr"};

static bool is_one_of(const char *word, const char *const list[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, list[i]))
            return true;
    return false;
}

static int make_atomic(struct section_reader *s, struct err *e)
{
    bool atomic = false;
    if (section_read_flag(s, FIO_KEY_ATOMIC, &atomic, e))
        return -1;
    if (atomic && s->stream.writes)
        section_word(s, "--%s=1", fio_key_name(FIO_KEY_ATOMIC));
    return 0;
}

int section_make_verify(struct section_reader *s, struct err *e)
{
    const struct fio_setting *at = s->given[FIO_KEY_VERIFY];
    const struct fio_setting *reads = s->given[FIO_KEY_DO_VERIFY];
    struct text *notes = &s->session->notes;
    bool checks = true;
    char shown[64];
    if (section_need_value(s, at, e) || section_read_flag(s, FIO_KEY_DO_VERIFY, &checks, e) ||
        make_atomic(s, e))
        return -1;
    if (!at || fio_is_off(at->value))
        return 0;
    if (!is_one_of(at->value, kinds, sizeof kinds / sizeof *kinds))
        return section_refuse(s, at, e,
                              "verify is crc32c, xxhash, sha256, meta and the like, not %s",
                              section_printable(shown, at->value));
    if (s->targetless) {
        text_add(notes, "verify: this engine writes nothing\n");
        return 0;
    }
    if (!s->stream.writes && !(reads && checks)) {
        text_add(
            notes,
            "verify: nothing is written; do_verify=1 reads back what earlier sections wrote\n");
        return 0;
    }
    text_addf(notes,
              "verify: cupel's own stamp of drive, LBA, generation and CRC-32C in each "
              "sector takes the place of %s\n",
              at->value);
    if (!s->stream.writes) {
        text_add(notes,
                 "do_verify: after the reads all that earlier sections wrote is read back\n");
        section_word(s, "--verify");
        return 0;
    }
    if (*s->stream.data)
        text_add(notes, "verify: stamps take the place of patterns, and of data that compress\n");
    snprintf(s->stream.data, sizeof s->stream.data, "--verify\n%s",
             checks ? "" : "--do_verify=0\n");
    return 0;
}
