/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the file of a descriptor; keeps the table of files and the mount points of their
   filesystems. */
#include "program/observe/internal.h"

#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/file/mountinfo.h"

enum { SLOTS = 4 * FILES_MAX };

/* Filesystems that show the kernel's own state. They have no storage, and most of their content is
   made when it is read. */
static const uint64_t kernel_filesystems[] = {
    PROC_SUPER_MAGIC,    SYSFS_MAGIC,      CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC,
    TRACEFS_MAGIC,       SECURITYFS_MAGIC, BPF_FS_MAGIC,       NSFS_MAGIC,          EFIVARFS_MAGIC,
    ANON_INODE_FS_MAGIC, SELINUX_MAGIC,    PSTOREFS_MAGIC,     SMACK_MAGIC,
};

enum file_class file_class_of(const struct io_call_begin *call)
{
    if (call->mode == 0)
        return FILE_NONE;
    switch (call->mode & S_IFMT) {
    case S_IFREG:
        for (size_t i = 0; i < sizeof kernel_filesystems / sizeof *kernel_filesystems; i++)
            if (kernel_filesystems[i] == call->filesystem)
                return FILE_KERNEL;
        return FILE_REGULAR;
    case S_IFBLK:
        return FILE_BLOCK;
    case S_IFDIR:
        return FILE_FOLDER;
    case S_IFIFO:
        return FILE_PIPE;
    case S_IFSOCK:
        return FILE_SOCKET;
    case S_IFCHR:
        return FILE_CHARACTER;
    default:
        return FILE_KERNEL;
    }
}

/* ---- mounts ---- */

static const char *mount_point_of(const struct mounts *m, uint32_t device)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->rows[i].device == device)
            return m->rows[i].point;
    return NULL;
}

void mounts_read(struct mounts *m)
{
    /* a longer line continues in the next reads, which find no device and are skipped */
    char line[1024];
    struct mountinfo mount;
    m->count = 0;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        if (!mountinfo_parse(line, &mount) || strcmp(mount.root, "/") != 0) /* a bind mount */
            continue;
        uint32_t device = (uint32_t)(major(mount.device) << 20 | minor(mount.device));
        if (m->count == MOUNTS_MAX || strlen(mount.point) >= MOUNT_POINT_BYTES ||
            mount_point_of(m, device))
            continue;
        m->rows[m->count].device = device;
        snprintf(m->rows[m->count++].point, MOUNT_POINT_BYTES, "%s",
                 strcmp(mount.point, "/") ? mount.point : "");
    }
    if (f)
        fclose(f);
}

void mounts_place(struct mounts *m, uint32_t device, char *path, size_t size)
{
    const char *point = mount_point_of(m, device);
    if (!point) {
        mounts_read(m);
        point = mount_point_of(m, device);
    }
    char below[512];
    if (!point || strlen(point) + strlen(path) >= size || strlen(path) >= sizeof below)
        return;
    snprintf(below, sizeof below, "%s", path);
    snprintf(path, size, "%s%s", point, below);
}

/* ---- files ---- */

size_t files_bytes(void)
{
    return arena_bytes(FILES_MAX + 1, sizeof(struct file)) + arena_bytes(SLOTS, sizeof(uint16_t));
}

int files_init(struct files *f, struct arena *arena, struct err *e)
{
    *f = (struct files){.rows = arena_alloc(arena, FILES_MAX + 1, sizeof *f->rows),
                        .slots = arena_alloc(arena, SLOTS, sizeof *f->slots)};
    if (!f->rows || !f->slots)
        return err_no_memory(e, "the files of a recording");
    mounts_read(&f->mounts);
    f->rows[FILES_MAX].trace = FILES_NO_TRACE;
    snprintf(f->rows[FILES_MAX].sums.name, sizeof f->rows[FILES_MAX].sums.name, "(other files)");
    return 0;
}

/* Asks /proc for the path of the descriptor. Returns false if the process has ended, or the
   descriptor has another file by now; the kernel's record is then used. */
static bool ask_for_path(struct file *file, uint32_t process, uint64_t descriptor)
{
    char link[64];
    struct stat s;
    snprintf(link, sizeof link, "/proc/%" PRIu32 "/fd/%" PRIu64, process, descriptor & 0xffffffff);
    char path[sizeof file->sums.name];
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || length == (ssize_t)sizeof path - 1 || stat(link, &s))
        return false;
    dev_t number = makedev(file->device >> 20, file->device & 0xfffff);
    bool same = file->kind == FILE_BLOCK ? S_ISBLK(s.st_mode) && s.st_rdev == number
                                         : s.st_ino == file->inode;
    /* /proc appends this for a file without a name, whose last name is in the kernel's record. */
    const char *const gone = " (deleted)";
    size_t mark = strlen(gone);
    if (s.st_nlink == 0 && (size_t)length > mark && !memcmp(path + length - mark, gone, mark))
        length -= (ssize_t)mark;
    if (same)
        snprintf(file->sums.name, sizeof file->sums.name, "%.*s", (int)length, path);
    return same;
}

/* Joins the parts "b", "a", "/" to "/a/b", or to "../a/b" if they end before the root. Returns true
   if the path is complete. */
static bool join_parts(const struct io_call_begin *call, char *to, size_t size)
{
    int count = 0;
    while (count < IO_CALL_PATH_PARTS && call->path[count][0] && call->path[count][0] != '/')
        count++;
    bool whole = count < IO_CALL_PATH_PARTS && call->path[count][0] == '/';
    size_t used = 0;
    for (int i = count - 1; i >= 0 && used < size; i--) {
        bool cut = strnlen(call->path[i], IO_CALL_PART_BYTES) >= IO_CALL_PART_BYTES - 1;
        int length =
            snprintf(to + used, size - used, "%s/%.*s%s", i == count - 1 && !whole ? ".." : "",
                     IO_CALL_PART_BYTES, call->path[i], cut ? "..." : "");
        used += length > 0 ? (size_t)length : 0;
        whole = whole && !cut;
    }
    if (count == 0)
        snprintf(to, size, "%s", whole ? "" : "(no name)");
    return whole && used < size;
}

/* Takes the path from the kernel's record. A complete path is placed below the mount point of its
   filesystem. */
static void take_path(struct files *f, struct file *file, const struct io_call_begin *call)
{
    char *name = file->sums.name;
    file->path_known = join_parts(call, name, sizeof file->sums.name);
    if (file->path_known)
        mounts_place(&f->mounts, call->device, name, sizeof file->sums.name);
}

/* Returns the slot of the record's file, or the free slot where it belongs. */
static size_t slot_of(const struct files *f, const struct io_call_begin *call, enum file_class kind)
{
    uint32_t device = kind == FILE_BLOCK ? call->special : call->device;
    uint64_t inode = kind == FILE_BLOCK ? 0 : call->inode;
    uint32_t generation = kind == FILE_BLOCK ? 0 : call->generation;
    uint64_t mixed = (inode ^ (uint64_t)device << 40) * 0x9e3779b97f4a7c15u;
    size_t slot = (size_t)(mixed >> 32) % SLOTS;
    for (; f->slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct file *file = &f->rows[f->slots[slot] - 1];
        if (file->inode == inode && file->device == device && file->generation == generation)
            break;
    }
    return slot;
}

int32_t files_find(struct files *f, const struct io_call_begin *call, enum file_class kind,
                   uint32_t process, uint64_t descriptor)
{
    size_t slot = slot_of(f, call, kind);
    if (f->slots[slot]) {
        if (kind != FILE_BLOCK)
            f->rows[f->slots[slot] - 1].sums.size = call->size;
        return f->slots[slot] - 1;
    }
    if (f->count == FILES_MAX) {
        f->others++;
        return FILES_MAX;
    }
    struct file *file = &f->rows[f->count++];
    bool block = kind == FILE_BLOCK;
    *file = (struct file){.device = block ? call->special : call->device,
                          .generation = block ? 0 : call->generation,
                          .inode = block ? 0 : call->inode,
                          .kind = kind,
                          .trace = FILES_NO_TRACE};
    file->sums.size = call->size;
    file->path_known = ask_for_path(file, process, descriptor);
    if (!file->path_known)
        take_path(f, file, call);
    if (block)
        file->sums.size = device_bytes(file->device);
    f->slots[slot] = (uint16_t)f->count;
    return (int32_t)f->count - 1;
}

void files_add_path(struct files *f, const struct io_call_begin *more)
{
    size_t slot = slot_of(f, more, file_class_of(more));
    struct file *file = f->slots[slot] ? &f->rows[f->slots[slot] - 1] : NULL;
    if (!file || file->path_known || strncmp(file->sums.name, "..", 2) != 0)
        return;
    char end[sizeof file->sums.name];
    snprintf(end, sizeof end, "%s", file->sums.name + 2);
    take_path(f, file, more);
    size_t length = strlen(file->sums.name);
    snprintf(file->sums.name + length, sizeof file->sums.name - length, "%s", end);
    file->path_known = file->path_known && length + strlen(end) < sizeof file->sums.name;
}
