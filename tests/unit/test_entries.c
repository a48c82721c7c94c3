/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metadata backends: the files that a pass finds and leaves, preparation between passes, failures.
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/entry_name.h"
#include "io/io.h"
#include "io/target/target.h"

#define ENTRIES 200

static struct clock the_clock;
static char base[] = "/tmp/test_entries.XXXXXX";
static unsigned char buffer[4096];

/* Counts entries below the folder, including those in subfolders. */
static unsigned count_in(int folder)
{
    unsigned count = 0;
    DIR *d = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY));
    for (const struct dirent *at; d && (at = readdir(d));) {
        if (at->d_name[0] == '.')
            continue;
        int inner = openat(folder, at->d_name, O_RDONLY | O_DIRECTORY);
        count++;
        if (inner >= 0) {
            count += count_in(inner);
            close(inner);
        }
    }
    if (d)
        closedir(d);
    return count;
}

static int open_target(struct target *t, const char *path, struct err *e)
{
    const struct target_request request = {
        .path = path, .read = true, .write = true, .entries = ENTRIES, .folders = 1};
    return target_open(t, &request, NULL, NULL, NULL, e);
}

static struct io_setup setup_of(int fd)
{
    return (struct io_setup){.clock = &the_clock,
                             .fd = fd,
                             .iodepth = 1,
                             .buffers = buffer,
                             .buffer_stride = sizeof buffer,
                             .entries = ENTRIES,
                             .workers = 1};
}

/* Performs that many requests, which must succeed. Returns how many exchanges prepared something.
 */
static unsigned perform(struct io_backend *b, unsigned count)
{
    const struct io_req request = {.length = 512, .command = REQUEST_WRITE};
    struct io_done done = {0};
    struct err e = {0};
    struct io_exchange x = {
        .requests = &request, .n = 1, .min = 1, .max = 1, .done = &done, .e = &e};
    unsigned prepared = 0;
    uint64_t last = 0;
    while (count && prepared < 1000) {
        int got = b->ops->exchange(b, &x);
        if (!check_that(got >= 0, __FILE__, __LINE__, "got >= 0"))
            return prepared;
        prepared += !got;
        if (!got) {
            CHECK_INT(x.taken, 0); /* the caller keeps the request */
            continue;
        }
        count--;
        CHECK_INT(done.error, 0);
        CHECK_INT(done.bytes, 512);
        CHECK(done.t_sub >= last && done.t_cpl >= done.t_sub);
        last = done.t_cpl;
    }
    return prepared;
}

/* One and a half passes, and the entries that exist then; after the first pass as many as the
   backend keeps. */
static void check_passes(const struct io_ops *ops, unsigned after_half, unsigned after_more)
{
    struct target t;
    struct err e = {0};
    struct io_backend b = {0};
    if (!check_that(!open_target(&t, base, &e), __FILE__, __LINE__, "!open_target(&t, base, &e)"))
        return;
    int fd = target_open_job_folder(&t, 0, &e);
    const struct io_setup setup = setup_of(fd);
    CHECK_INT(ops->open(&b, &setup, &e), 0);
    CHECK(perform(&b, ENTRIES / 2) > 0);
    CHECK(atomic_load(&b.aside) > 0);
    CHECK_INT(count_in(fd), after_half);
    perform(&b, ENTRIES);
    CHECK_INT(count_in(fd), after_more);
    ops->close(&b);
    CHECK(target_remove_job_folder(&t, 0, fd));
    close(fd);
    target_close(&t);
    int root = open(base, O_RDONLY | O_DIRECTORY);
    CHECK_INT(count_in(root), 0);
    close(root);
}

/* A file that cupel did not make is kept, and so is its folder. */
static void check_foreign(void)
{
    struct target t;
    struct err e = {0};
    char path[200];
    if (!check_that(!open_target(&t, base, &e), __FILE__, __LINE__, "!open_target(&t, base, &e)"))
        return;
    struct stat st;
    CHECK(!fstat(t.fd, &st) && (st.st_mode & 07777) == 0700);
    int fd = target_open_job_folder(&t, 3, &e);
    CHECK(!symlinkat("/etc/passwd", fd, "00000001"));
    close(openat(fd, "theirs", O_CREAT | O_WRONLY, 0600));
    CHECK(!target_remove_job_folder(&t, 3, fd));
    CHECK_INT(count_in(fd), 1); /* a link with an entry's name is removed, its target is not */
    CHECK(!access("/etc/passwd", F_OK));
    target_close(&t);
    snprintf(path, sizeof path, "%s/%s/00000003/theirs", base, t.folder_name);
    CHECK(!access(path, F_OK));

    /* Nobody locks this folder: the next target reports it as left over. */
    CHECK_INT(open_target(&t, base, &e), 0);
    CHECK(strstr(t.note, "1 scratch folder of runs that were killed: .cupel-folder-") != NULL);
    struct target again;
    CHECK_INT(open_target(&again, base, &e), 0);
    CHECK(strstr(again.note, "1 scratch folder of") != NULL); /* the folder in use does not count */
    target_close(&again);
    target_close(&t);
    CHECK(!unlinkat(fd, "theirs", 0));
    close(fd);
    *strrchr(path, '/') = '\0';
    CHECK(!rmdir(path));
    *strrchr(path, '/') = '\0';
    CHECK(!rmdir(path));
}

/* Another folder under the same name is not removed. */
static void check_exchanged(void)
{
    struct target t;
    struct err e = {0};
    char path[200], moved[200];
    if (!check_that(!open_target(&t, base, &e), __FILE__, __LINE__, "!open_target(&t, base, &e)"))
        return;
    snprintf(path, sizeof path, "%s/%s", base, t.folder_name);
    snprintf(moved, sizeof moved, "%s/moved", base);
    CHECK(!rename(path, moved) && !mkdir(path, 0700));
    target_close(&t);
    CHECK(!access(path, F_OK) && !access(moved, F_OK));
    CHECK(!rmdir(path) && !rmdir(moved));
}

static void check_refusals(void)
{
    struct target t;
    struct err e = {0};
    struct io_backend b = {0};
    char file[200];
    snprintf(file, sizeof file, "%s/file", base);
    close(open(file, O_CREAT | O_WRONLY, 0600));
    CHECK_INT(open_target(&t, file, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "it is no folder") != NULL);
    unlink(file);
    CHECK_INT(open_target(&t, file, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_INT(open_target(&t, "/proc/self", &e), -1);
    CHECK_INT(e.code, ERR_UNSAFE);

    /* More entries than the filesystem has inodes. */
    const struct target_request many = {
        .path = base, .write = true, .entries = UINT64_MAX / 4096, .folders = 2};
    if (target_open(&t, &many, NULL, NULL, NULL, &e))
        CHECK(e.code == ERR_TARGET && strstr(e.msg, "inodes left") != NULL);
    else
        target_close(&t); /* a filesystem without that limit */

    /* Files larger than the filesystem allows. */
    if (!check_that(!open_target(&t, base, &e), __FILE__, __LINE__, "!open_target(&t, base, &e)"))
        return;
    int fd = target_open_job_folder(&t, 0, &e);
    struct io_setup setup = setup_of(fd);
    setup.entry_bytes = 1 << 20;
    const struct io_req request = {.length = 512};
    struct rlimit before, small;
    CHECK(!getrlimit(RLIMIT_FSIZE, &before));
    small = (struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    CHECK_INT(io_filestat.open(&b, &setup, &e), 0);
    CHECK(!setrlimit(RLIMIT_FSIZE, &small));
    CHECK_INT(io_filestat.submit(&b, &request, 1, &e), -1);
    CHECK(!setrlimit(RLIMIT_FSIZE, &before));
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "a pass of file stats could not be prepared: File too large") != NULL);
    io_filestat.close(&b);
    CHECK(target_remove_job_folder(&t, 0, fd));
    close(fd);
    target_close(&t);
}

int main(void)
{
    clock_calibrate(&the_clock, 10, false);
    if (!check_that(mkdtemp(base) != NULL, __FILE__, __LINE__, "mkdtemp(base) != NULL"))
        return check_result();
    char name[ENTRY_NAME_BYTES];
    entry_name(name, 0x12ab);
    CHECK_STR(name, "000012ab");
    CHECK(entry_name_is(name) && !entry_name_is("12ab") && !entry_name_is("0000-2ab"));

    check_passes(&io_filestat, ENTRIES, ENTRIES);
    check_passes(&io_dirstat, ENTRIES, ENTRIES);
    check_passes(&io_filedelete, ENTRIES / 2, ENTRIES / 2);
    check_passes(&io_dirdelete, ENTRIES / 2, ENTRIES / 2);
    /* The entries of a pass are in a folder of their own and are kept, unless the filesystem is in
       memory. */
    struct target t;
    struct err e = {0};
    if (check_that(!open_target(&t, base, &e), __FILE__, __LINE__, "!open_target(&t, base, &e)")) {
        unsigned kept = t.in_memory ? 0 : ENTRIES + 1;
        target_close(&t);
        check_passes(&io_filecreate, ENTRIES / 2 + 1, ENTRIES / 2 + 1 + kept);
        check_passes(&io_dircreate, ENTRIES / 2 + 1, ENTRIES / 2 + 1 + kept);
    }
    check_foreign();
    check_exchanged();
    check_refusals();
    CHECK(!rmdir(base));
    return check_result();
}
