/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the disk with the data partition, and mounts that partition, read-only except while a
 * report is written. It also records what was found on the other disks. First partitions are found
 * in sysfs; the partition table and the boot sector of each are read.
 */
#include "appliance/stick/data_partition.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appliance/process/system.h"
#include "base/endian.h"
#include "base/file/file.h"
#include "tables/boot_image.h"

#define DATA_FOLDER "/data"

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

/* Comparison for qsort: USB disks before others, and then by name. */
static int data_candidate_order(const void *a, const void *b)
{
    const struct data_candidate *x = a, *y = b;
    return x->usb != y->usb ? (x->usb ? -1 : 1) : strverscmp(x->name, y->name);
}

/*
 * Finds the first partitions of all disks, USB disks before others and then by name; returns their
 * number. The caller frees *candidates. Only sysfs is opened.
 */
static size_t data_candidates(const char *sys, struct data_candidate **candidates)
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

/* Returns whether both are the same disk, and not one that came in place of the other. */
static bool data_candidate_is_same(const struct data_candidate *a, const struct data_candidate *b)
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

/* Returns whether the boot sector belongs to our data partition. Only FAT32 has no 16-bit count of
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

/* Reads the image's identifier from a sector that FAT keeps free. An image without an identifier
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

/*
 * Reads the first sectors of a disk and its partition, in a child process. `image` receives the
 * identifier of the image to which the data partition belongs, or "".
 */
static enum data_look data_candidate_look(const struct data_candidate *c, const char *dev,
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

/* ---- disks that were examined ---- */

static void forget_gone(struct data_partition *p, const struct data_candidate *there, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < p->disk_count; i++) {
        size_t k = 0;
        while (k < count && !data_candidate_is_same(&there[k], &p->disks[i].candidate))
            k++;
        if (k < count)
            p->disks[left++] = p->disks[i];
    }
    p->disk_count = left;
}

static bool is_known(const struct data_partition *p, const struct data_candidate *c)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (data_candidate_is_same(&p->disks[i].candidate, c))
            return true;
    return false;
}

static void partition_look_at(struct data_partition *p, const struct data_candidate *c,
                              const char *dev)
{
    bool permitted =
        c->usb || (p->others && (!strcmp(p->others, "any") || !strcmp(p->others, c->disk)));
    if (p->disk_count == DATA_DISKS || is_known(p, c) || !permitted)
        return;
    struct data_disk disk = {.candidate = *c};
    disk.is = data_candidate_look(c, dev, disk.image);
    if (disk.is != DATA_UNREADABLE)
        p->disks[p->disk_count++] = disk;
    if (disk.is == DATA_SILENT)
        snprintf(p->note, sizeof p->note, "%.63s does not answer: it is not asked again", c->disk);
}

static bool may_be_used(const struct data_partition *p, const struct data_disk *d)
{
    bool own = p->image && p->image[0] && !strcmp(d->image, p->image);
    return own || p->any;
}

void data_partition_look(struct data_partition *p, const char *sys, const char *dev)
{
    struct data_candidate *there;
    size_t count = data_candidates(sys, &there);
    p->note[0] = '\0';
    forget_gone(p, there, count);
    for (size_t i = 0; i < count; i++)
        partition_look_at(p, &there[i], dev);
    free(there);
    /* Counts the usable partitions, and notes one that may not be used. */
    unsigned usable = 0;
    p->foreign[0] = p->foreign_image[0] = '\0';
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_disk *d = &p->disks[i];
        if (d->is != DATA_PARTITION)
            continue;
        if (may_be_used(p, d)) {
            usable++;
            continue;
        }
        snprintf(p->foreign, sizeof p->foreign, "%s", d->candidate.name);
        snprintf(p->foreign_image, sizeof p->foreign_image, "%s", d->image);
    }
    p->several = usable > 1;
}

/* ---- the chosen partition ---- */

bool data_partition_find(struct data_partition *p, const char *sys, const char *dev)
{
    data_partition_look(p, sys, dev);
    qsort(p->disks, p->disk_count, sizeof *p->disks, data_candidate_order);
    p->found = false;
    p->device[0] = p->disk[0] = '\0';
    if (!p->folder[0])
        snprintf(p->folder, sizeof p->folder, "%s", DATA_FOLDER);
    for (size_t i = 0; i < p->disk_count; i++) {
        const struct data_candidate *c = &p->disks[i].candidate;
        if (p->disks[i].is != DATA_PARTITION || !may_be_used(p, &p->disks[i]))
            continue;
        if (p->found && c->usb)
            snprintf(p->note, sizeof p->note,
                     "%.63s is a data partition too and is not used: only one stick should be "
                     "plugged",
                     c->name);
        if (p->found)
            break;
        int length = snprintf(p->device, sizeof p->device, "%s/%s", dev, c->name);
        p->found = length > 0 && (size_t)length < sizeof p->device;
        snprintf(p->disk, sizeof p->disk, "%s", c->disk);
        p->chosen = *c;
    }
    return p->found;
}

bool data_partition_has_gone(const struct data_partition *p)
{
    return p->found && !is_known(p, &p->chosen);
}

size_t data_partition_disks(const struct data_partition *p, const char *names[DATA_DISKS + 1])
{
    size_t count = 0;
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION)
            names[count++] = p->disks[i].candidate.disk;
    names[count] = NULL;
    return count;
}

bool data_partition_is_on(const struct data_partition *p, const char *disk)
{
    for (size_t i = 0; i < p->disk_count; i++)
        if (p->disks[i].is == DATA_PARTITION && !strcmp(p->disks[i].candidate.disk, disk))
            return true;
    return false;
}

/* ---- its mount ---- */

/* Options of the mount. A damaged filesystem becomes read-only by itself, and the next write
   reports that. The image has the modules of these character sets. */
static const char options[] =
    "utf8=0,iocharset=ascii,codepage=437,shortname=mixed,errors=remount-ro,tz=UTC";
static const unsigned long safe = MS_NODEV | MS_NOSUID | MS_NOEXEC | MS_NOATIME;

int data_partition_mount(struct data_partition *p, struct err *e)
{
    if (!p->found)
        return err_set(e, ERR_MACHINE, "no data partition was found: is the stick plugged in?");
    if (p->mounted)
        return 0;
    if (mkdir(p->folder, 0755) && errno != EEXIST)
        return err_set(e, ERR_MACHINE, "cannot make the folder %s: %s", p->folder, strerror(errno));
    if (!mount(p->device, p->folder, "vfat", safe | MS_RDONLY, options)) {
        p->mounted = true;
        p->writable = false;
        return 0;
    }
    if (errno == ENODEV || errno == EINVAL)
        return err_set(e, ERR_MACHINE,
                       "cannot mount %s: %s; the kernel needs vfat, nls_cp437 and nls_ascii",
                       p->device, strerror(errno));
    return err_set(e, errno == EPERM ? ERR_MACHINE : ERR_TARGET, "cannot mount %s on %s: %s",
                   p->device, p->folder, strerror(errno));
}

/* Flushes a file or filesystem from the kernel's memory, then from the stick's own cache. */
static int flush_file(const char *path, int (*how)(int))
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), status = -1;
    if (fd < 0)
        return -1;
    status = how(fd);
    int error = errno;
    close(fd);
    errno = error;
    return status;
}

static int change_failed(const struct data_partition *p, const char *what, int error, struct err *e)
{
    const char *why = error == EROFS || error == EACCES ? "the stick is write-protected"
                      : error == EBUSY                  ? "a file there is open for writing"
                                                        : strerror(error);
    return err_set(e, ERR_TARGET, "cannot %s %s: %s", what, p->device, why);
}

/* Flushes and remounts read-only. If the flush fails, the remount is still done. */
static int make_read_only(struct data_partition *p, struct err *e)
{
    int error = flush_file(p->folder, syncfs) ? errno : 0;
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT | MS_RDONLY, options))
        return change_failed(p, "make read-only", errno, e);
    p->writable = false;
    if (flush_file(p->device, fsync))
        error = errno;
    return error ? change_failed(p, "finish writing to", error, e) : 0;
}

int data_partition_writable(struct data_partition *p, bool writable, struct err *e)
{
    if (!p->mounted)
        return err_set(e, ERR_MACHINE, "the data partition is not mounted: nothing can be kept");
    if (writable == p->writable)
        return 0;
    if (!writable)
        return make_read_only(p, e);
    if (mount(p->device, p->folder, "vfat", safe | MS_REMOUNT, options))
        return change_failed(p, "write to", errno, e);
    p->writable = true;
    return 0;
}

void data_partition_unmount(struct data_partition *p)
{
    if (!p->mounted)
        return;
    if (p->writable)
        make_read_only(p, NULL);
    if (umount2(p->folder, UMOUNT_NOFOLLOW))
        umount2(p->folder, MNT_DETACH | UMOUNT_NOFOLLOW);
    p->mounted = p->writable = false;
}
