/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads below a root of files that no kernel writes: garbage, folders, pipes, huge files, forbidden
   files. */
#include "check.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/sysroot/sysroot.h"

static char folder[128];
static struct sysroot root;

static void put(const char *name, const void *bytes, size_t length)
{
    char path[256];
    int fd = open(sysroot_path(&root, path, sizeof path, name), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    CHECK(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
    close(fd);
}

static void line_is(const char *name, size_t size, enum fact_status status, const char *expected)
{
    char text[64] = "unchanged";
    CHECK_INT(sysroot_line(&root, name, text, size), status);
    CHECK_STR(text, expected);
}

static void lines(void)
{
    put("/plain", "performance\n", 12);
    line_is("/plain", 64, FACT_OK, "performance");
    line_is("/plain", 12, FACT_OK, "performance");
    line_is("/plain", 11, FACT_INVALID, "");
    put("/no_end", "64", 2);
    line_is("/no_end", 64, FACT_OK, "64");
    line_is("/no_end", 3, FACT_OK, "64");
    line_is("/no_end", 2, FACT_INVALID, "");
    put("/two", "first\nsecond\n", 13);
    line_is("/two", 7, FACT_OK, "first");
    put("/dos", "first\r\nsecond\r\n", 15);
    line_is("/dos", 64, FACT_OK, "first");
    put("/empty", "", 0);
    line_is("/empty", 64, FACT_OK, "");
    put("/binary", "a\0b\n", 4);
    line_is("/binary", 64, FACT_INVALID, "");
    put("/latin", "caf\xe9\n", 5);
    line_is("/latin", 64, FACT_INVALID, "");
    put("/escape", "\x1b[2J\n", 5);
    line_is("/escape", 64, FACT_INVALID, "");
    put("/binary_later", "text\n\0\xff", 7);
    line_is("/binary_later", 64, FACT_OK, "text");
    line_is("/missing", 64, FACT_ABSENT, "");
    line_is("/plain/below", 64, FACT_ABSENT, "");
    line_is("/", 64, FACT_INVALID, "");
}

static void whole_files(void)
{
    char text[64];
    CHECK_INT(sysroot_all(&root, "/two", text, sizeof text), FACT_OK);
    CHECK_STR(text, "first\nsecond\n");
    CHECK_INT(sysroot_all(&root, "/two", text, 14), FACT_OK);
    CHECK_INT(sysroot_all(&root, "/two", text, 13), FACT_INVALID);
    CHECK_STR(text, "");
    CHECK_INT(sysroot_all(&root, "/binary_later", text, sizeof text), FACT_INVALID);
}

/* None of these may block, or be read endlessly. */
static void special_files(void)
{
    char path[256];
    struct sysroot_names names;
    CHECK_INT(mkfifo(sysroot_path(&root, path, sizeof path, "/pipe"), 0644), 0);
    line_is("/pipe", 64, FACT_INVALID, "");
    CHECK_INT(symlink("/dev/zero", sysroot_path(&root, path, sizeof path, "/zero")), 0);
    line_is("/zero", 64, FACT_INVALID, "");
    CHECK_INT(symlink("loop", sysroot_path(&root, path, sizeof path, "/loop")), 0);
    line_is("/loop", 64, FACT_INVALID, "");
    CHECK_INT(symlink("../bus/nvme", sysroot_path(&root, path, sizeof path, "/link")), 0);

    char text[64];
    CHECK_INT(sysroot_link(&root, "/link", text, sizeof text), FACT_OK);
    CHECK_STR(text, "nvme");
    CHECK_INT(sysroot_link(&root, "/link", text, 4), FACT_INVALID);
    CHECK_STR(text, "");
    CHECK_INT(sysroot_link(&root, "/plain", text, sizeof text), FACT_INVALID);
    CHECK_INT(sysroot_link(&root, "/missing", text, sizeof text), FACT_ABSENT);

    CHECK_INT(sysroot_list(&root, "/missing", &names), FACT_ABSENT);
    sysroot_names_free(&names);
    CHECK_INT(sysroot_list(&root, "/plain", &names), FACT_INVALID);
    sysroot_names_free(&names);
    CHECK_INT(sysroot_list(&root, "", &names), FACT_OK);
    CHECK(names.count > 10);
    for (size_t i = 1; i < names.count; i++)
        CHECK(strverscmp(names.names[i - 1], names.names[i]) < 0);
    sysroot_names_free(&names);

    sysroot_path(&root, path, sizeof path, "/huge");
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    CHECK(fd >= 0 && !ftruncate(fd, (off_t)1 << 33));
    close(fd);
    line_is("/huge", 64, FACT_INVALID, "");
}

struct seen {
    size_t lines, stop_at;
    size_t longest;
    char last[32];
};

static bool see(void *context, char *line)
{
    struct seen *seen = context;
    size_t length = strlen(line);
    seen->longest = length > seen->longest ? length : seen->longest;
    snprintf(seen->last, sizeof seen->last, "%s", line);
    return ++seen->lines != seen->stop_at;
}

static void each_line(void)
{
    struct seen seen = {0};
    CHECK_INT(sysroot_each_line(&root, "/two", see, &seen), FACT_OK);
    CHECK_INT(seen.lines, 2);
    CHECK_STR(seen.last, "second");
    seen = (struct seen){.stop_at = 1};
    CHECK_INT(sysroot_each_line(&root, "/two", see, &seen), FACT_OK);
    CHECK_INT(seen.lines, 1);
    CHECK_STR(seen.last, "first");
    seen = (struct seen){0};
    CHECK_INT(sysroot_each_line(&root, "/no_end", see, &seen), FACT_OK);
    CHECK_INT(seen.lines, 1);
    CHECK_STR(seen.last, "64");

    static char wide[40000];
    memset(wide, 'x', sizeof wide);
    wide[sizeof wide - 2] = '\n';
    put("/wide", wide, sizeof wide);
    seen = (struct seen){0};
    CHECK_INT(sysroot_each_line(&root, "/wide", see, &seen), FACT_OK);
    CHECK_INT(seen.lines, 2);
    CHECK_INT(seen.longest, 16 * 1024 - 1);
    CHECK_STR(seen.last, "x");

    seen = (struct seen){0};
    CHECK_INT(sysroot_each_line(&root, "/missing", see, &seen), FACT_ABSENT);
    CHECK_INT(sysroot_each_line(&root, "/pipe", see, &seen), FACT_INVALID);
    CHECK_INT(sysroot_each_line(&root, "/huge", see, &seen), FACT_OK);
    CHECK_INT(seen.lines, 1);
}

/* Reading relative to the open folder gives the same as reading from the root. */
static void near_a_folder(void)
{
    char path[256], text[64];
    struct sysroot near;
    size_t got;
    CHECK_INT(mkdir(sysroot_path(&root, path, sizeof path, "/d"), 0755), 0);
    CHECK_INT(symlink("d", sysroot_path(&root, path, sizeof path, "/to_d")), 0);
    put("/d/inside", "in\n", 3);
    put("/dinside", "beside\n", 7);
    CHECK_INT(symlink("../plain", sysroot_path(&root, path, sizeof path, "/d/out")), 0);
    sysroot_near_open(&near, &root, "/to_d");
    CHECK(near.near_length > 0);
    CHECK_INT(rename(sysroot_path(&root, path, sizeof path, "/to_d"),
                     sysroot_path(&root, text, sizeof text, "/gone")),
              0);
    CHECK_INT(sysroot_line(&near, "/to_d/inside", text, sizeof text), FACT_OK);
    CHECK_STR(text, "in");
    CHECK_INT(sysroot_line(&near, "/to_d/out", text, sizeof text), FACT_OK);
    CHECK_STR(text, "performance");
    CHECK_INT(sysroot_line(&near, "/to_d/missing", text, sizeof text), FACT_ABSENT);
    CHECK_INT(sysroot_line(&near, "/d/inside", text, sizeof text), FACT_OK);
    CHECK_INT(sysroot_line(&near, "/dinside", text, sizeof text), FACT_OK);
    CHECK_STR(text, "beside");
    CHECK_INT(sysroot_bytes(&near, "/to_d/inside", text, sizeof text, &got), FACT_OK);
    CHECK_INT(got, 3);
    CHECK(sysroot_exists(&near, "/to_d/inside"));
    CHECK(!sysroot_exists(&near, "/to_d"));
    CHECK(!sysroot_exists(&near, "/to_d/missing"));
    CHECK_INT(sysroot_link(&near, "/to_d/out", text, sizeof text), FACT_OK);
    CHECK_STR(text, "plain");
    sysroot_near_close(&near);
    CHECK_INT(sysroot_line(&near, "/to_d/inside", text, sizeof text), FACT_ABSENT);

    sysroot_near_open(&near, &root, "/nowhere");
    CHECK_INT(near.near_length, 0);
    CHECK_INT(sysroot_line(&near, "/plain", text, sizeof text), FACT_OK);
    sysroot_near_close(&near);
    unlink(sysroot_path(&root, path, sizeof path, "/d/inside"));
    unlink(sysroot_path(&root, path, sizeof path, "/d/out"));
    CHECK_INT(rmdir(sysroot_path(&root, path, sizeof path, "/d")), 0);
}

static void denied(void)
{
    char path[256];
    bool is_root = geteuid() == 0;
    put("/secret", "text\n", 5);
    CHECK_INT(chmod(sysroot_path(&root, path, sizeof path, "/secret"), 0), 0);
    CHECK_INT(chmod(folder, 0755), 0);
    if (is_root && seteuid(65534)) {
        check_part_skipped("cannot give up root's rights for the check of FACT_DENIED");
        return;
    }
    if (access(folder, X_OK) == 0 || !is_root)
        line_is("/secret", 64, FACT_DENIED, "");
    if (is_root)
        CHECK_INT(seteuid(0), 0);
}

static void roots(void)
{
    struct sysroot r;
    struct err e = {0};
    char path[32];
    CHECK_INT(sysroot_open(&r, NULL, &e), 0);
    CHECK_STR(sysroot_path(&r, path, sizeof path, "/proc/stat"), "/proc/stat");
    CHECK_INT(sysroot_open(&r, "/", &e), 0);
    CHECK_STR(r.prefix, "");
    CHECK_INT(sysroot_open(&r, "/tmp", &e), 0);
    CHECK_STR(sysroot_path(&r, path, sizeof path, "/proc/stat"), "/tmp/proc/stat");
    CHECK_STR(sysroot_path(&r, path, 14, "/proc/stat"), "");
    CHECK_INT(sysroot_open(&r, "/nonexistent", &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    CHECK(strstr(e.msg, "/nonexistent: No such file") != NULL);
    CHECK_INT(sysroot_open(&r, "/dev/null", &e), -1);
    CHECK(strstr(e.msg, "is not a folder") != NULL);
}

static void remove_all(void)
{
    struct sysroot_names names;
    char path[256];
    sysroot_list(&root, "", &names);
    for (size_t i = 0; i < names.count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names.names[i]);
        unlink(path);
    }
    sysroot_names_free(&names);
    CHECK_INT(rmdir(folder), 0);
}

int main(void)
{
    struct err e = {0};
    snprintf(folder, sizeof folder, "/tmp/cupel-test-sysroot-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    CHECK_INT(sysroot_open(&root, folder, &e), 0);
    roots();
    lines();
    whole_files();
    special_files();
    each_line();
    near_a_folder();
    denied();
    remove_all();
    return check_result();
}
