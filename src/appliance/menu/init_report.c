/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the report of the appliance to memory first, then keeps it on the stick and sends it to
   the collector, if these exist. Failures there do not affect the measurements. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "appliance/menu/internal.h"
#include "appliance/network/http.h"
#include "appliance/network/network_up.h"
#include "base/file/file.h"
#include "machine/qualify/qualify.h"

static const char reports[] = "/run/report";

enum { FILE_MAX_BYTES = 256 << 20, NETWORK_SECONDS = 60, PUT_SECONDS = 60, LOOK_QUIET_MS = 20 };
enum { LOOK_MAX_MS = 200, FAILURES_MAX = 3 };

/* ---- the folder in memory ---- */

/* Chooses the report's name. The names that the collector already has are not known here. */
static void name_report(struct appliance *a)
{
    struct init_report *r = &a->report;
    bool alone = !a->data.mounted || a->config.collector[0];
    struct sysroot root = {0};
    sysroot_open(&root, NULL, NULL);
    qualify_report_name(&root, a->data.mounted ? a->data.folder : reports, time(NULL), alone,
                        r->name, sizeof r->name);
}

/* Begins a report, after removing the one before: a machine that qualifies for days must have room
   in memory for the next. */
int init_report_begin(struct appliance *a, struct err *e)
{
    struct init_report *r = &a->report;
    remove_folder(reports);
    *r = (struct init_report){0};
    const char *folder = reports;
    if (mkdir(folder, 0755) == 0) {
        name_report(a);
        snprintf(r->folder, sizeof r->folder, "%s/%s", reports, r->name);
        folder = r->folder;
        if (mkdir(folder, 0755) == 0)
            return 0;
    }
    err_set(e, ERR_MACHINE, "cannot make %s: %s", folder, strerror(errno));
    *r = (struct init_report){.failed = true};
    return -1;
}

/* ---- on the stick ---- */

static int keep_on_stick(struct appliance *a, struct err *e)
{
    struct init_report *r = &a->report;
    char path[sizeof a->data.folder + sizeof r->name + 1];
    snprintf(path, sizeof path, "%s/%s", a->data.folder, r->name);
    /* the name is taken: this report was kept before, or another machine has a report of that day
     */
    if (access(path, F_OK) == 0)
        name_report(a);
    if (data_partition_writable(&a->data, true, e))
        return -1;
    remove_unfinished_folders(a->data.folder);
    int status = keep_folder(r->folder, a->data.folder, r->name, e);
    struct err whole = {0};
    if (data_partition_writable(&a->data, false, &whole) && !status) {
        *e = whole;
        status = -1;
    }
    return status;
}

/* Keeps the report on the stick. If that fails, tries once more after finding and mounting the
   stick again, because it may have been pulled and plugged in since it was mounted. */
static int keep_or_try_again(struct appliance *a, struct err *e)
{
    if (a->data.mounted && keep_on_stick(a, e) == 0)
        return 0;
    if (a->data.mounted)
        data_partition_unmount(&a->data);
    if (!data_partition_find(&a->data, "/sys", "/dev"))
        return -1;
    a->stick_seen = true;
    return data_partition_mount(&a->data, e) ? -1 : keep_on_stick(a, e);
}

/* Returns whether the report that was kept is on the stick that is plugged in now, and not on an
   earlier one. No two reports have the same log. */
static bool is_on_this_stick(const struct appliance *a)
{
    const struct init_report *r = &a->report;
    char there[sizeof a->data.folder + sizeof r->name + 16], here[sizeof r->folder + 16];
    char *kept = NULL, *log = NULL;
    size_t kept_length = 0, log_length = 0;
    snprintf(there, sizeof there, "%s/%s/console.txt", a->data.folder, r->name);
    snprintf(here, sizeof here, "%s/console.txt", r->folder);
    bool same = !file_read_all(there, FILE_MAX_BYTES, &kept, &kept_length, NULL) &&
                !file_read_all(here, FILE_MAX_BYTES, &log, &log_length, NULL) &&
                kept_length == log_length && !memcmp(kept, log, log_length);
    free(kept);
    free(log);
    return same;
}

static void keep_report(struct appliance *a)
{
    struct init_report *r = &a->report;
    struct err e = {.msg = "it is not there any more"};
    init_look_for_devices(a, LOOK_QUIET_MS, LOOK_MAX_MS);
    if (r->kept && a->data.mounted)
        r->kept = is_on_this_stick(a);
    if (!r->kept) {
        if (a->stick_seen)
            console_line(a->console, "The report is being written to the stick; leave it in.");
        r->kept = keep_or_try_again(a, &e) == 0;
    }
    if (r->kept)
        snprintf(r->kept_words, sizeof r->kept_words, "report: kept on the stick as %s", r->name);
    else if (a->stick_seen)
        snprintf(r->kept_words, sizeof r->kept_words, "! report: NOT kept on the stick: %.240s",
                 e.msg);
    else
        snprintf(r->kept_words, sizeof r->kept_words, "report: in memory only, there is no stick");
    console_print(a->console, "%s\n", r->kept_words);
}

/* ---- to the collector ---- */

struct sending {
    struct http_url url;
    const char *report;
    bool verdict; /* true: send qualification.*; false: send all other files */
    unsigned files, failures, in_a_row;
    struct err first; /* the first failure */
};

static const char *type_of(const char *name)
{
    static const struct {
        const char *suffix, *type;
    } types[] = {{".txt", "text/plain; charset=utf-8"},
                 {".csv", "text/csv; charset=utf-8"},
                 {".json", "application/json"}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (!strcmp(dot, types[i].suffix))
            return types[i].type;
    return "application/octet-stream";
}

/* Sends one file. If it is refused, perhaps as too large, the others are sent all the same, unless
   the collector accepts nothing any more. */
static int send_file(void *context, const char *path, const char *below, struct err *e)
{
    static const char verdict[] = "qualification.";
    struct sending *s = context;
    char name[512], *data;
    size_t length;
    if (!strncmp(below, verdict, sizeof verdict - 1) != s->verdict)
        return 0;
    int status = file_read_all(path, FILE_MAX_BYTES, &data, &length, e);
    if (!status) {
        snprintf(name, sizeof name, "%s/%s", s->report, below);
        status = http_put(&s->url, name, type_of(below), data, length, PUT_SECONDS, e);
        free(data);
    }
    if (!status) {
        s->files++;
        s->in_a_row = 0;
        return 0;
    }
    if (s->failures++ == 0)
        s->first = *e;
    return ++s->in_a_row < FAILURES_MAX ? 0 : -1;
}

static int send_all(struct appliance *a, struct sending *s, struct err *e)
{
    const struct boot_config *c = &a->config;
    const struct network_request request = {
        .interface = c->interface, .address = c->network, .seconds = NETWORK_SECONDS};
    struct network network;
    if (http_url_parse(&s->url, c->collector, e))
        return -1;
    if (!strcmp(c->network, "off"))
        return err_set(e, ERR_USAGE, "there is a collector, but the network is off");
    if (network_up(&network, &request, e))
        return -1;
    s->verdict = true; /* the verdict is sent first */
    int status = each_file(a->report.folder, send_file, s, e);
    s->verdict = false;
    if (!status)
        status = each_file(a->report.folder, send_file, s, e);
    if (s->failures)
        *e = s->first;
    return status || s->failures ? -1 : 0;
}

static void send_report(struct appliance *a)
{
    struct init_report *r = &a->report;
    struct sending s = {.report = r->name};
    struct err e;
    if (!a->config.collector[0])
        return;
    if (!r->sent) {
        console_line(a->console, "The report is being sent to the collector.");
        r->sent = send_all(a, &s, &e) == 0;
    }
    if (r->sent && s.files > 0)
        snprintf(r->sent_words, sizeof r->sent_words, "report: %u files sent to %.200s", s.files,
                 a->config.collector);
    else if (!r->sent && s.failures > 0)
        snprintf(r->sent_words, sizeof r->sent_words,
                 "! report: NOT sent whole: %u files were%s, "
                 "%u not: %.200s",
                 s.files, s.in_a_row < FAILURES_MAX ? "" : " before it was given up", s.failures,
                 e.msg);
    else if (!r->sent)
        snprintf(r->sent_words, sizeof r->sent_words, "! report: NOT sent: %.260s", e.msg);
    console_print(a->console, "%s\n", r->sent_words);
}

void init_report_deliver(struct appliance *a)
{
    keep_report(a);
    send_report(a);
}

/* ---- the kernel's messages ---- */

enum { RECORD_MAX = 8192 };

void kernel_log_add(struct text *out, const char *record, size_t length)
{
    char head[64];
    const char *message = memchr(record, ';', length);
    if (!message || (size_t)(message - record) >= sizeof head)
        return;
    memcpy(head, record, (size_t)(message - record));
    head[message - record] = '\0';
    const char *number = strchr(head, ',');
    const char *time = number ? strchr(number + 1, ',') : NULL;
    if (!time)
        return;
    unsigned long long us = strtoull(time + 1, NULL, 10);
    message++;
    length -= (size_t)(message - record);
    const char *end = memchr(message, '\n', length);
    text_addf(out, "[%5llu.%06llu] ", us / 1000000, us % 1000000);
    text_add_bytes(out, message, end ? (size_t)(end - message) : length);
    text_add(out, "\n");
}

void kernel_log_read(const char *path, struct text *out)
{
    char record[RECORD_MAX];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        text_addf(out, "cannot read %s: %s\n", path, strerror(errno));
        return;
    }
    for (;;) {
        ssize_t got = read(fd, record, sizeof record);
        if (got > 0)
            kernel_log_add(out, record, (size_t)got);
        else if (got == 0 || (errno != EINTR && errno != EPIPE)) /* EPIPE: some messages were
                                                                    overwritten */
            break;
    }
    close(fd);
}
