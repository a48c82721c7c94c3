/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that are files: made, marked, filled, refused, and left alone.
   Longer than 500 lines because every kind of file is one check of the same opening. */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/target/target.h"

enum { MIB = 1 << 20 };

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int open_target(struct target *t, const struct target_request *request, struct err *e)
{
    *e = (struct err){0};
    return target_open(t, request, NULL, NULL, NULL, e);
}

static void check_opens(const struct target_request *request, struct target *t)
{
    struct err e;
    if (open_target(t, request, &e))
        CHECK_STR(e.msg, "");
    CHECK(t->fd >= 0);
    CHECK_INT(fcntl(t->fd, F_GETFL) & O_ACCMODE, request->write ? O_RDWR : O_RDONLY);
    CHECK_INT((fcntl(t->fd, F_GETFL) & O_DIRECT) != 0, request->direct);
}

static void check_refused(const struct target_request *request, enum err_code code,
                          const char *text)
{
    struct target t;
    struct err e;
    CHECK_INT(open_target(&t, request, &e), -1);
    CHECK_INT(e.code, code);
    CHECK_INT(t.fd, -1);
    if (!strstr(e.msg, text))
        CHECK_STR(e.msg, text);
}

static void make_file(const char *path, size_t bytes, int value)
{
    static unsigned char data[MIB];
    memset(data, value, sizeof data);
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
    CHECK(fd >= 0);
    CHECK_INT(write(fd, data, bytes), bytes);
    CHECK_INT(fsync(fd), 0);
    close(fd);
}

static off_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) ? -1 : st.st_size;
}

/* Returns the number of zero blocks in the target. */
static unsigned zero_blocks(const struct target *t)
{
    unsigned zeros = 0;
    unsigned char *block = aligned_alloc(4096, 4096);
    for (uint64_t at = 0; at < t->size; at += 4096) {
        CHECK_INT(pread(t->fd, block, 4096, (off_t)at), 4096);
        zeros += block[0] == 0 && !memcmp(block, block + 1, 4095);
    }
    free(block);
    return zeros;
}

static void punch(const char *path, off_t begin, off_t length)
{
    int fd = open(path, O_RDWR);
    CHECK_INT(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, length), 0);
    close(fd);
}

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    double *last = context;
    double share = (double)done / (double)total;
    CHECK(share >= *last && share <= 1);
    *last = share;
}

static void check_made_file(bool direct)
{
    const char *path = in_folder("made");
    struct target t;
    struct target_request read = {.path = path, .read = true, .direct = direct, .seed = 1};
    struct target_request write = read, make = read;
    check_refused(&read, ERR_USAGE, "no such file; --size makes one");
    make.size = 5000;
    check_refused(&make, ERR_USAGE, "multiple of 4096");

    struct err e;
    double share = 0;
    make.size = 9 * MIB;
    CHECK_INT(target_open(&t, &make, note_progress, &share, NULL, &e), 0);
    CHECK_NEAR(share, 1, 1e-12);
    CHECK_INT(t.kind, TARGET_FILE);
    CHECK_INT(t.size, 9 * MIB);
    CHECK_INT(size_of(path), 9 * MIB + 4096);
    CHECK(t.made_by_us && t.unwritten_share == 0 && !*t.note);
    CHECK(!direct || (t.logical_block >= 512 && t.logical_block <= 4096));
    CHECK_INT(zero_blocks(&t), 0);
    target_close(&t);

    /* It may be written without --overwrite, up to its size, and still counts as cupel's. */
    write.write = true;
    check_opens(&write, &t);
    CHECK(t.made_by_us);
    CHECK_INT(t.size, 9 * MIB);
    unsigned char *block = aligned_alloc(4096, 4096);
    write_data_fill(block, 4096, 0, 99);
    for (uint64_t at = 0; at < t.size; at += 4096)
        CHECK_INT(pwrite(t.fd, block, 4096, (off_t)at), 4096);
    free(block);
    target_close(&t);
    check_opens(&read, &t);
    CHECK(t.made_by_us);
    target_close(&t);

    /* Holes in it are filled again; a larger size makes it grow, a smaller one changes nothing. */
    punch(path, MIB, 3 * 4096);
    check_opens(&read, &t);
    CHECK_INT(zero_blocks(&t), 0);
    target_close(&t);
    make.size = 10 * MIB;
    check_opens(&make, &t);
    CHECK_INT(t.size, 10 * MIB);
    CHECK_INT(zero_blocks(&t), 0);
    char old_mark[16] = "";
    int fd = open(path, O_RDONLY);
    CHECK_INT(pread(fd, old_mark, 15, 9 * MIB), 15);
    CHECK(strncmp(old_mark, "cupel", 5) != 0);
    close(fd);
    target_close(&t);
    make.size = MIB;
    check_opens(&make, &t);
    CHECK_INT(t.size, 10 * MIB);
    target_close(&t);

    /* With a damaged mark it counts as a foreign file. */
    fd = open(path, O_RDWR);
    CHECK_INT(pwrite(fd, "x", 1, 10 * MIB + 3), 1);
    close(fd);
    check_refused(&write, ERR_UNSAFE, "--overwrite");
    CHECK_INT(unlink(path), 0);
}

/* Writes another sector into a file of cupel's: it can be read but not written until its data is
   restored. */
static void check_change(const char *path, off_t at)
{
    struct target t;
    struct target_request read = {.path = path, .read = true},
                          write = {.path = path, .write = true};
    char noise[512], other[512], found[512];
    memset(other, 'x', sizeof other);
    int fd = open(path, O_RDWR);
    CHECK_INT(pread(fd, noise, sizeof noise, at), sizeof noise);
    CHECK_INT(pwrite(fd, other, sizeof other, at), sizeof other);
    close(fd);
    check_refused(&write, ERR_UNSAFE, "cupel made this file, but it holds something else now");
    check_opens(&read, &t);
    CHECK(!t.made_by_us);
    target_close(&t);
    fd = open(path, O_RDWR);
    CHECK_INT(pread(fd, found, sizeof found, at), sizeof found);
    CHECK(!memcmp(found, other, sizeof other));
    CHECK_INT(pwrite(fd, noise, sizeof noise, at), sizeof noise);
    close(fd);
    check_opens(&write, &t);
    CHECK(t.made_by_us);
    target_close(&t);
}

/* The mark is in the last block: changes elsewhere do not affect it. */
static void check_changed_file(void)
{
    const char *path = in_folder("made");
    struct target t;
    struct target_request make = {.path = path, .read = true, .size = 8 * MIB, .seed = 3};
    check_opens(&make, &t);
    target_close(&t);
    /* Headers of swap, FAT, ext4, LVM, btrfs; copies of headers; md at the end. */
    static const off_t places[] = {0,       512,     1024,    3584,         65536,
                                   2 * MIB, 4 * MIB, 7 * MIB, 8 * MIB - 512};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        check_change(path, places[i]);

    /* Holes are filled only if the file is cupel's; otherwise it is refused. */
    struct target_request read = {.path = path, .read = true};
    punch(path, 3 * MIB, MIB);
    int fd = open(path, O_RDWR);
    CHECK_INT(pwrite(fd, "mkfs", 4, 0), 4);
    close(fd);
    check_refused(&read, ERR_UNSAFE, "never written");
    make.size = 9 * MIB;
    check_refused(&make, ERR_UNSAFE, "never written");
    CHECK_INT(size_of(path), 8 * MIB + 4096);
    CHECK_INT(unlink(path), 0);

    /* A file whose growth was interrupted has holes, and an old mark inside. */
    make.size = 2 * MIB;
    check_opens(&make, &t);
    target_close(&t);
    char mark[4096];
    fd = open(path, O_RDWR);
    CHECK_INT(pread(fd, mark, sizeof mark, 2 * MIB), sizeof mark);
    make.size = 4 * MIB;
    check_refused(&make, ERR_UNSAFE, "another program has it open for writing");
    close(fd);
    check_opens(&make, &t);
    target_close(&t);
    fd = open(path, O_RDWR);
    CHECK_INT(pwrite(fd, mark, sizeof mark, 2 * MIB), sizeof mark);
    close(fd);
    punch(path, 3 * MIB, MIB);
    struct target_request write = {.path = path, .write = true};
    check_opens(&write, &t);
    CHECK(t.made_by_us);
    CHECK_INT(zero_blocks(&t), 0);
    target_close(&t);
    CHECK_INT(unlink(path), 0);
}

static void check_making_fails(void)
{
    const char *path = in_folder("never");
    struct target_request make = {.path = path, .read = true, .size = 1ull << 50};
    check_refused(&make, ERR_TARGET, "do not fit");
    CHECK_INT(size_of(path), -1);
    make.size = 16 * MIB;
    struct target t;
    struct err e;
    int stop = 1;
    CHECK_INT(target_open(&t, &make, NULL, NULL, &stop, &e), -1);
    CHECK_INT(e.code, ERR_UNDECIDED);
    CHECK_INT(size_of(path), -1);
    make.path = in_folder("no/such/folder");
    check_refused(&make, ERR_USAGE, "folder does not exist");
}

static void check_foreign_file(void)
{
    const char *path = in_folder("foreign");
    make_file(path, MIB, 7);
    struct target t;
    struct target_request request = {.path = path, .read = true, .direct = true};
    check_opens(&request, &t);
    CHECK_INT(t.size, MIB);
    CHECK(!t.made_by_us);
    target_close(&t);
    request.write = true;
    check_refused(&request, ERR_UNSAFE, "--overwrite");
    request.overwrite = true;
    check_opens(&request, &t);
    target_close(&t);

    char link[128];
    snprintf(link, sizeof link, "%s/link", folder);
    CHECK_INT(symlink("foreign", link), 0);
    request = (struct target_request){.path = link, .write = true};
    check_refused(&request, ERR_UNSAFE, "--overwrite");
    unlink(link);

    make_file(path, 0, 0);
    request = (struct target_request){.path = path, .read = true};
    check_refused(&request, ERR_USAGE, "empty");
    unlink(path);
}

static void check_unwritten(void)
{
    const char *path = in_folder("holes");
    struct target t;
    struct target_request request = {.path = path, .read = true, .direct = true};
    make_file(path, MIB, 7);
    punch(path, 0, MIB / 2);
    check_refused(&request, ERR_UNSAFE, "50 % of it was never written");
    request.allow_unwritten = true;
    check_opens(&request, &t);
    CHECK_NEAR(t.unwritten_share, 0.5, 1e-9);
    CHECK(*t.note);
    target_close(&t);

    /* Extents that are allocated but not written read as zeros, too. */
    make_file(path, 4096, 7);
    int fd = open(path, O_RDWR);
    CHECK_INT(fallocate(fd, 0, 0, MIB), 0);
    close(fd);
    request.allow_unwritten = false;
    check_refused(&request, ERR_UNSAFE, "never written");

    /* With writes only there is a warning; with writes and reads it is refused as well. */
    request.write = request.overwrite = true;
    check_refused(&request, ERR_UNSAFE, "never written");
    request.read = false;
    check_opens(&request, &t);
    CHECK(strstr(t.note, "allocate") != NULL);
    target_close(&t);
    unlink(path);
}

static unsigned entries(void)
{
    unsigned n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *entry; d && (entry = readdir(d));)
        n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
    closedir(d);
    return n;
}

/* A filesystem without O_DIRECT. */
static void check_no_direct(void)
{
    char mount_point[100], path[120] = "";
    snprintf(mount_point, sizeof mount_point, "%s/ramfs", folder);
    snprintf(path, sizeof path, "%s/file", mount_point);
    if (mkdir(mount_point, 0700) || mount("none", mount_point, "ramfs", 0, "")) {
        check_part_skipped("no filesystem without O_DIRECT: ramfs cannot be mounted");
        rmdir(mount_point);
        return;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    CHECK_INT(write(fd, path, sizeof path), sizeof path);
    close(fd);
    struct target_request request = {.path = path, .read = true, .direct = true};
    check_refused(&request, ERR_MACHINE, "--direct 0");
    CHECK_INT(umount(mount_point), 0);
    CHECK_INT(rmdir(mount_point), 0);
}

/* Attributes in sysfs look like files of 4 KiB, and a write to one may reset a drive. */
static void check_interfaces(void)
{
    static const char *const paths[] = {"/sys/kernel/mm/transparent_hugepage/enabled",
                                        "/sys/block/loop0/size", "/proc/self/oom_score_adj"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct target_request request = {.path = paths[i], .read = true};
        if (access(paths[i], F_OK))
            continue;
        check_refused(&request, ERR_UNSAFE, "an interface of the kernel's");
        request.write = request.overwrite = request.destroy = true;
        check_refused(&request, ERR_UNSAFE, "an interface of the kernel's");
    }
}

static void check_scratch(void)
{
    struct target t;
    struct target_request request = {.path = folder, .read = true, .direct = true, .size = MIB};
    check_opens(&request, &t);
    CHECK_INT(t.kind, TARGET_SCRATCH);
    CHECK_INT(t.size, MIB);
    CHECK_INT(entries(), 0);
    CHECK_INT(zero_blocks(&t), 0);
    target_close(&t);
    request.write = true;
    check_opens(&request, &t);
    target_close(&t);
    CHECK_INT(entries(), 0);
    request.size = 1ull << 50;
    check_refused(&request, ERR_TARGET, "do not fit");
    /* There is no time for the usual size: the file is smaller, is filled completely, and the
       report says so. A given size is kept. */
    request = (struct target_request){.path = folder, .read = true, .fill_seconds = 1e-9};
    check_opens(&request, &t);
    CHECK(t.size >= 64 * MIB && t.size < TARGET_SCRATCH_SIZE);
    CHECK(strstr(t.note, "(--size)") != NULL);
    CHECK_INT(zero_blocks(&t), 0);
    target_close(&t);
    request.size = 70 * MIB;
    check_opens(&request, &t);
    CHECK_INT(t.size, 70 * MIB);
    target_close(&t);
}

static void check_other_kinds(void)
{
    struct target_request request = {.path = "/dev/null", .read = true};
    check_refused(&request, ERR_USAGE, "character device");
    request.path = in_folder("pipe");
    CHECK_INT(mkfifo(request.path, 0600), 0);
    check_refused(&request, ERR_USAGE, "pipe");
    unlink(request.path);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
    int s = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK_INT(bind(s, (struct sockaddr *)&address, sizeof address), 0);
    request.path = address.sun_path;
    check_refused(&request, ERR_USAGE, "socket");
    close(s);
    unlink(address.sun_path);

    char name[2000];
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    request.path = name;
    check_refused(&request, ERR_USAGE, "too long");
    request.path = "/dev/null/x";
    check_refused(&request, ERR_USAGE, "not a folder");
    request = (struct target_request){.path = "/proc/self/exe", .write = true, .overwrite = true};
    check_refused(&request, ERR_UNSAFE, "in use as a program");
    check_no_direct();
    check_interfaces();
}

/* As another user, because root is denied nothing. */
static void check_denied(void)
{
    const char *path = in_folder("denied");
    make_file(path, 4096, 7);
    chmod(path, 0600);
    struct target_request request = {.path = path, .read = true};
    if (geteuid() == 0 && seteuid(65534) == 0) {
        check_refused(&request, ERR_MACHINE, "permission denied");
        CHECK_INT(seteuid(0), 0);
    } else {
        check_part_skipped("cannot become another user");
    }
    unlink(path);
}

/* A name without a file, where none can be made. */
static void check_missing(void)
{
    static const char *const names[] = {"/dev/nvme77n1", "/dev/mapper/none", "/dev/no/such/folder",
                                        "/proc/nvme77n1", "/sys/block/none"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        struct target_request request = {.path = names[i], .read = true};
        check_refused(&request, ERR_USAGE, "no such device");
        request.size = MIB;
        check_refused(&request, ERR_USAGE, "no such device");
        CHECK_INT(size_of(names[i]), -1);
    }
    char link[128];
    snprintf(link, sizeof link, "%s/dangling", folder);
    CHECK_INT(symlink("gone", link), 0);
    struct target_request request = {.path = link, .read = true};
    check_refused(&request, ERR_USAGE, "symbolic link to something that does not exist");
    request.size = MIB;
    check_refused(&request, ERR_USAGE, "symbolic link to something that does not exist");
    CHECK_INT(unlink(link), 0);
    CHECK_INT(size_of(in_folder("gone")), -1);
}

/* /dev/shm is below /dev, but holds files, in memory. */
static void check_in_memory(void)
{
    struct statfs fs;
    struct target t;
    if (statfs("/dev/shm", &fs) || (unsigned long)fs.f_type != TMPFS_MAGIC) {
        check_part_skipped("no tmpfs on /dev/shm");
        return;
    }
    char path[64];
    snprintf(path, sizeof path, "/dev/shm/cupel-target-%d", (int)getpid());
    struct target_request request = {.path = path, .read = true, .size = MIB};
    check_opens(&request, &t);
    CHECK(t.in_memory);
    CHECK(strstr(t.note, "it lies in memory (tmpfs)") != NULL);
    target_close(&t);
    request.size = 0;
    check_opens(&request, &t);
    CHECK(t.in_memory);
    target_close(&t);
    CHECK_INT(unlink(path), 0);
    request.path = "/dev/shm";
    request.size = MIB;
    check_opens(&request, &t);
    CHECK(t.in_memory);
    target_close(&t);
    request.path = "/proc/self/exe";
    check_opens(&request, &t);
    if (!statfs("/proc/self/exe", &fs))
        CHECK_INT(t.in_memory, (unsigned long)fs.f_type == TMPFS_MAGIC);
    target_close(&t);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/cupel-target-XXXXXX");
    if (!mkdtemp(folder))
        return CHECK_SKIPPED;
    check_made_file(true);
    check_made_file(false);
    check_changed_file();
    check_making_fails();
    check_foreign_file();
    check_unwritten();
    check_scratch();
    check_other_kinds();
    check_denied();
    check_missing();
    check_in_memory();
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
