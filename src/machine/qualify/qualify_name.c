/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the names of a machine and of its report. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/span.h"
#include "machine/qualify/qualify.h"

#define DMI  "/sys/class/dmi/id"
#define NET  "/sys/class/net"
#define BOOT "/proc/sys/kernel/random/boot_id"

static bool read_serial(const struct sysroot *root, const char *path, char *to, size_t size)
{
    /* Board makers leave these words in a field that they do not fill. */
    static const char *const fillers[] = {
        "to be filled by o.e.m.",
        "default string",
        "system serial number",
        "not specified",
        "not applicable",
        "unknown",
        "none",
        "o.e.m.",
        "n/a",
        "0",
        "0123456789",
        "123456789",
    };
    char text[128];
    if (sysroot_line(root, path, text, sizeof text) != FACT_OK)
        return false;
    span_printable(to, size, span_trimmed(span_of(text)));
    for (size_t i = 0; i < sizeof fillers / sizeof *fillers; i++)
        if (!strcasecmp(to, fillers[i]))
            return false;
    return to[strspn(to, " .-0")] != '\0';
}

bool qualify_board_serial(const struct sysroot *root, char *to, size_t size)
{
    if (read_serial(root, DMI "/product_serial", to, size) ||
        read_serial(root, DMI "/board_serial", to, size))
        return true;
    to[0] = '\0';
    return false;
}

char *qualify_machine_serial(const struct sysroot *root, char *to, size_t size)
{
    struct sysroot_names names;
    bool found = false;
    if (qualify_board_serial(root, to, size))
        return to;
    /* Only cards count, because bridges and tunnels make up their own addresses. */
    snprintf(to, size, "unknown");
    sysroot_list(root, NET, &names);
    for (size_t i = 0; i < names.count && !found; i++) {
        char path[160], text[40];
        snprintf(path, sizeof path, NET "/%.60s/device", names.names[i]);
        if (!sysroot_exists(root, path))
            continue;
        snprintf(path, sizeof path, NET "/%.60s/address", names.names[i]);
        found = sysroot_line(root, path, text, sizeof text) == FACT_OK && strlen(text) == 17 &&
                strcmp(text, "00:00:00:00:00:00") != 0;
        if (found)
            snprintf(to, size, "%s", text);
    }
    sysroot_names_free(&names);
    return to;
}

void qualify_folder_name(const char *parent, const char *date, const char *serial, char *to,
                         size_t size)
{
    const unsigned max = 10000;
    char path[1200], name[96];
    struct stat st;
    snprintf(name, sizeof name, "%.10s-%.60s", date, serial && *serial ? serial : "unknown");
    /* FAT also drops blanks and dots at the end of a name. */
    for (char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7f ||
            strchr("/\\:*?\"<>|.,;=+[]'", *c))
            *c = '-';
    snprintf(to, size, "%s", name);
    for (unsigned i = 2; parent && i < max; i++) {
        snprintf(path, sizeof path, "%.1000s/%s", parent, to);
        if (stat(path, &st))
            return;
        snprintf(to, size, "%s-%u", name, i);
    }
}

void qualify_report_name(const struct sysroot *root, const char *parent, time_t now, bool alone,
                         char *to, size_t size)
{
    char date[16] = "", clock[16] = "", start[80] = "", serial[64], words[128];
    struct tm utc;
    if (gmtime_r(&now, &utc)) {
        strftime(date, sizeof date, "%Y-%m-%d", &utc);
        strftime(clock, sizeof clock, "-%H%M%S", &utc);
    }
    qualify_machine_serial(root, serial, sizeof serial);
    if (!strcmp(serial, "unknown"))
        sysroot_line(root, BOOT, start, sizeof start);
    snprintf(words, sizeof words, "%.50s%s%.8s%s", serial, *start ? "-" : "", start,
             alone ? clock : "");
    qualify_folder_name(parent, date, words, to, size);
}
