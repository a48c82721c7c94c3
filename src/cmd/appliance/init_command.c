/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration's commands: read, judged, and run one after the other. */
#include "cmd/appliance/internal.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- whether they may begin ---- */

/* Two sticks of this image, and nobody knows which one the machine was started from. */
static int check_origin(const struct appliance *a, struct err *e)
{
    if (!a->command_of_stick || !stick_commands_write(&a->commands))
        return 0;
    if (a->config.stick != BOOT_STICK_OWN)
        return err_set(e, ERR_UNSAFE,
                       "it writes, and writing commands are taken only from the stick that the "
                       "machine was started from, or from the kernel's command line");
    if (a->data.several)
        return err_set(e, ERR_UNSAFE,
                       "it writes, and there are several sticks of this image: pull all but the "
                       "one that the machine was started from");
    return 0;
}

static int read_commands(struct appliance *a, struct err *e)
{
    if (stick_commands_read(&a->commands, a->config.command, e) || check_origin(a, e))
        return -1;
    return 0;
}

bool init_read_commands(struct appliance *a)
{
    struct err e = {0};
    char before[sizeof a->command_refused];
    snprintf(before, sizeof before, "%s", a->command_refused);
    a->command_refused[0] = '\0';
    if (read_commands(a, &e) == 0)
        return true;
    a->commands.count = 0;
    snprintf(a->command_refused, sizeof a->command_refused, "%.*s",
             (int)sizeof a->command_refused - 1, e.msg);
    if (strcmp(before, a->command_refused) != 0)
        init_problem(a, false, "%s", a->command_refused);
    return false;
}

/* ---- running them ---- */

struct command_task {
    const char *folder; /* where relative names go: the report */
    const struct dispatch *command;
};

static int run_in_child(void *context)
{
    const struct command_task *task = context;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (chdir(task->folder))
        return ERR_MACHINE;
    return dispatch_run(task->command);
}

static void refuse(struct appliance *a, const char *why, struct text *statuses)
{
    console_print(a->console, "! No command is begun: %s.\n", why);
    text_addf(statuses, "cupel: command \"%s\" was not begun: %s\n", a->config.command, why);
}

/* Of all of them, before the first is begun. */
static int check_disks(struct appliance *a, struct err *e)
{
    for (size_t i = 0; i < a->commands.count; i++)
        if (init_may_destroy(a, &a->commands.list[i].effect, e))
            return -1;
    return 0;
}

static void run_one(struct appliance *a, const struct stick_command *c, struct text *statuses)
{
    struct command_task task = {.folder = a->report.folder, .command = &c->parsed};
    console_print(a->console, "cupel: command \"%.*s\"\n", c->length, c->text);
    int status = init_run_child(a, run_in_child, &task, 0);
    text_addf(statuses, "cupel: command \"%.*s\" ended with status %d\n", c->length, c->text,
              status);
}

/* With a mistake in the configuration nobody knows what it was meant to say: "start = menu"
   perhaps. */
void init_run_commands(struct appliance *a, struct text *statuses)
{
    struct err e = {0};
    if (a->mistaken)
        refuse(a, "there is a mistake in the configuration, see above", statuses);
    else if (!init_read_commands(a))
        refuse(a, a->command_refused, statuses);
    else if (check_disks(a, &e))
        refuse(a, e.msg, statuses);
    else if (init_needs_countdown(a))
        refuse(a, "no countdown has said what it destroys", statuses);
    else /* whoever presses Ctrl-C means all of them */
        for (size_t i = 0; i < a->commands.count && (i == 0 || !a->interrupted); i++)
            run_one(a, &a->commands.list[i], statuses);
    a->counted_down[0] = '\0';
}
