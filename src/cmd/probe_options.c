/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option rows of `cupel probe`. */
#include "cmd/internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hw/pci/pci.h"

#define PROBE(member) OPTION_FIELD(struct probe_options, member)

const struct option_row probe_option_rows[] = {
    OUTPUT_FORMAT_OPTION(struct probe_options),
    {.name = "all",
     .kind = OPTION_FLAG,
     PROBE(all),
     .help = "As text: every device and every fact, nothing put together."},
    {.name = "watch",
     .argument = "[TIME]",
     .kind = OPTION_TIME,
     PROBE(watch_seconds),
     .least = 0.1,
     .most = 86400,
     .alone = "2s",
     .value_words = "once; 2 s when given without a TIME",
     .help = "Look again and again, this long apart, until a signal ends it: on a terminal in "
             "place, elsewhere one after the other with an empty line between."},

    {.section = "What to look at",
     .name = "sysroot",
     .argument = "DIR|FILE",
     .kind = OPTION_TEXT,
     PROBE(sysroot),
     .value_words = "this machine",
     .help = "Read /sys and /proc below DIR, or from a capture FILE of another machine."},
    {.name = "lspci",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(pci_dump),
     .value_words = "the machine's own",
     .help = "Take the PCI devices from FILE, the output of lspci -xxxx."},
    {.name = "pci-ids",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(pci_ids),
     .value_words = "the machine's pci.ids, where it has one",
     .help = "Where the names of PCI devices are, a pci.ids; none for numbers only."},
    {.name = "no-commands",
     .kind = OPTION_FLAG,
     PROBE(no_commands),
     .help = "Send nothing to devices: what drives tell of themselves when asked, their health, is "
             "left out."},
    {.name = "serials",
     .kind = OPTION_FLAG,
     PROBE(serials),
     .help =
         "Tell serial numbers, MAC addresses and the kernel's whole command line, and keep them "
         "in a capture."},

    {.section = "Captures",
     .name = "capture",
     .argument = "FILE",
     .kind = OPTION_TEXT,
     PROBE(capture),
     .value_words = "nothing is kept",
     .help =
         "Also keep what was read of /sys and /proc in FILE, a tar archive that must not exist; "
         "--sysroot reads it on any machine. Without --serials it holds no serial numbers, and "
         "UUIDs, WWNs, MAC addresses (in names of interfaces too), the host's name and who built "
         "the kernel are replaced, on the kernel's command line also addresses, users and "
         "passwords. IP addresses elsewhere, mount points and the other names of interfaces stay: "
         "data paths are found by them."},
    {0},
};

static int check_file(const char *option, const char *path, struct err *e)
{
    if (!path[0] || !access(path, R_OK))
        return 0;
    return err_set(e, ERR_USAGE, "--%s %.200s: %s", option, path, strerror(errno));
}

static int check_dump(const char *path, struct err *e)
{
    if (check_file("lspci", path, e))
        return -1;
    return path[0] && pci_dump_check(path, e) ? err_context(e, "--lspci") : 0;
}

static int check_names(const char *path, struct err *e)
{
    if (!path[0] || !strcmp(path, "none"))
        return 0;
    if (check_file("pci-ids", path, e))
        return -1;
    return pci_names_check(path, e) ? err_context(e, "--pci-ids") : 0;
}

int probe_options_read(const struct option_set *set, struct probe_options *o, struct err *e)
{
    *o = (struct probe_options){0};
    if (options_store_defaults(probe_option_rows, o, e) || options_store(set, o, e))
        return -1;
    if (o->capture[0] && o->watch_seconds > 0)
        return err_set(e, ERR_USAGE,
                       "--capture and --watch exclude each other: a capture is one look");
    if (check_dump(o->pci_dump, e))
        return -1;
    return check_names(o->pci_ids, e);
}
