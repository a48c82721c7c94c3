/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A FUSE filesystem with one file, "file", whose bytes are all the same, for tests of files on
 * filesystems without leases. A child process serves it until fuse_end, or until its parent ends.
 */
#ifndef TESTS_UNIT_FUSE_MOUNT_H
#define TESTS_UNIT_FUSE_MOUNT_H

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUSE_FILE_SIZE  (1u << 20)
#define FUSE_FILE_INODE 2

struct fuse_mount {
    char folder[64], file[80];
    pid_t server;
};

static inline struct fuse_attr fuse_attributes(uint64_t inode)
{
    bool file = inode == FUSE_FILE_INODE;
    return (struct fuse_attr){.ino = inode,
                              .size = file ? FUSE_FILE_SIZE : 0,
                              .blocks = file ? FUSE_FILE_SIZE / 512 : 0,
                              .mode = file ? S_IFREG | 0644 : S_IFDIR | 0755,
                              .nlink = 1,
                              .blksize = 4096};
}

static inline void fuse_answer(int fd, uint64_t unique, int error, void *data, size_t length)
{
    struct fuse_out_header head = {
        .len = (uint32_t)(sizeof head + length), .error = -error, .unique = unique};
    struct iovec parts[] = {{&head, sizeof head}, {data, length}};
    if (writev(fd, parts, length ? 2 : 1) < 0 && errno != ENOENT)
        _exit(1);
}

static inline void fuse_serve_one(int fd, const struct fuse_in_header *in, const void *body)
{
    static char bytes[1 << 17];
    struct fuse_init_out init = {.major = 7, .minor = 31, .max_write = 1 << 16};
    struct fuse_entry_out entry = {.nodeid = FUSE_FILE_INODE, .attr_valid = 60, .entry_valid = 60};
    struct fuse_attr_out attributes = {.attr_valid = 60, .attr = fuse_attributes(in->nodeid)};
    struct fuse_open_out opened = {.fh = 1};
    struct fuse_write_out written = {0};
    struct fuse_kstatfs room = {.bsize = 4096, .frsize = 4096, .blocks = 1024, .namelen = 255};
    struct fuse_statfs_out filesystem = {.st = room};
    switch (in->opcode) {
    case FUSE_INIT:
        return fuse_answer(fd, in->unique, 0, &init, sizeof init);
    case FUSE_LOOKUP:
        entry.attr = fuse_attributes(FUSE_FILE_INODE);
        return strcmp(body, "file") ? fuse_answer(fd, in->unique, ENOENT, NULL, 0)
                                    : fuse_answer(fd, in->unique, 0, &entry, sizeof entry);
    case FUSE_GETATTR:
    case FUSE_SETATTR:
        return fuse_answer(fd, in->unique, 0, &attributes, sizeof attributes);
    case FUSE_OPEN:
    case FUSE_OPENDIR:
        return fuse_answer(fd, in->unique, 0, &opened, sizeof opened);
    case FUSE_READ:
        memset(bytes, 'f', sizeof bytes);
        return fuse_answer(fd, in->unique, 0, bytes, ((const struct fuse_read_in *)body)->size);
    case FUSE_WRITE:
        written.size = ((const struct fuse_write_in *)body)->size;
        return fuse_answer(fd, in->unique, 0, &written, sizeof written);
    case FUSE_STATFS:
        return fuse_answer(fd, in->unique, 0, &filesystem, sizeof filesystem);
    case FUSE_FLUSH:
    case FUSE_FSYNC:
    case FUSE_RELEASE:
    case FUSE_RELEASEDIR:
        return fuse_answer(fd, in->unique, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT:
        return;
    default:
        return fuse_answer(fd, in->unique, ENOSYS, NULL, 0);
    }
}

static inline void fuse_serve(int fd)
{
    static union {
        struct fuse_in_header header;
        char bytes[1 << 18];
    } request;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        ssize_t length = read(fd, &request, sizeof request);
        if (length < (ssize_t)sizeof request.header) {
            if (length < 0 && (errno == EINTR || errno == EAGAIN || errno == ENOENT))
                continue;
            _exit(0); /* it was unmounted */
        }
        request.bytes[length < (ssize_t)sizeof request ? length : length - 1] = '\0';
        fuse_serve_one(fd, &request.header, request.bytes + sizeof request.header);
    }
}

/* Returns false if FUSE is not available. */
static inline bool fuse_begin(struct fuse_mount *m)
{
    char options[96];
    int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    snprintf(m->folder, sizeof m->folder, "/tmp/cupel-fuse-XXXXXX");
    if (fd < 0 || !mkdtemp(m->folder))
        return false;
    snprintf(m->file, sizeof m->file, "%s/file", m->folder);
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%u,group_id=%u", fd, geteuid(),
             getegid());
    if (mount("cupel-test", m->folder, "fuse.cupel-test", MS_NOSUID | MS_NODEV, options)) {
        close(fd);
        rmdir(m->folder);
        return false;
    }
    m->server = fork();
    if (!m->server)
        fuse_serve(fd);
    close(fd);
    return true;
}

static inline void fuse_end(struct fuse_mount *m)
{
    CHECK_INT(umount2(m->folder, MNT_DETACH), 0);
    kill(m->server, SIGKILL);
    waitpid(m->server, NULL, 0);
    CHECK_INT(rmdir(m->folder), 0);
}

#endif
