/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Damage to a folder of small files, and its repair: some files and links are replaced by others
 * that are shorter, longer, wrong, absent, denied, of another kind or lead somewhere else; then all
 * is put back. Which ones is decided by the generator alone, so that a seed repeats it.
 *
 * Owner: damage_begin, then damage_end. What cannot be written ends the program.
 */
#ifndef TESTS_FUZZ_FUZZ_DAMAGE_H
#define TESTS_FUZZ_FUZZ_DAMAGE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

#define DAMAGE_BYTES 16384 /* a longer file is left alone */
#define DAMAGE_MAX   32    /* entries at a time */
#define DAMAGE_DEPTH 256   /* musl's nftw goes no deeper than it may have files open */

struct damage_entry {
    char *path;
    bool is_link;
    bool is_binary; /* contains bytes that are not text, such as configuration space */
};

struct damaged {
    size_t entry;
    size_t length;
    char bytes[DAMAGE_BYTES]; /* of the file, or the link's target */
};

struct damage {
    struct damage_entry *entries;
    size_t count, capacity;
    size_t *binaries, binary_count;
    struct damaged done[DAMAGE_MAX];
    size_t done_count;
};

static inline void damage_fail(const char *what, const char *path)
{
    fprintf(stderr, "fuzz: cannot %s %s: %s\n", what, path, strerror(errno));
    exit(EXIT_FAILURE);
}

static inline void *damage_memory(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes);
    if (memory == NULL) {
        damage_fail("get memory for", "the list of files");
    }
    return memory;
}

static inline size_t damage_read(const char *path, char *to)
{
    int file = open(path, O_RDONLY | O_NOFOLLOW);
    ssize_t length = file < 0 ? -1 : read(file, to, DAMAGE_BYTES);
    if (length < 0) {
        damage_fail("read", path);
    }
    close(file);
    return (size_t)length;
}

static inline void damage_write(const char *path, const char *bytes, size_t length)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);
    if (file < 0 || write(file, bytes, length) != (ssize_t)length || close(file) != 0) {
        damage_fail("write", path);
    }
}

/* nftw passes no context to its function. */
static struct damage *damage_listing;

static inline int damage_list_one(const char *path, const struct stat *status, int kind,
                                  struct FTW *place)
{
    static char bytes[DAMAGE_BYTES];
    struct damage *d = damage_listing;
    (void)place;
    bool is_link = kind == FTW_SL || kind == FTW_SLN;
    if (!is_link && (kind != FTW_F || !S_ISREG(status->st_mode) ||
                     status->st_size >= DAMAGE_BYTES || (status->st_mode & 0400) == 0)) {
        return 0;
    }
    if (d->count == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 1024;
        d->entries = damage_memory(d->entries, d->capacity * sizeof *d->entries);
    }
    struct damage_entry *entry = &d->entries[d->count++];
    *entry = (struct damage_entry){.path = strdup(path), .is_link = is_link};
    entry->is_binary = !is_link && memchr(bytes, '\0', damage_read(path, bytes)) != NULL;
    return 0;
}

static inline int damage_compare(const void *a, const void *b)
{
    return strcmp(((const struct damage_entry *)a)->path, ((const struct damage_entry *)b)->path);
}

static inline void damage_begin(struct damage *d, const char *folder)
{
    memset(d, 0, sizeof *d);
    damage_listing = d;
    if (nftw(folder, damage_list_one, DAMAGE_DEPTH, FTW_PHYS) != 0 || d->count == 0) {
        damage_fail("list", folder);
    }
    qsort(d->entries, d->count, sizeof *d->entries, damage_compare);
    d->binaries = damage_memory(NULL, d->count * sizeof *d->binaries);
    for (size_t i = 0; i < d->count; i++) {
        if (d->entries[i].is_binary) {
            d->binaries[d->binary_count++] = i;
        }
    }
}

static inline void damage_end(struct damage *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->entries[i].path);
    }
    free(d->entries);
    free(d->binaries);
}

static const char *const damage_words[] = {
    "",
    "\n",
    "0",
    "-1",
    "1e9",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775808",
    "0x",
    "0xffffffffffffffff",
    "0-4294967295",
    "0-3,7-5,-,,",
    "[",
    "]a[b]",
    "%n%s%s%s",
    "../../../../..",
    "/",
    "nan",
    "inf GT/s PCIe",
    "-8.0 GT/s PCIe",
    "999999999999 Gbit",
    "a,\"b\",<c>",
    "\033[2J",
    "\xff\xfe\xc3\x28",
    "no",
    "0000:00:00.0",
    "nvme0n1",
    "8:0",
};

/* Changes the bytes of a file a little or much. Returns the new length. */
static inline size_t damage_bytes(struct random *r, char *bytes, size_t length)
{
    const char *word = damage_words[random_below(r, sizeof damage_words / sizeof *damage_words)];
    size_t word_length = strlen(word), at = random_below(r, length + 1);
    switch (random_below(r, 8)) {
    case 0: /* cut short */
        return at;
    case 1: /* another text */
        memcpy(bytes, word, word_length);
        return word_length;
    case 2: /* a text within */
        if (length + word_length >= DAMAGE_BYTES) {
            return length;
        }
        memmove(bytes + at + word_length, bytes + at, length - at);
        memcpy(bytes + at, word, word_length);
        return length + word_length;
    case 3: /* its first part again and again */
        for (size_t i = length; at != 0 && i < DAMAGE_BYTES; i++) {
            bytes[i] = bytes[i % at];
        }
        return at != 0 ? 1 + random_below(r, DAMAGE_BYTES) : length;
    case 4: /* noise */
        for (size_t i = 0; i < length; i++) {
            bytes[i] = (char)random_u64(r);
        }
        return length;
    default: /* some bytes */
        for (size_t i = 1 + random_below(r, 8); length != 0 && i > 0; i--) {
            char *byte = &bytes[random_below(r, length)];
            unsigned flipped = (unsigned char)*byte ^ 1u << random_below(r, 8);
            *byte = (char)(random_below(r, 2) ? random_u64(r) : flipped);
        }
        return length;
    }
}

static inline void damage_remove(const char *path)
{
    if (unlink(path) != 0 && rmdir(path) != 0 && errno != ENOENT) {
        damage_fail("remove", path);
    }
}

/* Gives it the content of another file, or makes it a link to one. */
static inline const char *damage_other(const struct damage *d, struct random *r)
{
    return d->entries[random_below(r, d->count)].path;
}

static inline void damage_file(const struct damage *d, struct random *r, const char *path,
                               const struct damaged *was)
{
    static char bytes[DAMAGE_BYTES];
    switch (random_below(r, 16)) {
    case 0: /* absent */
        damage_remove(path);
        break;
    case 1: /* a folder */
        damage_remove(path);
        if (mkdir(path, 0755) != 0) {
            damage_fail("make", path);
        }
        break;
    case 2: /* denied */
        if (chmod(path, 0) != 0) {
            damage_fail("deny", path);
        }
        break;
    case 3: /* a link to another file */
        damage_remove(path);
        if (symlink(damage_other(d, r), path) != 0) {
            damage_fail("link", path);
        }
        break;
    default:
        memcpy(bytes, was->bytes, was->length);
        damage_write(path, bytes, damage_bytes(r, bytes, was->length));
    }
}

static inline void damage_link(const struct damage *d, struct random *r, const char *path)
{
    damage_remove(path);
    switch (random_below(r, 6)) {
    case 0: /* absent */
        break;
    case 1: /* a file */
        damage_write(path, "1\n", 2);
        break;
    case 2: /* a circle */
        if (symlink(strrchr(path, '/') + 1, path) != 0) {
            damage_fail("link", path);
        }
        break;
    case 3: /* a folder above */
        if (symlink(random_below(r, 2) ? ".." : "../../../..", path) != 0) {
            damage_fail("link", path);
        }
        break;
    default: { /* another device's folder, or anything else */
        char target[4096];
        snprintf(target, sizeof target, "%s", damage_other(d, r));
        char *slash = strrchr(target, '/');
        if (random_below(r, 3) != 0 && slash != NULL) {
            *slash = '\0';
        }
        if (symlink(target, path) != 0) {
            damage_fail("link", path);
        }
    }
    }
}

/* Damages up to `most` entries; binary files are chosen as often as all others together. */
static inline void damage_do(struct damage *d, struct random *r, size_t most)
{
    size_t count = 1 + random_below(r, most < DAMAGE_MAX ? most : DAMAGE_MAX);
    d->done_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t chosen = d->binary_count != 0 && random_below(r, 2)
                            ? d->binaries[random_below(r, d->binary_count)]
                            : random_below(r, d->count);
        bool again = false;
        for (size_t k = 0; k < d->done_count; k++) {
            again = again || d->done[k].entry == chosen;
        }
        if (again) {
            continue;
        }
        const struct damage_entry *entry = &d->entries[chosen];
        struct damaged *was = &d->done[d->done_count++];
        was->entry = chosen;
        if (entry->is_link) {
            ssize_t length = readlink(entry->path, was->bytes, DAMAGE_BYTES - 1);
            if (length < 0) {
                damage_fail("read the link", entry->path);
            }
            was->bytes[length] = '\0';
            damage_link(d, r, entry->path);
        } else {
            was->length = damage_read(entry->path, was->bytes);
            damage_file(d, r, entry->path, was);
        }
    }
}

static inline void damage_undo(struct damage *d)
{
    while (d->done_count > 0) {
        const struct damaged *was = &d->done[--d->done_count];
        const struct damage_entry *entry = &d->entries[was->entry];
        damage_remove(entry->path);
        if (!entry->is_link) {
            damage_write(entry->path, was->bytes, was->length);
        } else if (symlink(was->bytes, entry->path) != 0) {
            damage_fail("link", entry->path);
        }
    }
}

#endif
