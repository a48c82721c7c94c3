/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PCI functions from the text of `lspci -xxxx`, which libpci reads, and pci_text.c what it says in
   words. The tree follows from the bus numbers of the bridges. */
#include <pci/pci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/span.h"
#include "hw/pci/pci.h"

#define DUMP_MAX (64u << 20)

/* ---- content that libpci's reader must not get ---- */

/* Is it a line such as "80000000: 00"? For libpci the offset is negative, and it writes there. */
static bool has_negative_offset(const char *line, size_t length)
{
    if (length < 9 || line[8] != ':')
        return false;
    for (int i = 0; i < 8; i++)
        if (pci_digit(line[i]) < 0)
            return false;
    return pci_digit(line[0]) >= 8;
}

/* Does the line begin with "41:00.0 ", "0000:41:00.0 " or "10000:41:00.0 "? */
static bool names_device(const char *line, size_t length)
{
    static const size_t points[] = {5, 10, 11};
    for (int i = 0; i < 3; i++)
        if (length > points[i] && line[points[i]] == '.')
            return true;
    return false;
}

/* What there is of a dump's devices besides their addresses. */
struct contents {
    bool bytes, links, denied;
};

/* NULL when the text is harmless, else the problem; *number is then its line. */
static const char *find_harm(const char *text, size_t length, size_t *number,
                             struct contents *contents)
{
    size_t devices = 0;
    *contents = (struct contents){false, false, false};
    *number = 0;
    for (const char *end = text + length; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((newline ? newline : end) - text);
        ++*number;
        if (has_negative_offset(text, line))
            return "an offset is far outside of any configuration space";
        devices += names_device(text, line);
        contents->bytes = contents->bytes || pci_text_line_is_bytes((struct span){text, line});
        struct span words = span_trimmed((struct span){text, line});
        contents->links =
            contents->links || (words.length > 7 && !memcmp(words.text, "LnkSta:", 7));
        contents->denied =
            contents->denied ||
            (words.length > 28 && !memcmp(words.text, "Capabilities: <access denied", 28));
        if (devices > PCI_FUNCTIONS_MAX)
            return "there are more devices than a machine has";
        text += line + 1;
    }
    return NULL;
}

int pci_dump_check(const char *file, struct err *e)
{
    char *text;
    size_t length, number;
    if (file_read_all(file, DUMP_MAX, &text, &length, e))
        return -1;
    struct contents contents;
    const char *harm = find_harm(text, length, &number, &contents);
    bool empty = !span_trimmed((struct span){text, length}).length;
    free(text);
    if (harm)
        return err_set(e, ERR_USAGE, "%.200s: line %zu: %s; lspci -xxxx does not print that", file,
                       number, harm);
    if (empty)
        return 0;
    struct pci_access *access = pci_config_open(NULL, file);
    bool has_devices = access->devices;
    pci_config_close(access);
    if (!has_devices)
        return err_set(e, ERR_USAGE,
                       "%.200s: there is no PCI device in it; it must be the output of lspci -xxxx",
                       file);
    if (!contents.bytes && !contents.links)
        return err_set(e, ERR_USAGE,
                       "%.200s: it has neither configuration space nor links (LnkSta)%s; as root, "
                       "lspci -xxxx prints them",
                       file, contents.denied ? ", which were not permitted" : "");
    return 0;
}

/* ---- functions ---- */

static int compare_addresses(const void *a, const void *b)
{
    const struct pci_function *x = a, *y = b;
    if (x->domain != y->domain)
        return x->domain < y->domain ? -1 : 1;
    unsigned left = x->bus << 8 | x->device << 3 | x->function;
    unsigned right = y->bus << 8 | y->device << 3 | y->function;
    return left < right ? -1 : left > right;
}

void pci_tree_from_dump(struct pci_tree *t, const char *file)
{
    if (pci_dump_check(file, NULL))
        return;
    struct pci_access *access = pci_config_open(NULL, file);
    for (struct pci_dev *d = access->devices; d; d = d->next) {
        char name[24];
        snprintf(name, sizeof name, "%04x:%02x:%02x.%x", (unsigned)d->domain, d->bus, d->dev,
                 d->func);
        struct pci_function *f = pci_tree_add(t, name);
        if (!f)
            continue;
        pci_config_identify(access, d, f);
        pci_config_read(access, d, f, NULL);
        f->can = f->registers.can;
        f->runs = f->registers.runs;
    }
    pci_config_close(access);
    char *text;
    size_t bytes;
    if (!file_read_all(file, DUMP_MAX, &text, &bytes, NULL)) {
        pci_text_read(t, (struct span){text, bytes});
        free(text);
    }
    if (t->count)
        qsort(t->functions, t->count, sizeof *t->functions, compare_addresses);
    /* The folder that the kernel would have: below that of the bridge, or of a host bridge. The bus
       below a bridge has a higher number than the bridge's own bus, so bridges come first. */
    const struct pci_function *bridges[256] = {NULL};
    for (size_t i = 0; i < t->count; i++) {
        struct pci_function *f = &t->functions[i];
        if (i && f->domain != t->functions[i - 1].domain)
            memset(bridges, 0, sizeof bridges);
        const struct pci_function *bridge = bridges[f->bus];
        char folder[PROBE_FOLDER];
        int length = -1;
        if (bridge)
            length = snprintf(folder, sizeof folder, "%s/%s", bridge->path, f->name);
        if (length < 0 || (size_t)length >= sizeof folder)
            length = snprintf(folder, sizeof folder, "/sys/devices/pci%04x:%02x/%s", f->domain,
                              f->bus, f->name);
        const char *copy = pool_copy(&t->strings, folder, (size_t)length);
        f->path = copy ? copy : "";
        if (f->is_bridge && f->secondary > f->bus && f->secondary < 256)
            bridges[f->secondary] = f;
    }
}
