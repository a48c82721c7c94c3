/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of the appliance: written to memory first, then kept on the stick and sent to the
   collector, whichever there are. Neither can do harm to what was measured. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "cmd/init_parts.h"
#include "cmd/keep_folder.h"
#include "cmd/kernel_log.h"
#include "init/http.h"
#include "init/network.h"
#include "qualify/qualify.h"

static const char reports[] = "/run/report";

enum { FILE_MOST = 256 << 20, NETWORK_SECONDS = 60, PUT_SECONDS = 60 };

/* ---- the folder in memory ---- */

static void name_report(const char *parent, char *to, size_t size)
{
    char date[16], serial[80] = "";
    time_t now = time(NULL);
    struct sysroot root;
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    if (sysroot_open(&root, NULL, NULL) == 0)
        qualify_machine_serial(&root, serial, sizeof serial);
    qualify_folder_name(parent, date, serial, to, size);
}

/* One report at a time is in memory: a machine that is qualified for days has room for the next. */
int init_report_begin(struct appliance *a, struct err *e)
{
    struct init_report *r = &a->report;
    remove_folder(reports);
    *r = (struct init_report){0};
    if (mkdir(reports, 0755))
        return err_set(e, ERR_MACHINE, "cannot make %s: %s", reports, strerror(errno));
    name_report(a->data.mounted ? a->data.folder : reports, r->name, sizeof r->name);
    snprintf(r->folder, sizeof r->folder, "%s/%s", reports, r->name);
    if (mkdir(r->folder, 0755))
        return err_set(e, ERR_MACHINE, "cannot make %s: %s", r->folder, strerror(errno));
    return 0;
}

static void add_file(struct appliance *a, const char *name, struct text *text)
{
    struct err e;
    if (text->length > 0 &&
        write_file_atomically(a->report.folder, name, text->data, text->length, &e))
        console_print(a->console, "! %s\n", e.msg);
    text_free(text);
}

void init_report_add_logs(struct appliance *a)
{
    struct text log = {0}, kernel = {0};
    char *copy = malloc(CONSOLE_LOG + 1);
    if (copy)
        text_add_bytes(&log, copy, console_log(a->console, copy, CONSOLE_LOG + 1));
    free(copy);
    kernel_log_read("/dev/kmsg", &kernel);
    add_file(a, "console.txt", &log);
    add_file(a, "kernel.txt", &kernel);
}

/* ---- on the stick ---- */

static int keep_once(struct appliance *a, struct err *e)
{
    struct init_report *r = &a->report;
    char path[sizeof a->data.folder + sizeof r->name + 1];
    snprintf(path, sizeof path, "%s/%s", a->data.folder, r->name);
    /* It is there when it was kept before, or a report of that day from another machine. */
    if (access(path, F_OK) == 0)
        name_report(a->data.folder, r->name, sizeof r->name);
    if (data_partition_writable(&a->data, true, e))
        return -1;
    int status = keep_folder(r->folder, a->data.folder, r->name, e);
    struct err whole = {0};
    if (data_partition_writable(&a->data, false, &whole) && !status) {
        *e = whole;
        status = -1;
    }
    return status;
}

/* The stick may have been pulled and put in again since it was mounted. */
static int keep(struct appliance *a, struct err *e)
{
    struct err again;
    if (a->data.mounted && keep_once(a, e) == 0)
        return 0;
    if (a->data.mounted)
        data_partition_unmount(&a->data);
    if (!data_partition_find(&a->data, "/sys", "/dev") || data_partition_mount(&a->data, &again))
        return -1;
    return keep_once(a, e);
}

static void keep_report(struct appliance *a)
{
    struct init_report *r = &a->report;
    struct err e = {.msg = "it is not there any more"};
    if (!r->kept) {
        if (a->stick_seen)
            console_line(a->console, "The report is being written to the stick; leave it in.");
        r->kept = keep(a, &e) == 0;
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
    unsigned files;
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

static int send_file(void *context, const char *path, const char *below, struct err *e)
{
    struct sending *s = context;
    char name[512], *data;
    size_t length;
    if (file_read_all(path, FILE_MOST, &data, &length, e))
        return -1;
    snprintf(name, sizeof name, "%s/%s", s->report, below);
    int status = http_put(&s->url, name, type_of(below), data, length, PUT_SECONDS, e);
    free(data);
    s->files += status == 0;
    return status;
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
    return each_file(a->report.folder, send_file, s, e);
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
    else if (!r->sent)
        snprintf(r->sent_words, sizeof r->sent_words, "! report: NOT sent: %.260s", e.msg);
    console_print(a->console, "%s\n", r->sent_words);
}

void init_report_deliver(struct appliance *a)
{
    keep_report(a);
    send_report(a);
}

bool init_report_would_be_lost(const struct appliance *a)
{
    bool somewhere = a->stick_seen || a->config.collector[0];
    return a->report.name[0] && somewhere && !a->report.kept && !a->report.sent;
}
