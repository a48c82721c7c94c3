/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds first partitions in sysfs, and reads the partition table and boot sector of one of them. */
#include "appliance/stick/data_partition.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "appliance/process/system.h"
#include "base/endian.h"
#include "base/file/file.h"
#include "tables/boot_image.h"

#define SECTOR         512
#define CANDIDATES_MAX 1024
#define LOOK_MS        4000

/* ---- in sysfs ---- */

/* Returns the number in an attribute of a device's folder; 0 if there is none. */
static uint64_t number_in(const char *folder, const char *name)
{
    char path[PATH_MAX], *text;
    if (!file_path(path, "%s/%s", folder, name) ||
        file_read_all(path, (size_t)1 << 16, &text, NULL, NULL))
        return 0;
    uint64_t number = strtoull(text, NULL, 10);
    free(text);
    return number;
}

static bool copy_name(char to[DATA_NAME], const char *name)
{
    int length = snprintf(to, DATA_NAME, "%s", name);
    return length > 0 && length < DATA_NAME;
}

/* Describes a candidate. The link in class/block leads to the partition's folder, which is in its
   disk's: .../usb2/.../block/sda/sda1. */
static bool candidate_describe(struct data_candidate *c, const char *class, const char *name)
{
    char link[PATH_MAX], folder[PATH_MAX];
    if (!file_path(link, "%s/%s", class, name) || !realpath(link, folder) ||
        number_in(folder, "partition") != 1 || number_in(folder, "size") == 0)
        return false;
    *strrchr(folder, '/') = '\0';
    const char *slash = strrchr(folder, '/');
    *c = (struct data_candidate){.sequence = number_in(folder, "diskseq"),
                                 .usb = strstr(folder, "/usb") != NULL};
    return slash && copy_name(c->name, name) && copy_name(c->disk, slash + 1);
}

int data_candidate_order(const void *a, const void *b)
{
    const struct data_candidate *x = a, *y = b;
    return x->usb != y->usb ? (x->usb ? -1 : 1) : strverscmp(x->name, y->name);
}

size_t data_candidates(const char *sys, struct data_candidate **candidates)
{
    char class[PATH_MAX];
    size_t count = 0;
    snprintf(class, sizeof class, "%s/class/block", sys);
    *candidates = calloc(CANDIDATES_MAX, sizeof **candidates);
    DIR *dir = *candidates ? opendir(class) : NULL;
    if (!dir)
        return 0;
    const struct dirent *entry;
    while (count < CANDIDATES_MAX && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' &&
            candidate_describe(&(*candidates)[count], class, entry->d_name))
            count++;
    closedir(dir);
    qsort(*candidates, count, sizeof **candidates, data_candidate_order);
    return count;
}

bool data_candidate_is_same(const struct data_candidate *a, const struct data_candidate *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->disk, b->disk) && a->sequence == b->sequence;
}

/* ---- in its sectors ---- */

static bool has_mark(const unsigned char *sector)
{
    return sector[510] == 0x55 && sector[511] == 0xaa;
}

static bool is_signed(const unsigned char *table)
{
    return has_mark(table) && load_le32(table + 440) == DATA_PARTITION_ID;
}

/* Returns whether the boot sector is that of our data partition. Only FAT32 has no 16-bit count of
   sectors per table. The identifier follows the mark 28h or 29h. */
static bool is_data_partition(const unsigned char *sector)
{
    unsigned bytes_per_sector = load_le16(sector + 11), per_cluster = sector[13];
    bool fat = has_mark(sector) && (sector[0] == 0xeb || sector[0] == 0xe9) &&
               (bytes_per_sector == 512 || bytes_per_sector == 1024 || bytes_per_sector == 2048 ||
                bytes_per_sector == 4096) &&
               per_cluster != 0 && (per_cluster & (per_cluster - 1)) == 0 && sector[16] != 0;
    if (!fat)
        return false;
    const unsigned char *mark = sector + (load_le16(sector + 22) == 0 ? 66 : 38);
    return (*mark == 0x28 || *mark == 0x29) && load_le32(mark + 1) == DATA_PARTITION_ID;
}

static bool read_sector(const char *dev, const char *name, unsigned number,
                        unsigned char sector[SECTOR])
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", dev, name);
    /* O_NONBLOCK: a drive without a medium is not waited for. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t got = pread(fd, sector, SECTOR, (off_t)number * SECTOR);
    close(fd);
    return got == SECTOR;
}

/* Reads the image's identifier, which is in a sector that FAT keeps free. An image without one
   there is a foreign one. */
static void read_image(const struct data_candidate *c, const char *dev, const unsigned char *first,
                       char image[DATA_IMAGE])
{
    unsigned char sector[SECTOR];
    const size_t words = sizeof DATA_IMAGE_WORDS - 1;
    image[0] = '\0';
    if (load_le16(first + 14) <= DATA_IMAGE_SECTOR ||
        !read_sector(dev, c->name, DATA_IMAGE_SECTOR, sector) ||
        memcmp(sector, DATA_IMAGE_WORDS, words) != 0)
        return;
    const char *id = (const char *)sector + words;
    size_t length = 0;
    while (length < DATA_IMAGE && (isalnum((unsigned char)id[length]) || id[length] == '-'))
        length++;
    if (length < DATA_IMAGE && id[length] == '\n') {
        memcpy(image, id, length);
        image[length] = '\0';
    }
}

struct question {
    const struct data_candidate *candidate;
    const char *dev;
};

struct answer {
    enum data_look is;
    char image[DATA_IMAGE];
};

static void look_at_sectors(void *context, void *answer)
{
    const struct question *q = context;
    unsigned char table[SECTOR], sector[SECTOR];
    struct answer *a = answer;
    if (!read_sector(q->dev, q->candidate->disk, 0, table) ||
        !read_sector(q->dev, q->candidate->name, 0, sector))
        a->is = DATA_UNREADABLE;
    else
        a->is = is_signed(table) && is_data_partition(sector) ? DATA_PARTITION : DATA_OTHER;
    if (a->is == DATA_PARTITION)
        read_image(q->candidate, q->dev, sector, a->image);
}

enum data_look data_candidate_look(const struct data_candidate *c, const char *dev,
                                   char image[DATA_IMAGE])
{
    struct question question = {c, dev};
    struct answer answer = {.is = DATA_UNREADABLE};
    bool silent =
        child_ask(look_at_sectors, &question, &answer, sizeof answer, LOOK_MS) == CHILD_SILENT;
    snprintf(image, DATA_IMAGE, "%s", answer.image);
    return silent ? DATA_SILENT : answer.is;
}

struct table_question {
    const char *dev, *name;
};

static void look_at_table(void *context, void *answer)
{
    const struct table_question *q = context;
    unsigned char table[SECTOR];
    *(bool *)answer = !read_sector(q->dev, q->name, 0, table) || is_signed(table);
}

bool data_disk_is_image(const char *dev, const char *name)
{
    struct table_question question = {dev, name};
    bool is = true;
    child_ask(look_at_table, &question, &is, sizeof is, LOOK_MS);
    return is;
}
