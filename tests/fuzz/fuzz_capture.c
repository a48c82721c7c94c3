/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A capture (tar) is unpacked, into memory. A header whose checksum field is "mend" gets the sum
 * that fits: a fuzzer does not find it by itself.
 */
#include "hw/capture/internal.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/memory_folder.h"
#include <string.h>

static void mend(uint8_t *archive, size_t size)
{
    for (size_t at = 0; at + TAR_BLOCK <= size; at += TAR_BLOCK) {
        struct tar_header *h = (struct tar_header *)(archive + at);
        unsigned sum = 0;
        if (memcmp(h->checksum, "mend", 4) != 0)
            continue;
        memset(h->checksum, ' ', sizeof h->checksum);
        for (size_t i = 0; i < TAR_BLOCK; i++)
            sum += archive[at + i];
        char digits[16];
        snprintf(digits, sizeof digits, "%06o", sum);
        memcpy(h->checksum, digits, 7);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err e = {0};
    uint8_t *archive = malloc(size + 1);
    if (!archive)
        return 0;
    memcpy(archive, data, size);
    mend(archive, size);
    memory_file_set(0, archive, size);
    memory_folder_begin();
    int fd = memory_file_open(0);
    if (tar_unpack("capture", fd, MEMORY_FOLDER, &e))
        FUZZ_CHECK((e.code == ERR_USAGE || e.code == ERR_MACHINE) && *e.msg,
                   "a capture refused without a reason");
    memory_file_close(fd);
    free(archive);
    return 0;
}
