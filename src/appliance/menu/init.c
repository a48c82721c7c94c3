/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Process 1 of the live image. */
#include "appliance/menu/init.h"

#include "appliance/menu/internal.h"
#include "appliance/menu/verdict_screen.h"
#include "appliance/process/milliseconds.h"
#include "appliance/process/system.h"
#include "base/file/file.h"
#include "hw/prober.h"
#include "report/inventory/inventory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- actions that the menu requests from the appliance ---- */

enum { LOOK_QUIET_MS = 20, LOOK_MAX_MS = 200, RESULTS_MAX = 16 << 20 };
/* Time limit of examining the machine, in seconds: the kernel allows NVMe controllers a minute for
   one command. */
enum { MACHINE_SECONDS = 120 };

/* Lists disks, and marks those that the configuration names. Names without a disk are not reported
   here. */
static size_t list_disks(void *context, struct menu_disk *to, size_t room)
{
    struct appliance *a = context;
    struct text missing = {0};
    size_t count = init_disks(a, to, room);
    init_choose_disks(to, count, a->config.devices, &missing);
    text_free(&missing);
    return count;
}

/* Qualifies disks, after taking note of devices that came or went. */
static void qualify_order(void *context, const struct menu_order *order)
{
    init_settle(context);
    init_look_for_devices(context, LOOK_QUIET_MS, LOOK_MAX_MS);
    init_qualify(context, order);
}

enum { TEXT_MAX_BYTES = 16 << 20 };

/* Draws the page of one console or, if there is no page, the result line. */
static void draw_verdict(void *context, unsigned terminal, const struct console_screen *screen,
                         struct text *to)
{
    struct verdict_screen *v = context;
    char path[sizeof INIT_STATE + sizeof INIT_PAGE + 16], *page = NULL;
    snprintf(path, sizeof path, INIT_STATE "/" INIT_PAGE, terminal);
    if (file_read_all(path, TEXT_MAX_BYTES, &page, NULL, NULL))
        page = NULL;
    v->page = page;
    verdict_screen_add(v, screen, to);
    free(page);
}

/* Draws the screen of the last qualification. Returns false if the last work was no qualification.
 */
static bool init_show_verdict(struct appliance *a, const char *prompt)
{
    const struct init_report *r = &a->report;
    struct verdict_screen v = {
        .line = r->line, .feet = {r->kept_words, r->sent_words}, .prompt = prompt};
    if (r->judged)
        console_draw(a->console, draw_verdict, &v);
    return r->judged;
}

static bool show_verdict(void *context, const char *prompt)
{
    return init_show_verdict(context, prompt);
}

static void keep_again(void *context)
{
    struct appliance *a = context;
    if (!a->report.name[0]) {
        console_print(a->console, "There is no report yet.\n");
        return;
    }
    init_report_deliver(a);
}

/* Runs in the child, since devices are sent commands and may not answer. */
static int print_machine(void *context)
{
    const struct report_style style = {.width = 80};
    struct sysroot root;
    struct inventory v = {0};
    struct probe probe = {.root = &root, .inventory = &v, .commands = true, .serials = true};
    const struct inventory_view view = {.inventory = &v};
    struct text *out = context;
    if (sysroot_open(&root, NULL, NULL) || probe_all(&probe, NULL))
        text_add(out, "There is no memory left to look at the machine.\n");
    else
        report_print(&inventory_report, &view, "text", &style, out);
    return write_all(STDOUT_FILENO, out->data, out->length, "the page", NULL) ? 1 : 0;
}

struct machine_page {
    struct appliance *appliance;
    struct text *out;
};

static void take_machine(void *sink, const char *text, size_t length)
{
    const struct machine_page *page = sink;
    text_add_bytes(page->out, text, length);
}

static bool is_enough(void *sink)
{
    const struct machine_page *page = sink;
    return console_key(page->appliance->console, 0) == CONSOLE_INTERRUPT;
}

static void show_machine(void *context, struct text *out)
{
    struct text empty = {0};
    struct machine_page page = {context, out};
    struct err e;
    const struct system_child child = {.function = print_machine,
                                       .context = &empty,
                                       .output = take_machine,
                                       .interrupt = is_enough,
                                       .sink = &page,
                                       .seconds = MACHINE_SECONDS};
    int status = system_run(&child, &e);
    if (status < 0)
        text_addf(out, "The machine could not be looked at: %s\n", e.msg);
    else if (status > 0)
        text_addf(out, "Looking at the machine was ended (status %d).\n", status);
}

/* Shows the full text of the last qualification, whose first page was shown before. */
static void show_results(void *context, struct text *out)
{
    const struct appliance *a = context;
    char path[sizeof a->report.folder + 32], *text;
    size_t length;
    snprintf(path, sizeof path, "%s/qualification.txt", a->report.folder);
    if (!a->report.name[0] || file_read_all(path, RESULTS_MAX, &text, &length, NULL)) {
        text_add(out, "There are no results yet.\n");
        return;
    }
    text_add_bytes(out, text, length);
    free(text);
}

static void show_log(void *context, struct text *out)
{
    const struct appliance *a = context;
    char *copy = malloc(CONSOLE_LOG + 1);
    if (copy)
        text_add_bytes(out, copy, console_log(a->console, copy, CONSOLE_LOG + 1));
    out->failed = out->failed || !copy;
    free(copy);
}

static void show_kernel_log(void *context, struct text *out)
{
    (void)context;
    kernel_log_read("/dev/kmsg", out);
}

static void show_state(void *context, struct text *out)
{
    const struct appliance *a = context;
    const struct init_report *r = &a->report;
    if (a->problem_count > 0)
        text_addf(out, "! %s\n", a->problems[0].text);
    if (a->problem_count > 1)
        text_addf(out, "  and %zu more; the log has them\n", a->problem_count - 1);
    if (r->line[0])
        text_addf(out, "last result: %s\n", r->line);
    if (r->kept_words[0])
        text_addf(out, "%s\n", r->kept_words);
    else if (a->data.mounted)
        text_addf(out, "reports go to the stick (%s)\n", a->data.device);
    if (r->sent_words[0])
        text_addf(out, "%s\n", r->sent_words);
}

/* Looks for new devices, and returns true if some came or went. If a stick appears, its
   configuration is read. */
static bool has_changed(void *context)
{
    struct appliance *a = context;
    bool stick = a->data.mounted;
    console_keep_log(a->console, true);
    bool came = init_look_for_devices(a, LOOK_QUIET_MS, LOOK_MAX_MS);
    if (a->data.mounted && !stick)
        init_menu_prepare(a);
    console_keep_log(a->console, false);
    return came;
}

static const struct menu_actions actions = {.disks = list_disks,
                                            .qualify = qualify_order,
                                            .verdict = show_verdict,
                                            .keep = keep_again,
                                            .machine = show_machine,
                                            .results = show_results,
                                            .log = show_log,
                                            .kernel_log = show_kernel_log,
                                            .state = show_state,
                                            .changed = has_changed};

void init_menu_prepare(struct appliance *a)
{
    struct menu *m = &a->menu;
    *m = (struct menu){
        .console = a->console, .actions = &actions, .context = a, .machine = a->machine};
    snprintf(m->preset, sizeof m->preset, "%s", a->config.preset);
    if (init_destroys(a)) /* a stick appeared while somebody uses the menu */
        a->idle_seconds = 0;
    m->idle_seconds = a->idle_seconds;
    m->idle_words = a->config.command[0] ? "the command begins" : "the qualification begins";
}

static enum menu_end init_menu(struct appliance *a)
{
    return menu_run(&a->menu);
}

bool init_is_initial_process(const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
    const char *name = slash ? slash + 1 : argv0;
    return name && !strcmp(name, "init") && system_is_ours();
}

/* Waits for ever. If process 1 ended, the kernel would panic, and the last message would not stay
   readable. */
_Noreturn static void stay(void)
{
    for (;;)
        pause();
}

/* Returns whether the report should be kept somewhere and could be kept nowhere. */
static bool init_report_would_be_lost(const struct appliance *a)
{
    bool somewhere = a->stick_seen || a->config.collector[0];
    const struct init_report *r = &a->report;
    return somewhere && (r->failed || (r->name[0] && !r->kept && !r->sent));
}

static enum menu_end do_what_is_asked(struct appliance *a)
{
    enum menu_end end = MENU_GO_ON;
    const char *lead = "";
    a->idle_seconds = 0;
    init_settle(a);
    init_menu_prepare(a); /* a stick may have been plugged in meanwhile */
    if (init_needs_countdown(a) && !init_countdown(a, &end))
        return end;
    init_do_what_is_asked(a);
    /* Nobody is there: the configured end comes now, if the report is safe or there is nowhere to
       keep it. */
    if (a->config.after != BOOT_AFTER_MENU && !a->interrupted) {
        bool reboots = a->config.after == BOOT_AFTER_REBOOT;
        if (!init_report_would_be_lost(a)) {
            init_show_verdict(a, reboots ? "The machine reboots." : "The machine switches off.");
            console_print(a->console, "\n");
            return reboots ? MENU_REBOOT : MENU_POWER_OFF;
        }
        lead = "The report is in memory only: the machine stays on.";
        console_print(a->console, "! %s\n", lead);
    }
    return menu_verdict(&a->menu, lead);
}

static enum menu_end live(struct appliance *a)
{
    enum menu_end end = MENU_GO_ON;
    bool counts_down = a->config.start, begins = false;
    init_menu_prepare(a);
    if (!counts_down)
        menu_refresh_disks(&a->menu); /* the first thing that the menu shows */
    /* Tests and people measure this time: from the first instruction of process 1 until it reads
       keys. */
    console_print(a->console, "cupel: ready after %.2f s\n", boot_seconds() - a->begin_seconds);
    if (counts_down) {
        begins = init_countdown(a, &end); /* false: somebody pressed a key for the menu */
        init_menu_prepare(a);
    }
    if (begins)
        end = do_what_is_asked(a);
    while (end == MENU_GO_ON || end == MENU_LEFT_ALONE)
        end = end == MENU_GO_ON ? init_menu(a) : do_what_is_asked(a);
    return end;
}

_Noreturn void init_main(void)
{
    static struct appliance a;
    struct err e;
    a.begin_seconds = boot_seconds();
    if (init_start(&a, &e)) {
        fprintf(stderr, "cupel: %s\n", e.msg);
        stay();
    }
    enum menu_end end = live(&a);
    if (end == MENU_END_OF_INPUT)
        stay();
    console_print(a.console, end == MENU_REBOOT ? "Rebooting.\n" : "Switching off.\n");
    data_partition_unmount(&a.data);
    if (system_end(end == MENU_REBOOT ? SYSTEM_REBOOT : SYSTEM_POWER_OFF, &e))
        console_print(a.console, "! %s\nIt is safe to switch the machine off.\n", e.msg);
    stay();
}
