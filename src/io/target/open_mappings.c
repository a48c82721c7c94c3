/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared mappings of a process: a program can write through them after it closed the descriptor. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/target/internal.h"

/* PROCMAP_QUERY of Linux 6.11 (linux/fs.h): the kernel itself skips mappings of no interest. Older
   headers lack it. */
struct mapping_query {
    uint64_t size, flags, address;
    uint64_t begin, end, vma_flags, page_size, offset, inode;
    uint32_t device_major, device_minor, name_size, build_id_size;
    uint64_t name_address, build_id_address;
};

#define MAPPING_QUERY _IOWR('f', 17, struct mapping_query)

enum { SHARED = 8, THIS_OR_NEXT = 16, OF_FILE = 32 };

struct mapping {
    uint64_t begin, end, inode;
    unsigned device_major, device_minor;
};

/* The kernel shows a mapped file, and how it was opened, only to processes that may restore others
   (CAP_CHECKPOINT_RESTORE). Without that the numbers are compared, which on most filesystems are
   those of the regular file. */
static bool mapping_is_it(struct open_search *s, const char *process, const struct mapping *m)
{
    char path[96];
    struct stat st;
    snprintf(path, sizeof path, "/proc/%.20s/map_files/%" PRIx64 "-%" PRIx64, process, m->begin,
             m->end);
    if (open_file_look(AT_FDCWD, path, &st))
        return s->is_it(s->context, &st) && open_file_is_written(AT_FDCWD, path);
    if (errno != EPERM && errno != EACCES)
        return false;
    s->unseen |= s->devices;
    st = (struct stat){.st_mode = S_IFREG,
                       .st_dev = makedev(m->device_major, m->device_minor),
                       .st_ino = m->inode};
    return s->is_it(s->context, &st);
}

/* 1: found, 0: not found, -1: the kernel does not know this query. */
static int ask_kernel(struct open_search *s, const char *process, int fd)
{
    struct mapping_query q = {.size = sizeof q, .flags = SHARED | THIS_OR_NEXT | OF_FILE};
    while (!syscall(SYS_ioctl, fd, MAPPING_QUERY, &q)) {
        const struct mapping m = {q.begin, q.end, q.inode, q.device_major, q.device_minor};
        if (mapping_is_it(s, process, &m))
            return 1;
        q = (struct mapping_query){.size = sizeof q, .flags = q.flags, .address = m.end};
    }
    return errno == ENOTTY || errno == EINVAL ? -1 : 0;
}

/* Read lines such as "7f0c-7f0d rw-s 00000000 00:19 1234   /path". */
static bool read_table(struct open_search *s, const char *process, int fd)
{
    char line[PATH_MAX + 128], access[5];
    bool found = false;
    FILE *f = fdopen(dup(fd), "re");
    s->unseen |= !f;
    while (f && !found && fgets(line, sizeof line, f)) {
        struct mapping m;
        // NOLINTNEXTLINE(cert-err34-c): the kernel's numbers
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64, &m.begin, &m.end,
                       access, &m.device_major, &m.device_minor, &m.inode) == 6 &&
                access[3] == 's' && m.inode && mapping_is_it(s, process, &m);
    }
    if (f)
        fclose(f);
    return found;
}

bool open_mapping_writes(struct open_search *s, const char *process)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%.20s/maps", process);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        s->unseen |= errno != ENOENT && errno != ESRCH; /* it has ended */
        return false;
    }
    int answer = ask_kernel(s, process, fd);
    bool found = answer < 0 ? read_table(s, process, fd) : answer;
    close(fd);
    return found;
}
