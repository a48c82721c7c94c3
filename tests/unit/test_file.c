/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole files: round trips, limits, refusals, and a device that is full. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char folder[] = "/tmp/cupel-test-file-XXXXXX";
static char path[256];

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
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
    CHECK_INT(write_file_atomically(folder, "data", sent, size, &e), 0);
    CHECK_INT(file_read_all(in_folder("data"), size, &got, &length, &e), 0);
    CHECK_INT(length, size);
    CHECK(got && length == size && !memcmp(got, sent, size) && got[size] == '\0');
    free(got);
    CHECK(access(in_folder("data.tmp"), F_OK) != 0);

    CHECK_INT(file_read_all(in_folder("data"), size - 1, &got, &length, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "longer than 299999 bytes") != NULL);
    CHECK(got == NULL);

    CHECK_INT(write_file_atomically(folder, "data", "new", 3, &e), 0);
    CHECK_INT(file_read_all(in_folder("data"), 100, &got, NULL, &e), 0);
    CHECK_STR(got, "new");
    free(got);
    CHECK_INT(write_file_atomically(folder, "empty", "", 0, &e), 0);
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

    CHECK_INT(write_file_atomically("/nonexistent", "x", "a", 1, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(strstr(e.msg, "/nonexistent/x.tmp: No such file") != NULL);

    /* The name is taken by a folder: the new text must not stay behind under the other name. */
    CHECK_INT(write_file_atomically(folder, "new", "a", 1, &e), -1);
    CHECK_INT(e.code, ERR_TARGET);
    CHECK(access(in_folder("new.tmp"), F_OK) != 0);
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

/* What has the name of a temporary file already is left alone. */
static void foreign_temporary(void)
{
    char *ours = NULL, *theirs = NULL;
    struct err e = {0};
    int fd = open(in_folder("data.tmp"), O_CREAT | O_EXCL | O_WRONLY, 0600);
    CHECK_INT(write(fd, "theirs", 6), 6);
    close(fd);
    CHECK_INT(write_file_atomically(folder, "data", "ours", 4, &e), 0);
    CHECK_INT(file_read_all(in_folder("data"), 100, &ours, NULL, &e), 0);
    CHECK_INT(file_read_all(in_folder("data.tmp"), 100, &theirs, NULL, &e), 0);
    CHECK(ours && !strcmp(ours, "ours") && theirs && !strcmp(theirs, "theirs"));
    free(ours);
    free(theirs);
    CHECK(access(in_folder("data.tmp1"), F_OK) != 0);
    unlink(in_folder("data.tmp"));
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    round_trip();
    refusals();
    full_device();
    foreign_temporary();
    unlink(in_folder("data"));
    unlink(in_folder("empty"));
    rmdir(in_folder("new"));
    CHECK_INT(rmdir(folder), 0);
    return check_result();
}
