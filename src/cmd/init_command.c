/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The configuration's commands: taken apart as a shell would, and run one after the other. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cmd/dispatch.h"
#include "cmd/init_parts.h"

/* One command, as words for its child. */
struct command_task {
    const char *folder; /* where relative names go: the report */
    char *words[INIT_WORDS + 2];
    int count;
};

static bool ends_word(char c)
{
    return !c || c == ' ' || c == '\t' || c == ';';
}

/* One word from *from on, unquoted, to *to; both are moved behind it. -1: a quote has no end. */
static int take_word(const char **from, char **to)
{
    const char *p = *from;
    char quote = '\0';
    for (; quote ? *p != '\0' : !ends_word(*p); p++) {
        if (quote ? *p == quote : *p == '"' || *p == '\'')
            quote = quote ? '\0' : *p;
        else
            *(*to)++ = *p;
    }
    *(*to)++ = '\0';
    *from = p;
    return quote ? -1 : 0;
}

int init_next_command(const char **rest, char *room, char *words[INIT_WORDS + 1])
{
    const char *p = *rest;
    int count = 0;
    p += strspn(p, " \t;");
    while (*p && *p != ';') {
        if (count == INIT_WORDS)
            return -1;
        words[count++] = room;
        if (take_word(&p, &room))
            return -1;
        p += strspn(p, " \t");
    }
    words[count] = NULL;
    *rest = p;
    return count;
}

static int run_in_child(void *context)
{
    struct command_task *task = context;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (chdir(task->folder))
        return ERR_MACHINE;
    return dispatch_command(task->count, task->words);
}

/* "cupel run ..." as well as "run ..." */
static void prepare(struct command_task *task, char *words[], int count)
{
    static char program[] = "cupel";
    int skip = !strcmp(words[0], program);
    task->words[0] = program;
    task->count = 1;
    for (int i = skip; i < count; i++)
        task->words[task->count++] = words[i];
    task->words[task->count] = NULL;
}

/* Nobody knows what a line that could not be understood was meant to say: "start = menu" perhaps.
 */
static void refuse(struct appliance *a, struct text *statuses)
{
    static const char why[] = "there is a mistake in the configuration, see above";
    console_print(a->console, "! No command is begun: %s.\n", why);
    text_addf(statuses, "cupel: command \"%s\" was not begun: %s\n", a->config.command, why);
}

void init_run_commands(struct appliance *a, struct text *statuses)
{
    const char *rest = a->config.command;
    char room[2 * sizeof a->config.command], *words[INIT_WORDS + 1];
    struct command_task task = {.folder = a->report.folder};
    if (a->mistaken) {
        refuse(a, statuses);
        return;
    }
    for (;;) {
        const char *begin = rest + strspn(rest, " \t;");
        int count = init_next_command(&rest, room, words);
        if (count == 0)
            return;
        if (count < 0) {
            init_problem(a, true, "command: a quote has no end, or there are more than %d words",
                         INIT_WORDS);
            text_addf(statuses, "cupel: command \"%s\" ended with status %d\n", begin, ERR_USAGE);
            return;
        }
        int length = (int)(rest - begin);
        console_print(a->console, "cupel: command \"%.*s\"\n", length, begin);
        prepare(&task, words, count);
        int status = init_run_child(a, run_in_child, &task, 0);
        text_addf(statuses, "cupel: command \"%.*s\" ended with status %d\n", length, begin,
                  status);
        if (a->interrupted)
            return; /* whoever pressed Ctrl-C means all of it */
    }
}
