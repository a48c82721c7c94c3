/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For tests of the menu: a machine that only records what the menu asks of it, and a terminal whose
   keys are a text and whose screens are kept. Each source that includes this has its own copy. */
#ifndef TESTS_UNIT_MENU_FIXTURE_H
#define TESTS_UNIT_MENU_FIXTURE_H

#include "check.h"

#include "appliance/menu/internal.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define CLEAR       "\033[2J\033[H"
#define SCREENS_MAX 64
#define ORDERS_MAX  8

/* ---- a machine that only records what the menu asks of it ---- */

struct machine {
    struct console *console;
    struct menu_disk disks[MENU_DISKS];
    size_t disk_count;
    struct {
        char names[200], preset[16], destroy[64];
        size_t name_count;
    } orders[ORDERS_MAX];
    size_t order_count, keeps, looks;
    size_t text_lines;  /* lines of the text that the pager gets */
    size_t disks_later; /* disks that appear after the first check for changes */
};

static size_t list_disks(void *context, struct menu_disk *to, size_t room)
{
    struct machine *m = context;
    CHECK(m->disk_count <= room);
    memcpy(to, m->disks, m->disk_count * sizeof *to);
    for (size_t i = 0; i < m->disk_count; i++)
        to[i].chosen = true; /* the menu itself must refuse to choose the stick */
    return m->disk_count;
}

static void take_order(void *context, const struct menu_order *order)
{
    struct machine *m = context;
    CHECK(m->order_count < ORDERS_MAX);
    char *names = m->orders[m->order_count].names;
    for (size_t i = 0; i < order->name_count; i++)
        snprintf(names + strlen(names), 200 - strlen(names), "%s%s", i ? " " : "", order->names[i]);
    snprintf(m->orders[m->order_count].preset, 16, "%s", order->preset);
    snprintf(m->orders[m->order_count].destroy, 64, "%s",
             order->destroy_serial ? order->destroy_serial : "");
    m->orders[m->order_count++].name_count = order->name_count;
    console_print(m->console, "the qualification speaks\n");
}

static bool show_verdict(void *context, const char *prompt)
{
    struct machine *m = context;
    console_clear(m->console);
    console_keep_log(m->console, false);
    console_print(m->console, "the verdict\n%s", prompt);
    return m->order_count > 0;
}

static void keep(void *context)
{
    struct machine *m = context;
    m->keeps++;
    console_print(m->console, "report: kept\n");
}

static void add_lines(const struct machine *m, const char *what, struct text *out)
{
    for (size_t i = 1; i <= m->text_lines; i++)
        text_addf(out, "%s line %zu\n", what, i);
}

static void show_machine(void *context, struct text *out)
{
    add_lines(context, "machine", out);
}

static void show_results(void *context, struct text *out)
{
    add_lines(context, "result", out);
}

static void show_log(void *context, struct text *out)
{
    add_lines(context, "log", out);
}

static void show_kernel_log(void *context, struct text *out)
{
    add_lines(context, "kernel", out);
}

static void show_state(void *context, struct text *out)
{
    (void)context;
    text_add(out, "last result: PASS: 2 devices\n");
    text_addf(out, "! %0120d\n", 7);
}

static bool has_changed(void *context)
{
    struct machine *m = context;
    bool came = m->disks_later > 0;
    m->looks++;
    m->disk_count += m->disks_later;
    m->disks_later = 0;
    return came;
}

static const struct menu_actions actions = {.disks = list_disks,
                                            .qualify = take_order,
                                            .verdict = show_verdict,
                                            .keep = keep,
                                            .machine = show_machine,
                                            .results = show_results,
                                            .log = show_log,
                                            .kernel_log = show_kernel_log,
                                            .state = show_state,
                                            .changed = has_changed};

/* ---- a terminal: keys in, screens out ---- */

struct shown {
    char *text;
    char *screens[SCREENS_MAX]; /* screens in `text`, each from one clearing to the next */
    size_t count;
    char log[4096];
    enum menu_end end;
};

static void check_size(const char *screen)
{
    size_t lines = 1, column = 0;
    for (const char *p = screen; *p; p++) {
        if (*p == '\n') {
            lines++;
            column = 0;
        } else if (*p == '\b') {
            column--;
        } else if (*p != '\r') {
            CHECK(*p >= ' ' && *p < 127);
            column++;
        }
        CHECK(column <= 80);
    }
    if (!check_that(lines <= 24, __FILE__, __LINE__, "at most 24 lines"))
        fprintf(stderr, "%s\n", screen);
}

static void split_screens(struct shown *s)
{
    char *next = strstr(s->text, CLEAR);
    while (next && s->count < SCREENS_MAX) {
        *next = '\0';
        s->screens[s->count++] = next + strlen(CLEAR);
        next = strstr(next + strlen(CLEAR), CLEAR);
    }
    CHECK(!next);
    for (size_t i = 0; i < s->count; i++)
        check_size(s->screens[i]);
}

static char *read_back(int fd)
{
    off_t length = lseek(fd, 0, SEEK_END);
    char *text = calloc(1, (size_t)length + 1);
    if (!text || pread(fd, text, (size_t)length, 0) != length)
        exit(1);
    return text;
}

static void type(int fd, const char *keys)
{
    CHECK_INT(write(fd, keys, strlen(keys)), (long long)strlen(keys));
}

static struct shown run_with(struct machine *machine, struct menu *menu, int keys)
{
    struct shown s = {0};
    struct err e;
    int out = memfd_create("screen", MFD_CLOEXEC);
    CHECK_INT(console_open_on(&machine->console, keys, out, &e), 0);
    *menu = (struct menu){.console = machine->console,
                          .actions = &actions,
                          .context = machine,
                          .machine = "Dell Inc. PowerEdge R7625",
                          .preset = "normal",
                          .idle_seconds = menu->idle_seconds,
                          .idle_words = menu->idle_words};
    s.end = menu_run(menu);
    console_log(machine->console, s.log, sizeof s.log);
    console_close(machine->console);
    s.text = read_back(out);
    close(out);
    split_screens(&s);
    return s;
}

/* Runs the menu until the keys are used up or it ends. */
static struct shown play(struct machine *machine, const char *keys)
{
    int ends[2];
    struct menu menu = {0};
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    type(ends[1], keys);
    close(ends[1]);
    struct shown s = run_with(machine, &menu, ends[0]);
    close(ends[0]);
    return s;
}

static bool holds(const struct shown *s, size_t screen, const char *text)
{
    if (screen < s->count && strstr(s->screens[screen], text))
        return true;
    fprintf(stderr, "screen %zu of %zu has no \"%s\":\n%s\n", screen, s->count, text,
            screen < s->count ? s->screens[screen] : "");
    return false;
}

static struct machine two_disks_and_a_stick(void)
{
    return (struct machine){
        .disks = {{.name = "nvme0n1",
                   .model = "SAMSUNG MZWLR7T6HBLA",
                   .serial = "S6EUNA0R500123",
                   .size = 7681501126656},
                  {.name = "sda", .model = "ST8000NM", .serial = "ZA1", .size = 8001563222016},
                  {.name = "sdb",
                   .model = "Cruzer",
                   .serial = "4C53",
                   .size = 1 << 30,
                   .no_write = "stick",
                   .skipped = true},
                  {.name = "vda", .model = "", .serial = "", .size = 1 << 30},
                  {.name = "sdc",
                   .model = "RAID",
                   .serial = "R1",
                   .size = 1ull << 40,
                   .no_write = "in use"}},
        .disk_count = 5};
}

#endif
