/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files: round trips, limits, refusals, and a full device. */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/folder_remove.h"

static char folder[] = "/tmp/cupel-test-file-XXXXXX";
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int names_in_folder(void)
{
    int count = -2; /* . and .. */
    DIR *list = opendir(folder);
    while (list && readdir(list))
        count++;
    if (list)
        closedir(list);
    return count;
}

static void round_trip(void)
{
    size_t size = 300000, length = 0;
    char *sent = malloc(size), *got = NULL;
    CHECK(sent != NULL);
    if (!sent)
        return;
    for (size_t i = 0; i < size; i++)
        sent[i] = (char)(i * 7 + i / 256);
    struct err e = {0};
    CHECK_INT(write_file_over(folder, "data", "", sent, size, &e), 0);
    CHECK_INT(file_read_all(in_folder("data"), size, &got, &length, &e), 0);
    CHECK_INT(length, size);
    CHECK(got && length == size && !memcmp(got, sent, size) && got[size] == '\0');
    free(got);
    CHECK_INT(names_in_folder(), 1);

    CHECK_INT(file_read_all(in_folder("data"), size - 1, &got, &length, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "longer than 299999 bytes") != NULL);
    CHECK(got == NULL);

    CHECK_INT(write_file_over(folder, "data", "", "new", 3, &e), 0);
    CHECK_INT(file_read_all(in_folder("data"), 100, &got, NULL, &e), 0);
    CHECK_STR(got, "new");
    free(got);
    CHECK_INT(write_file_over(folder, "empty", "", "", 0, &e), 0);
    CHECK_INT(file_read_all(in_folder("empty"), 0, &got, &length, &e), 0);
    CHECK_INT(length, 0);
    CHECK_STR(got, "");
    free(got);
    free(sent);
}

static void refusals(void)
{
    struct err e = {0};
    char *got;
    CHECK_INT(file_read_all(in_folder("missing"), 10, &got, NULL, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "missing: No such file") != NULL);
    CHECK_INT(file_read_all(folder, 10, &got, NULL, &e), -1);
    CHECK(strstr(e.msg, "Is a directory") != NULL);

    CHECK_INT(dir_make_new(in_folder("new"), &e), 0);
    CHECK_INT(dir_make_new(path, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "exists already") != NULL);
    CHECK_INT(dir_make_new(in_folder("data"), &e), -1);
    CHECK(strstr(e.msg, "exists already") != NULL);
    CHECK_INT(dir_make_new(in_folder("no/parent"), &e), -1);
    CHECK(strstr(e.msg, "No such file") != NULL);

    CHECK_INT(write_file_over("/nonexistent", "x", "", "a", 1, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "/nonexistent/x: No such file") != NULL);

    /* A folder has the name: the new text must not be left under the temporary name. */
    CHECK_INT(write_file_over(folder, "new", "", "a", 1, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK_INT(names_in_folder(), 3);
}

static void full_device(void)
{
    struct err e = {0};
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0) {
        check_part_skipped("no /dev/full here");
        return;
    }
    CHECK_INT(write_all(fd, "text", 4, "summary.csv", &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK_STR(e.msg, "cannot write summary.csv: No space left on device; make room and run again");
    close(fd);
    CHECK_INT(write_all(-1, "text", 4, "summary.csv", &e), -1);
    CHECK_INT(write_all(-1, "", 0, "summary.csv", &e), 0);
}

static void put_text(const char *name, const char *text)
{
    int fd = open(in_folder(name), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    CHECK_INT(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static bool holds_text(const char *name, const char *text)
{
    char *got = NULL;
    struct err e;
    bool same = !file_read_all(in_folder(name), 100, &got, NULL, &e) && !strcmp(got, text);
    free(got);
    return same;
}

/* Only a regular file that cupel recognises as its own is replaced, and never through a link. */
static void foreign_files(void)
{
    struct err e = {0};
    static const char *const names[] = {"theirs", "link",  "dangling", "fifo",
                                        "dir",    "short", "null"};
    char target[sizeof path];
    put_text("theirs", "theirs");
    put_text("short", "# H");
    put_text("ours", "# HELP old");
    snprintf(target, sizeof target, "%s", in_folder("ours"));
    CHECK(!symlink(target, in_folder("link")) && !symlink("nowhere", in_folder("dangling")));
    CHECK(!symlink("/dev/null", in_folder("null")));
    CHECK(!mkfifo(in_folder("fifo"), 0600) && !mkdir(in_folder("dir"), 0700));
    const int before = names_in_folder();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        e = (struct err){0};
        CHECK_INT(write_file_new(folder, names[i], "new", 3, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        e = (struct err){0};
        CHECK_INT(write_file_over(folder, names[i], "# HELP", "new", 3, &e), -1);
        CHECK_INT(e.code, ERR_USAGE);
        CHECK_INT(file_may_be_written_over(in_folder(names[i]), "# HELP", &e), -1);
    }
    CHECK(holds_text("theirs", "theirs") && holds_text("ours", "# HELP old"));
    CHECK_INT(write_file_new(folder, "ours", "new", 3, &e), -1);
    CHECK_INT(file_may_be_written_over(in_folder("ours"), "# HELP", &e), 0);
    CHECK_INT(file_may_be_written_over(in_folder("nothing"), "# HELP", &e), 0);
    CHECK_INT(write_file_over(folder, "ours", "# HELP", "# HELP new", 10, &e), 0);
    CHECK(holds_text("ours", "# HELP new"));
    CHECK_INT(names_in_folder(), before);
    /* A second name (hard link) of the replaced file keeps the old text. */
    snprintf(target, sizeof target, "%s", in_folder("ours"));
    CHECK(!link(target, in_folder("second")));
    CHECK_INT(write_file_over(folder, "ours", "# HELP", "# HELP 3", 8, &e), 0);
    CHECK(holds_text("ours", "# HELP 3") && holds_text("second", "# HELP new"));
    /* Users who could not read the file cannot read the new one. */
    struct stat st;
    CHECK(!chmod(target, 0640) && (geteuid() || !chown(target, 1234, 4321)));
    CHECK_INT(write_file_over(folder, "ours", "# HELP", "# HELP 4", 8, &e), 0);
    CHECK(holds_text("ours", "# HELP 4") && !stat(target, &st));
    CHECK_INT(st.st_mode & 07777, 0640);
    CHECK(geteuid() || (st.st_uid == 1234 && st.st_gid == 4321));
    CHECK_INT(dir_make_or_empty(in_folder("dir"), &e), 0);
    CHECK_INT(dir_make_or_empty(folder, &e), -1);
    CHECK_INT(dir_make_or_empty(in_folder("link"), &e), -1);
}

/* Another process repeatedly puts its own file under the name: that file is never lost. */
static void exchanged(void)
{
    enum { ROUNDS = 200 };
    char ours[sizeof path], theirs[sizeof path];
    struct err e;
    put_text("ours", "# HELP ours");
    put_text("theirs", "theirs");
    snprintf(ours, sizeof ours, "%s", in_folder("ours"));
    snprintf(theirs, sizeof theirs, "%s", in_folder("theirs"));
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            syscall(SYS_renameat2, AT_FDCWD, ours, AT_FDCWD, theirs, RENAME_EXCHANGE);
    }
    for (int i = 0; i < ROUNDS; i++)
        write_file_over(folder, "ours", "# HELP", "# HELP new", 10, &e);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(holds_text("ours", "theirs") || holds_text("theirs", "theirs"));
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    round_trip();
    refusals();
    full_device();
    foreign_files();
    exchanged();
    CHECK_INT(folder_remove(folder_open(folder), folder, NULL), 0);
    return check_result();
}
