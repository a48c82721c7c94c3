/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `cupel` and `cupel help` print: what this is, and where to begin. */
#include "cmd/options/help.h"

static const struct help_item first_commands[] = {
    {"cupel probe", "what this machine is and what is wrong"},
    {"cupel run", "random reads of 4 KiB on this folder's disk"},
    {"cupel run FILE --iodepth 32", "the same on a file or block device, 32 at a time"},
    {"cupel qualify", "every disk: is the machine what was paid for?"},
    {"cupel analyze numbers.txt", "the same statistics on numbers of your own"},
    {0},
};

void help_overview(struct text *out)
{
    text_add(out, "cupel measures storage until the number can be trusted: it finds and leaves\n"
                  "out the warm-up, accounts for autocorrelation, and stops when the confidence\n"
                  "interval is as narrow as asked.\n\nTo begin with:\n");
    for (const struct help_item *item = first_commands; item->term; item++)
        text_addf(out, "  %-28s %s\n", item->term, item->words);
    text_add(out, "\nCommands:\n");
    for (const struct command *const *c = commands; *c; c++)
        text_addf(out, "  %-10s%-12s  %s\n", (*c)->name, (*c)->operands, (*c)->summary);
    text_add(out,
             "\n`cupel help COMMAND` has all options. Reading never writes to the target, and\n"
             "nothing that exists is overwritten unless an option says so.\n");
}
