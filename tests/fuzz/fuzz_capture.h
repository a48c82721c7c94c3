/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzzing of what unpacks a capture: a tar archive of a fixture machine is damaged, mostly in its
 * headers, whose checksums are made to fit again now and then, and opened.
 */
#ifndef TESTS_FUZZ_FUZZ_CAPTURE_H
#define TESTS_FUZZ_FUZZ_CAPTURE_H

#include "hw/capture/capture.h"
#include "tests/fuzz/fuzz_damage.h"
#include "tests/unit/tree.h"

#define FUZZ_BLOCK         512
#define FUZZ_CAPTURE_BYTES (1u << 20)

struct fuzz_archive {
    size_t length;
    unsigned char bytes[FUZZ_CAPTURE_BYTES], damaged[FUZZ_CAPTURE_BYTES];
};

/* Captures the machine below `root` and keeps the archive. */
static inline void fuzz_archive_begin(struct fuzz_archive *a, const struct tree *t,
                                      const struct sysroot *root)
{
    char path[TREE_PATH];
    struct err e = {0};
    tree_path(t, path, "/capture.tar");
    FILE *file = NULL;
    const struct capture_request request = {.file = path, .pci_ids = "none"};
    if (capture_write(root, &request, &e) != 0 || (file = fopen(path, "r")) == NULL) {
        fprintf(stderr, "fuzz: no capture: %s\n", e.msg);
        exit(EXIT_FAILURE);
    }
    a->length = fread(a->bytes, 1, sizeof a->bytes, file);
    fclose(file);
}

static inline bool fuzz_is_header(const unsigned char *block)
{
    return memcmp(block + 257, "ustar", 5) == 0;
}

/* POSIX ustar: the sum of all bytes of the header, its own eight taken as blanks. */
static inline void fuzz_mend_checksum(unsigned char *block)
{
    unsigned sum = 0;
    memset(block + 148, ' ', 8);
    for (int i = 0; i < FUZZ_BLOCK; i++) {
        sum += block[i];
    }
    char text[8];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(block + 148, text, 7);
}

/* Fields of a header: name, mode, size, type, link, prefix. */
static inline void fuzz_header(struct random *r, unsigned char *block)
{
    static const struct {
        unsigned short at, length;
    } fields[] = {{0, 100}, {100, 8}, {124, 12}, {156, 1}, {157, 100}, {345, 155}};
    static const char *const words[] = {"../../x", "/etc/x", "a/../b", "..",  "7777777777",
                                        "-1",      "12",     "\200\1", "sys", "K"};
    size_t i = random_below(r, sizeof fields / sizeof *fields);
    unsigned char *field = block + fields[i].at;
    if (random_below(r, 3) == 0) {
        const char *word = words[random_below(r, sizeof words / sizeof *words)];
        size_t length = strlen(word) + 1;
        memcpy(field, word, length < fields[i].length ? length : fields[i].length);
    } else {
        field[random_below(r, fields[i].length)] = (unsigned char)random_u64(r);
    }
    if (random_below(r, 8) != 0) {
        fuzz_mend_checksum(block);
    }
}

static inline void fuzz_archive(struct fuzz_archive *a, const struct tree *t, struct random *r)
{
    size_t length = a->length;
    memcpy(a->damaged, a->bytes, length);
    for (uint64_t i = 1 + random_below(r, 6); i > 0; i--) {
        unsigned char *block = a->damaged + FUZZ_BLOCK * random_below(r, length / FUZZ_BLOCK);
        if (fuzz_is_header(block)) {
            fuzz_header(r, block);
        } else {
            block[random_below(r, FUZZ_BLOCK)] = (unsigned char)random_u64(r);
        }
    }
    if (random_below(r, 8) == 0) {
        length = random_below(r, length);
    }
    char path[TREE_PATH];
    tree_bytes(t, "/damaged.tar", a->damaged, length);
    struct capture capture = {0};
    struct err e = {0};
    if (capture_open(&capture, tree_path(t, path, "/damaged.tar"), &e) == 0) {
        capture_close(&capture);
    }
}

#endif
