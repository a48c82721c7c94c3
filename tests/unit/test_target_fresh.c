/* SPDX-License-Identifier: GPL-3.0-or-later */
/* New files for modes that write a file from its begin: made beside the named file, which is not
   touched. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/target/target.h"

enum { KIB = 1024 };

static char folder[64];
static const char theirs[] = "somebody else's";

static struct target_request request_of(const char *path)
{
    return (struct target_request){.path = path, .write = true, .fresh = true, .size = 64 * KIB};
}

static unsigned names_in_folder(void)
{
    unsigned names = 0;
    DIR *d = opendir(folder);
    for (const struct dirent *entry; d && (entry = readdir(d));)
        names += entry->d_name[0] != '.';
    if (d)
        closedir(d);
    return names;
}

/* An empty new file is made on the folder's filesystem, without a name. */
static void check_fresh(const char *path, unsigned names)
{
    struct target t;
    struct err e = {0};
    struct stat st, there;
    const struct target_request request = request_of(path);
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK_STR(e.msg, "");
    CHECK_INT(fstat(t.fd, &st), 0);
    CHECK_INT(stat(folder, &there), 0);
    CHECK_INT(st.st_size, 0);
    CHECK_INT(st.st_nlink, 0);
    CHECK_INT(st.st_dev, there.st_dev);
    CHECK_INT(t.kind, TARGET_SCRATCH);
    CHECK_INT(t.size, 64 * KIB);
    CHECK_INT(fcntl(t.fd, F_GETFL) & O_ACCMODE, O_RDWR);
    CHECK(strstr(t.note, "left alone") != NULL);
    CHECK_INT(pwrite(t.fd, theirs, sizeof theirs, 0), sizeof theirs);
    CHECK_INT(names_in_folder(), names);
    target_close(&t);
    CHECK_INT(names_in_folder(), names);
}

/* Whatever is permitted or requested, the named file itself is not written. */
static void check_foreign_file(const char *path)
{
    char found[sizeof theirs] = "";
    int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    CHECK_INT(write(fd, theirs, sizeof theirs), sizeof theirs);
    close(fd);
    check_fresh(path, 1);

    struct target t;
    struct err e;
    struct target_request request = request_of(path);
    request.overwrite = request.destroy = true;
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK_INT(ftruncate(t.fd, 0), 0);
    target_close(&t);

    fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK_INT(read(fd, found, sizeof found), sizeof found);
    close(fd);
    CHECK_STR(found, theirs);
}

/* With a link, the new file is beside the link's target and not beside the link. */
static void check_link(const char *path)
{
    char link[] = "/tmp/cupel-fresh-link-XXXXXX";
    CHECK(mkdtemp(link) != NULL);
    char name[sizeof link + 8];
    snprintf(name, sizeof name, "%s/name", link);
    CHECK_INT(symlink(path, name), 0);
    check_fresh(name, 1);
    CHECK_INT(unlink(name), 0);
    CHECK_INT(rmdir(link), 0);
}

static void check_refused(const char *path, enum err_code code, const char *words)
{
    struct target t;
    struct err e = {0};
    struct target_request request = request_of(path);
    request.overwrite = request.destroy = true;
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), -1);
    CHECK_INT(e.code, code);
    CHECK_INT(t.fd, -1);
    if (!strstr(e.msg, words))
        CHECK_STR(e.msg, words);
}

/* Without a size it is as large as the file, without the mark of one that cupel made. */
static void check_size(const char *path)
{
    struct target t;
    struct err e = {0};
    struct target_request request = request_of(path);
    request.fresh = false;
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK_INT(t.size, 64 * KIB);
    target_close(&t);
    request.fresh = true;
    request.size = 0;
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK_INT(t.size, 64 * KIB);
    target_close(&t);
    CHECK_INT(truncate(path, 5 * 4096 + 1), 0);
    CHECK_INT(target_open(&t, &request, NULL, NULL, NULL, &e), 0);
    CHECK_INT(t.size, 5 * 4096);
    target_close(&t);
    CHECK_INT(unlink(path), 0);
}

static void check_device(void)
{
    char path[300] = "";
    DIR *d = opendir("/sys/class/block");
    for (const struct dirent *entry; d && (entry = readdir(d));)
        if (entry->d_name[0] != '.')
            snprintf(path, sizeof path, "/dev/%s", entry->d_name);
    if (d)
        closedir(d);
    if (*path && !access(path, F_OK))
        check_refused(path, ERR_USAGE, "it is no file, and a first write begins with a new one");
    check_refused("/dev/null", ERR_USAGE, "it is no file");
}

int main(void)
{
    char path[128];
    snprintf(folder, sizeof folder, "/tmp/cupel-fresh-XXXXXX");
    if (!mkdtemp(folder))
        return CHECK_SKIPPED;
    snprintf(path, sizeof path, "%s/file", folder);
    check_fresh(folder, 0);
    check_fresh(path, 0); /* there is nothing of that name, and there will not be */
    check_foreign_file(path);
    check_link(path);
    CHECK_INT(unlink(path), 0);
    check_size(path);
    check_device();
    check_refused("/proc/self/oom_score_adj", ERR_UNSAFE, "interface of the kernel's");
    snprintf(path, sizeof path, "%s/none/file", folder);
    check_refused(path, ERR_USAGE, "the folder does not exist");
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
