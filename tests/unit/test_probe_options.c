/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of cupel probe: an option that may stand alone, files that must be there, options
   that exclude each other. */
#include "base/err.h"
#include "base/span.h"
#include "cmd/options/command.h"
#include "cmd/options/options.h"
#include "cmd/probe/internal.h"
#include "hw/sysroot/sysroot.h"

#include <unistd.h>

#include "tests/unit/check.h"

#define WORDS_MAX 16

static struct option_set set;

static int read_line(const char *line, struct probe_options *o, struct err *e)
{
    static char copy[512];
    char *words[WORDS_MAX];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word && count < WORDS_MAX; word = strtok(NULL, " "))
        words[count++] = word;
    *e = (struct err){0};
    if (options_scan(&set, probe_option_rows, words, count, e))
        return -1;
    return probe_options_read(&set, o, e);
}

static struct probe_options read_good(const char *line)
{
    struct probe_options o;
    struct err e;
    if (!check_that(read_line(line, &o, &e) == 0, __FILE__, __LINE__, line))
        fprintf(stderr, "    %s\n", e.msg);
    return o;
}

static void check_refused(const char *line, const char *part)
{
    struct probe_options o;
    struct err e;
    CHECK_INT(read_line(line, &o, &e), -1);
    CHECK_INT(e.code, ERR_USAGE);
    if (!check_that(strstr(e.msg, part) != NULL, __FILE__, __LINE__, line))
        fprintf(stderr, "    message \"%s\" has no \"%s\"\n", e.msg, part);
}

static void check_watch(void)
{
    CHECK(read_good("").watch_seconds == 0);
    CHECK(read_good("--watch").watch_seconds == 2);
    CHECK(read_good("--watch 500ms").watch_seconds == 0.5);
    CHECK(read_good("--watch=5s").watch_seconds == 5);
    CHECK(read_good("--watch --all").all);
    CHECK(read_good("--watch vda").watch_seconds == 2);
    CHECK_INT(set.operand_count, 1);
    CHECK_STR(set.operands[0], "vda");
    check_refused("--watch 0", "between 100 ms and");
    check_refused("--watch=soon", "is not a time");
    check_refused("--watch --capture x.tar", "exclude each other");
}

/* A file of --pci-ids with that text is taken, or refused. */
static void check_list(const char *text, bool good)
{
    char path[] = "/tmp/cupel-test-ids-XXXXXX", line[64];
    int fd = mkstemp(path);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    snprintf(line, sizeof line, "--pci-ids %s", path);
    if (good)
        CHECK_STR(read_good(line).pci_ids, path);
    else
        check_refused(line, "it is no pci.ids");
    unlink(path);
}

static void check_files(void)
{
    CHECK_STR(read_good("--pci-ids none").pci_ids, "none");
    check_list("# names\n\n8086  Intel Corporation\n", true);
    check_list("# names\n", false);
    check_list("", false);
    check_list("#!/bin/sh\nexec true\n8086  Intel Corporation\n", false);
    check_refused("--pci-ids /etc/passwd", "--pci-ids: /etc/passwd: it is no pci.ids");
    check_refused("--pci-ids /dev/null", "--pci-ids: /dev/null: it is no regular file");
    check_refused("--pci-ids /etc", "--pci-ids: /etc: it is no regular file");
    CHECK_STR(read_good("--lspci /dev/null").pci_dump, "/dev/null");
    check_refused("--pci-ids /nowhere/at-all", "--pci-ids /nowhere/at-all: No such file");
    check_refused("--lspci none", "--lspci none: No such file");
}

static void check_others(void)
{
    struct probe_options o = read_good("a b --serials --no-commands --sysroot dir --format json");
    CHECK(o.serials && o.no_commands && !o.all);
    CHECK_STR(o.sysroot, "dir");
    CHECK_STR(o.format, "json");
    CHECK_INT(set.operand_count, 2);
    CHECK_STR(read_good("").format, "text");
    check_refused("--format pdf", "it must be one of text, csv, json, html");
}

int main(void)
{
    check_watch();
    check_files();
    check_others();
    return check_result();
}
