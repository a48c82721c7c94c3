/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does the work of the menu or the configuration in a child process: the qualification, or the
   configuration's commands. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"
#include "appliance/process/system.h"
#include "base/file/file.h"
#include "hw/sysroot/sysroot.h"
#include "machine/qualify/measure_disk.h"

/* ---- the child's output ---- */

/* The part of a line that the child has written so far. */
struct child_line {
    struct appliance *appliance;
    struct console *console;
    size_t length;
    char text[1024];
};

static void end_line(struct child_line *line, char end)
{
    if (end == '\r') {
        console_line(line->console, "%.*s", (int)line->length, line->text);
    } else {
        console_write(line->console, line->text, line->length);
        if (end)
            console_write(line->console, "\n", 1);
    }
    line->length = 0;
}

static void take_output(void *sink, const char *text, size_t length)
{
    struct child_line *line = sink;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\n' || text[i] == '\r') {
            end_line(line, text[i]);
            continue;
        }
        if (line->length == sizeof line->text)
            end_line(line, '\0');
        line->text[line->length++] = text[i];
    }
}

static bool interrupt_asked(void *sink)
{
    struct child_line *line = sink;
    int key;
    while ((key = console_key(line->console, 0)) != CONSOLE_NONE && key != CONSOLE_END_OF_INPUT)
        if (key == CONSOLE_INTERRUPT || key == CONSOLE_RESTART) {
            console_print(line->console, "\nStopping ... press again to kill it.\n");
            line->appliance->interrupted = true;
            return true;
        }
    return false;
}

/* Runs `function` in a child process that writes to the consoles, for at most `seconds` (0: without
   a limit). Returns its exit status; 128 or more when a signal killed it, -1 when there was no
   child or it does not end (the consoles say why). */
static int run_child(struct appliance *a, int (*function)(void *context), void *context,
                     double seconds)
{
    struct child_line line = {.appliance = a, .console = a->console};
    a->interrupted = a->overdue = false;
    struct err e;
    const struct system_child child = {.function = function,
                                       .context = context,
                                       .output = take_output,
                                       .interrupt = interrupt_asked,
                                       .sink = &line,
                                       .seconds = seconds,
                                       .overdue = &a->overdue};
    int status = system_run(&child, &e);
    if (line.length > 0)
        end_line(&line, '\n');
    if (a->overdue)
        console_print(a->console, "! It took longer than %.0f s, and was ended.\n", seconds);
    if (status < 0)
        init_warn(a->console, e.msg);
    return status;
}

/* ---- the qualification ---- */

/* Reads the result line that the child wrote. If there is none, or the child was killed, the line
   says how the child ended. */
static void read_result_line(struct appliance *a, int status)
{
    char *line;
    bool lived = status >= 0 && status < 128;
    snprintf(a->report.line, sizeof a->report.line,
             "FAIL: the qualification did not end by itself (status %d); what is known of it is in "
             "the report",
             status);
    if (!lived ||
        file_read_all(INIT_STATE "/" INIT_LINE, sizeof a->report.line - 1, &line, NULL, NULL))
        return;
    snprintf(a->report.line, sizeof a->report.line, "%s", line);
    free(line);
}

static bool begin_report(struct appliance *a)
{
    struct err e;
    a->report.line[0] = '\0';
    mkdir(INIT_STATE, 0755);
    for (unsigned i = 0; i < console_count(a->console); i++) {
        char page[sizeof INIT_STATE + sizeof INIT_PAGE + 16];
        snprintf(page, sizeof page, INIT_STATE "/" INIT_PAGE, i);
        unlink(page);
    }
    unlink(INIT_STATE "/" INIT_LINE);
    if (!init_report_begin(a, &e))
        return true;
    snprintf(a->report.line, sizeof a->report.line, "FAIL: %s", e.msg);
    return false;
}

/* Returns much more time than the work needs, so that only a child that hangs is ended. */
static double longest_seconds(const struct appliance *a, const struct menu_order *order)
{
    const double beside_tests = 300, beside_limit = 60;
    struct sysroot root;
    struct sysroot_names names = {0};
    /* every block device counts as a disk, since the time is an upper bound */
    if (order->name_count == 0 && !sysroot_open(&root, NULL, NULL))
        sysroot_list(&root, "/sys/block", &names);
    size_t disks = order->name_count > 0 ? order->name_count : names.count;
    sysroot_names_free(&names);
    size_t tests = disks * measure_count(order->destroy_serial != NULL);
    return beside_tests + (double)tests * (2 * a->config.limit_seconds + beside_limit);
}

static void add_file(struct appliance *a, const char *name, struct text *text)
{
    struct err e;
    if (text->length > 0 &&
        write_file_over(a->report.folder, name, "", text->data, text->length, &e))
        init_warn(a->console, e.msg);
    text_free(text);
}

/* Adds the console log and the kernel's messages to the folder. */
static void init_report_add_logs(struct appliance *a)
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

void init_qualify(struct appliance *a, const struct menu_order *order)
{
    struct init_task task = {a, order, boot_seconds(), longest_seconds(a, order)};
    struct menu_disk disk;
    struct err e = {0};
    a->idle_seconds = 0; /* the menu waits for keys after this work */
    a->report.judged = false;
    /* the menu's disk may have become the stick, or vanished, while its serial number was typed */
    if (order->destroy_serial && init_disk_to_destroy(a, order->destroy_serial, &disk, &e)) {
        console_print(a->console, "! Nothing is written: %s.\n", e.msg);
        return;
    }
    bool begun = begin_report(a);
    a->report.judged = true;
    if (!begun)
        return;
    console_print(a->console, "%s, preset %s. Ctrl-C ends it with what was measured.\n",
                  order->destroy_serial ? "Qualification with WRITE TESTS" : "Qualification",
                  order->preset);
    read_result_line(a, run_child(a, init_qualify_in_child, &task, task.seconds));
    init_report_add_logs(a);
    init_report_deliver(a);
}

/* ---- the configuration's commands ---- */

struct command_task {
    const char *folder; /* folder of the report, below which relative names lie */
    const struct dispatch *command;
};

static int run_command_in_child(void *context)
{
    const struct command_task *task = context;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (chdir(task->folder))
        return ERR_MACHINE;
    return dispatch_run(task->command);
}

static void refuse_commands(struct appliance *a, const char *why, struct text *statuses)
{
    console_print(a->console, "! No command is begun: %s.\n", why);
    text_addf(statuses, "cupel: command \"%s\" was not begun: %s\n", a->config.command, why);
}

/* Checks all disks that a command would destroy. ERR_UNSAFE as init_disk_to_destroy. */
static int init_may_destroy(struct appliance *a, const struct command_effect *effect, struct err *e)
{
    struct menu_disk disk;
    for (size_t i = 0; effect->writes && i < effect->serial_count; i++)
        if (init_disk_to_destroy(a, effect->serials[i], &disk, e))
            return -1;
    return 0;
}

/* Runs the commands. If the configuration has a mistake, its meaning is unknown (it may have been
   "start = menu"), and none is run. */
void init_run_commands(struct appliance *a, struct text *statuses)
{
    struct err e = {0};
    int status = 0;
    bool readable = !a->mistaken && init_read_commands(a);
    /* checks the disks of all commands before the first one begins */
    for (size_t i = 0; readable && !status && i < a->commands.count; i++)
        status = init_may_destroy(a, &a->commands.list[i].effect, &e);
    if (a->mistaken)
        refuse_commands(a, "there is a mistake in the configuration, see above", statuses);
    else if (!readable)
        refuse_commands(a, a->command_refused, statuses);
    else if (status)
        refuse_commands(a, e.msg, statuses);
    else if (init_needs_countdown(a))
        refuse_commands(a, "no countdown has said what it destroys", statuses);
    else /* Ctrl-C ends all commands */
        for (size_t i = 0; i < a->commands.count && (i == 0 || !a->interrupted); i++) {
            const struct stick_command *c = &a->commands.list[i];
            struct command_task task = {.folder = a->report.folder, .command = &c->parsed};
            console_print(a->console, "cupel: command \"%.*s\"\n", c->length, c->text);
            status = run_child(a, run_command_in_child, &task, 0);
            text_addf(statuses, "cupel: command \"%.*s\" ended with status %d\n", c->length,
                      c->text, status);
        }
    a->counted_down[0] = '\0';
}

static void run_commands_and_report(struct appliance *a)
{
    struct text statuses = {0};
    a->report.judged = false;
    if (begin_report(a)) {
        init_run_commands(a, &statuses);
        init_report_add_logs(a);
        init_report_deliver(a);
    } else {
        text_addf(&statuses, "cupel: no command was run: %s\n", a->report.line);
    }
    console_write(a->console, statuses.data ? statuses.data : "", statuses.length);
    text_free(&statuses);
}

/* ---- the work of the configuration ---- */

static void qualify_what_is_asked(struct appliance *a)
{
    struct menu_order order = {.preset = a->config.preset};
    if (a->config.devices[0]) {
        struct text missing = {0};
        struct menu *m = &a->menu;
        m->disk_count = init_disks(a, m->disks, MENU_DISKS);
        init_choose_disks(m->disks, m->disk_count, a->config.devices, &missing);
        for (size_t i = 0; i < m->disk_count; i++)
            if (m->disks[i].chosen)
                order.names[order.name_count++] = m->disks[i].name;
        if (missing.length)
            init_problem(a, true, "devices: not there: %s", missing.data);
        text_free(&missing);
    }
    if (!a->config.devices[0] || order.name_count > 0)
        init_qualify(a, &order);
    else if (begin_report(a)) { /* nothing was measured: that is no pass, and is reported, too */
        snprintf(a->report.line, sizeof a->report.line, "FAIL: devices: not there: %s",
                 a->config.devices);
        init_report_add_logs(a);
        init_report_deliver(a);
    }
    a->report.judged = true;
    console_print(a->console, "cupel: qualification %s\n", a->report.line);
}

void init_do_what_is_asked(struct appliance *a)
{
    if (a->config.command[0])
        run_commands_and_report(a);
    else
        qualify_what_is_asked(a);
}
