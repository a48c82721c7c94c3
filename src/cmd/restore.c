/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel restore: restores settings that killed sessions have left changed; and prints the line
   about them. */
#include "base/err.h"
#include "cmd/internal.h"
#include "cmd/options/options.h"

#include <stdio.h>

#include "base/span.h"
#include "cmd/options/command.h"
#include "hw/knob/knob.h"
#include "hw/sysroot/sysroot.h"

struct restore_options {
    char sysroot[512];
};

static const struct option_row restore_options[] = {
    {.section = "Where",
     .name = "sysroot",
     .argument = "DIR",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct restore_options, sysroot),
     .value_words = "this machine",
     .help = "Read /sys and /run below DIR."},
    {0},
};

void restore_say_left(void)
{
    struct sysroot root;
    struct err ignored;
    if (sysroot_open(&root, NULL, &ignored))
        return;
    const long process = knob_notes_left(&root);
    if (process)
        fprintf(stderr,
                "cupel: a session that was killed (process %ld) left settings of this machine "
                "changed: cupel restore puts them back\n",
                process);
}

static void show(void *context, const struct knobs *k, const struct knob_note *note)
{
    char command[sizeof note->command];
    *(size_t *)context += k->change_count;
    printf("process %ld: %s\n", note->process,
           span_printable(command, sizeof command, span_of(note->command)));
    for (size_t i = 0; i < k->change_count; i++) {
        const struct knob_change *c = &k->changes[i];
        if (c->foreign)
            printf("  %s is not %s any more, and is left as it is; it was %s\n", c->path, c->after,
                   c->before);
        else
            printf("  %s  %s -> %s\n", c->path, c->after, c->before);
    }
}

static int run_restore(const struct option_set *set, struct err *e)
{
    struct restore_options o = {.sysroot = ""};
    struct sysroot root;
    size_t seen = 0;
    if (options_store_defaults(set->rows, &o, e) || options_store(set, &o, e) ||
        sysroot_open(&root, o.sysroot[0] ? o.sysroot : NULL, e))
        return -1;
    int status = knob_notes_restore(&root, show, &seen, e);
    if (!status && !seen)
        printf("no session left a setting of this machine changed\n");
    return status;
}

const struct command command_restore = {
    .name = "restore",
    .operands = "",
    .summary = "put back what killed sessions left changed",
    .description =
        (const char *const[]){
            "A session that changes settings of the machine (--scheduler, --nr_requests, "
            "--read_ahead_kb, --governor, --frequency, --turbo) puts them back at its end, and a "
            "second process does when it is killed. When both are killed at once, as with a whole "
            "control group, a file below /run/cupel still says what was changed; every cupel then "
            "says so, and this puts it back.",
            "Only a value that is still the one that the session set is replaced. What somebody "
            "else has changed since is named and left. A session that still runs is left alone.",
            NULL},
    .options = restore_options,
    .examples =
        (const struct help_item[]){{"cupel restore", "Put back what is left, and print it."}, {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Nothing is left changed, but for what somebody else has changed since."},
            {"2", "Wrong options."},
            {"3", "A session that still runs changed it; the others are restored."},
            {"6", "A value could not be restored, or this needs root."},
            {0}},
    .files =
        (const struct help_item[]){{"/run/cupel/settings-*", "What is changed, a file each."}, {0}},
    .run = run_restore,
};
