/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies rules for all kinds of targets: the error of a failed open, O_DIRECT, and blocks that
   were never written. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file_identity.h"
#include "base/machine/permission.h"
#include "io/device/block_device.h"
#include "io/target/internal.h"

int target_refusal(const char *path, int error, struct err *e)
{
    static const struct {
        int error;
        enum err_code code;
        const char *text;
    } reasons[] = {
        {ENOENT, ERR_USAGE, "no such file; --size makes one"},
        {ENOTDIR, ERR_USAGE, "no such file: a part of the path is not a folder"},
        {ENAMETOOLONG, ERR_USAGE, "the name is too long"},
        {ELOOP, ERR_USAGE, "too many symbolic links"},
        {EISDIR, ERR_USAGE, "it is a folder"},
        {EROFS, ERR_MACHINE,
         "the filesystem is read-only: choose another folder, /dev/shm for a try"},
        {ETXTBSY, ERR_UNSAFE, "it is in use as a program or as swap"},
        {EBUSY, ERR_UNSAFE,
         "the kernel says it is in use (a mount, md, LVM, swap or another program); --destroy will "
         "not override this"},
        {ENOMEDIUM, ERR_TARGET, "there is no medium in it"},
        {ENXIO, ERR_TARGET, "there is no such device any more"},
        {ENODEV, ERR_TARGET, "there is no such device any more"},
        {ESTALE, ERR_UNSAFE, "something else took its place while it was being opened"},
        {ENOSPC, ERR_TARGET, "the filesystem is full"},
        {EDQUOT, ERR_TARGET, "the disk quota is used up"},
    };
    char remedy[PERMISSION_BYTES];
    struct stat at;
    /* True if the path is a folder, or a file that is to be made in a folder. */
    const bool makes = stat(path, &at) ? errno == ENOENT : S_ISDIR(at.st_mode);
    if (error == EACCES || error == EPERM)
        return err_set(e, ERR_MACHINE, "%s: %s; %s", path,
                       error == EACCES ? "permission denied" : "not permitted",
                       makes && geteuid()
                           ? "choose a folder that you may write to, /dev/shm for a try"
                           : permission_remedy(path, remedy));
    for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].error == error)
            return err_set(e, reasons[i].code, "%s: %s", path, reasons[i].text);
    return err_set(e, ERR_TARGET, "%s: cannot be opened: %s", path, strerror(error));
}

int target_opened(struct target *t, const struct target_request *request, int error, struct err *e)
{
    if (t->fd < 0 && !(error == EINVAL && request->direct))
        return target_refusal(t->path, error, e);
    t->direct = request->direct;
    t->logical_block = t->fd < 0 ? 0 : direct_block_size(t->fd);
    if (t->logical_block)
        return 0;
    if (request->direct)
        return err_set(
            e, ERR_MACHINE,
            "%s: O_DIRECT does not work here; --direct 0 measures through the page cache", t->path);
    t->logical_block = 1;
    return 0;
}

int target_open_fd(struct target *t, const struct opening *o, int flags, struct err *e)
{
    const struct target_request *request = o->request;
    flags |= (request->write ? O_RDWR : O_RDONLY) | (request->direct ? O_DIRECT : 0);
    t->fd = file_reopen(o->look, t->path, flags);
    return target_opened(t, request, errno, e);
}

int target_judge_unwritten(struct target *t, const struct target_request *request, double limit,
                           const char *remedy, struct err *e)
{
    if (t->unwritten_share <= 0)
        return 0;
    bool reads = request->read || !request->write;
    if (reads && t->unwritten_share > limit && !request->allow_unwritten)
        return err_set(
            e, ERR_UNSAFE,
            "%s: %.3g %% of it was never written, and reading that measures nothing; %s, "
            "or measure it all the same with --allow-unwritten",
            t->path, 100 * t->unwritten_share, remedy);
    snprintf(t->note, sizeof t->note, "%.3g %% of the target was never written: %s",
             100 * t->unwritten_share,
             reads ? "reads of that do not reach the medium" : "first writes there also allocate");
    return 0;
}
