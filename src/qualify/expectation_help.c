/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may stand in an expectation, from the table of its keys: every line of it a comment. */
#include <string.h>

#include "qualify/expectation.h"
#include "qualify/internal.h"

static void add_lines(struct text *out, const char *const lines[])
{
    for (; *lines; lines++)
        text_addf(out, "#%s%s\n", **lines ? " " : "", *lines);
}

static void add_keys(struct text *out, enum key_scope scope)
{
    for (const struct expectation_key *key = expectation_keys; key->name; key++) {
        if (key->scope != scope)
            continue;
        text_addf(out, "#   %-16s %-13s %s\n", key->name, quantity_example(key->quantity),
                  key->meaning);
        if (key->note)
            text_addf(out, "#   %-30s (%s)\n", "", key->note);
    }
}

static void add_names(struct text *out, const char *lead, const char *const *names)
{
    size_t column = strlen(lead);
    text_add(out, lead);
    for (; *names; names++) {
        const char *comma = names[1] ? "," : "";
        if (column + strlen(*names) + 2 > 79) {
            text_add(out, "\n#  ");
            column = 4;
        }
        text_addf(out, " %s%s", *names, comma);
        column += strlen(*names) + 2;
    }
    text_add(out, "\n");
}

void expectation_help(struct text *out)
{
    static const char *const before[] = {
        "What a site expects of its machines: the file of cupel qualify --expect, and",
        "expect.txt on the boot stick. `cupel qualify --write-expect FILE` makes one",
        "from a machine that is known to be good.",
        "",
        "A line is KEY >= VALUE, <= or =. Behind >= and <= may stand, for what is just",
        "good enough, \"warn >= VALUE\" (or <=):",
        "    read bandwidth >= 6.5 GB/s warn >= 6.8 GB/s",
        "A text is compared with =, what is measured with >= or <=, others with any.",
        "What follows # is a comment. MB, GB, TB are powers of 1000; MiB, GiB, TiB of",
        "1024. A text may be a shell pattern: SAMSUNG MZ*.",
        "",
        "[machine]",
        NULL};
    static const char *const disks[] = {
        "", "[disk], [disk KIND] or [disk MODEL], in \"...\" where it has a #", NULL};
    static const char *const tests[] = {
        "", "Behind read, randread, write or randwrite, as in \"randread p99 <= 500us\". It",
        "passes when the whole interval is on the right side. Writing is measured on",
        "disks alone that --destroy-serial names: else it is not judged.", NULL};
    add_lines(out, before);
    add_keys(out, KEY_OF_MACHINE);
    add_lines(out, disks);
    add_names(out, "#   KIND is one of", expectation_kinds);
    add_keys(out, KEY_OF_DISK);
    add_lines(out, tests);
    add_keys(out, KEY_OF_TEST);
}
