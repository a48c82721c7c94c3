/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of target_open: each opens one kind of target. They fill what target.h says of a struct
 * target whose `path` is set and whose fd is -1; target_open closes it again when they fail.
 */
#ifndef CUPEL_IO_TARGET_KINDS_H
#define CUPEL_IO_TARGET_KINDS_H

#include "io/scratch.h"
#include "io/target.h"

/*
 * Everything a part needs beside the target itself. `look` has the target open with O_PATH from the
 * first look to the end of target_open (-1: there is none yet): a part that judges and then opens
 * again does so by file_reopen, so that what it opens is what was judged, whatever the path leads
 * to meanwhile.
 */
struct opening {
    const struct target_request *request;
    int look;
    struct fill_watch watch;
};

int target_open_device(struct target *t, const struct opening *o, struct err *e);
int target_open_file(struct target *t, const struct opening *o, struct err *e);
int target_make_file(struct target *t, const struct opening *o, struct err *e);
int target_make_scratch(struct target *t, const struct opening *o, struct err *e);

/*
 * The generic character device of an NVMe namespace, which is one by target_is_nvme_generic. For
 * writing, target_guard_namespace finds the block device of the same namespace (looked up below
 * `root`) and answers as guard_unused does.
 */
bool target_is_nvme_generic(dev_t device);
bool target_is_shown(dev_t device); /* sysfs has this character device, whatever it is */
int target_open_nvme(struct target *t, dev_t device, const struct opening *o, struct err *e);
int target_guard_namespace(const char *root, dev_t device, const char *path, dev_t *block,
                           char name[64], struct err *e);

/* The refusal of a device that is to be written without --destroy. Always -1. */
int target_needs_destroy(const struct target *t, struct err *e);

/* target_judge_unwritten for devices. */
int target_judge_device(struct target *t, const struct target_request *request, struct err *e);

/* Why a file or device cannot be opened: the code and the message for an errno. Always -1. */
int target_refusal(const char *path, int error, struct err *e);

/*
 * Open what was looked at for measuring: read-only unless the workload writes, O_DIRECT as asked,
 * `flags` added, and then target_opened.
 */
int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e);

/*
 * After an open that gave t->fd, or `error`: set t->direct and t->logical_block, or say why it
 * failed. There is no silent fall back from O_DIRECT.
 */
int target_opened(struct target *t, const struct target_request *request, int error, struct err *e);

/* A file can be made so large; the filesystem of an open file has room for `size` more bytes. */
int target_check_size(uint64_t size, const char *path, struct err *e);
int target_check_room(int fd, const char *path, uint64_t size, struct err *e);

/* Turn O_DIRECT on for an open file, or -1: an open with O_DIRECT may fail and make the file all
 * the same. */
int target_use_direct(int fd);

/* Refuse what was mostly never written (more than `limit` of it), or note it. */
int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e);

#endif
