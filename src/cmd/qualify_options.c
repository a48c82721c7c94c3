/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option rows of `cupel qualify`. */
#include "cmd/internal.h"

#include <string.h>

#define QUALIFY(member) OPTION_FIELD(struct qualify_options, member)

const struct option_row qualify_option_rows[] = {
    {.section = "What is expected",
     .name = "expect",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     QUALIFY(expect),
     .value_words = "only what is wrong in any machine fails it",
     .help = "Hold the machine against FILE: how many disks, which links, sizes, bandwidth, IOPS "
             "and latencies it must have."},
    {.name = "write-expect",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     QUALIFY(write_expect),
     .value_words = "none is written",
     .help = "Make FILE, which must not exist, from what was found here, with some room: for a "
             "machine that is known to be good. Look it through before others are held against "
             "it."},

    {.section = "How it is measured",
     .name = "preset",
     .argument = "NAME",
     .kind = OPTION_TEXT,
     QUALIFY(preset),
     .value = "normal",
     .choices = OPTION_CHOICES({"quick", 0}, {"normal", 0}, {"strict", 0}),
     .help = "How precise each measurement has to be; as in cupel run."},
    {.name = "limit",
     .argument = "TIME",
     .kind = OPTION_TIME,
     QUALIFY(limit_seconds),
     .least = 0.1,
     .most = 86400,
     .value = "60s",
     .help = "Longest time for each measurement of each disk. Reached before the precision, it is "
             "a warning."},

    {.section = "Safety",
     .name = "allow-unwritten",
     .kind = OPTION_FLAG,
     QUALIFY(allow_unwritten),
     .help = "Measure disks all the same of which more than half reads as zeros: reads of what "
             "was never written need not reach the medium. It is a warning."},
    {.name = "destroy-serial",
     .argument = "SERIAL,...",
     .kind = OPTION_TEXT,
     QUALIFY(destroy_serials),
     .value_words = "no disk is written",
     .help = "Also measure writing, which destroys what they hold, on the disks with these serial "
             "numbers and on no other. A disk in use is not written all the same."},

    OUTPUT_FORMAT_OPTION(struct qualify_options),
    {.name = "output",
     .letter = 'o',
     .argument = "DIR",
     .kind = OPTION_TEXT,
     QUALIFY(folder),
     .value_words = "nothing is kept",
     .help = "Keep the whole result in DIR, which is made and must not exist."},
    {0},
};

static int cut_serials(struct qualify_options *o, struct err *e)
{
    size_t count = 0;
    char *rest = o->destroy_serials;
    while (rest && *o->destroy_serials) {
        char *serial = strsep(&rest, ",");
        if (!*serial)
            return err_set(e, ERR_USAGE,
                           "--destroy-serial: a serial number is missing before or behind a comma");
        if (count == QUALIFY_SERIALS_MAX)
            return err_set(e, ERR_USAGE, "--destroy-serial: more than %d serial numbers",
                           QUALIFY_SERIALS_MAX);
        o->serials[count++] = serial;
    }
    o->serials[count] = NULL;
    return 0;
}

int qualify_options_read(const struct option_set *set, struct qualify_options *o, struct err *e)
{
    *o = (struct qualify_options){0};
    if (options_store_defaults(qualify_option_rows, o, e) || options_store(set, o, e))
        return -1;
    return cut_serials(o, e);
}
