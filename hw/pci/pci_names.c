/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds names of PCI vendors and devices in the text of a pci.ids. libpci takes 16 ms to build a
 * table of the whole file, and finds nothing if the file has an error; this searches only for the
 * wanted names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file/file.h"
#include "hw/pci/pci.h"

#define NAMES_MAX (8u << 20)

/* Reads "1234 Name". Returns the number of four digits, and sets *name; -1 for anything else. */
static int32_t take_id(struct span line, struct span *name)
{
    int32_t id = 0;
    if (line.length < 6 || (line.text[4] != ' ' && line.text[4] != '\t'))
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = pci_digit(line.text[i]);
        if (digit < 0)
            return -1;
        id = id << 4 | digit;
    }
    *name = span_trimmed((struct span){line.text + 5, line.length - 5});
    return id;
}

int pci_names_compare(const void *a, const void *b)
{
    uint32_t x = ((const struct pci_name *)a)->id, y = ((const struct pci_name *)b)->id;
    return x < y ? -1 : x > y;
}

void pci_names_find(struct span text, struct pci_name *wanted, size_t count)
{
    size_t first = 0, end_of_vendor = 0; /* range of the wanted names of the present vendor */
    const char *at = text.text, *end = text.text + text.length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct span line = {at, (size_t)(stop - at)}, name;
        at = stop + 1;
        if (!line.length || line.text[0] == '#')
            continue;
        if (line.text[0] == '\t') {
            if (first == end_of_vendor)
                continue;
            int32_t id = take_id((struct span){line.text + 1, line.length - 1}, &name);
            for (size_t i = first; id >= 0 && i < end_of_vendor; i++)
                if ((wanted[i].id & 0xffff) == (uint32_t)id)
                    wanted[i].device = name;
            continue;
        }
        int32_t id = take_id(line, &name);
        /* Any other line ends the vendor's devices. It may be no vendor: the list of classes, "C 01
           ...", follows the vendors. */
        first = end_of_vendor = 0;
        if (id < 0)
            continue;
        for (size_t high = count; first < high;) {
            size_t middle = (first + high) / 2;
            if (wanted[middle].id < (uint32_t)id << 16)
                first = middle + 1;
            else
                high = middle;
        }
        for (end_of_vendor = first;
             end_of_vendor < count && wanted[end_of_vendor].id >> 16 == (uint32_t)id;
             end_of_vendor++)
            wanted[end_of_vendor].vendor = name;
    }
}

/* ---- the list of a machine ---- */

static bool read_names(struct pci_names *n, const struct sysroot *root, const char *path,
                       size_t *got)
{
    struct sysroot quiet = *root;
    /* the list of all devices in the world is not part of the machine: a capture does not keep
       it */
    quiet.watcher = NULL;
    return sysroot_bytes(&quiet, path, n->text, NAMES_MAX, got) == FACT_OK;
}

static bool read_usual_names(struct pci_names *n, const struct sysroot *root, size_t *got)
{
    static const char *const places[] = {PCI_NAMES_FILE, "/usr/share/hwdata/pci.ids",
                                         "/usr/share/pci.ids"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (read_names(n, root, places[i], got))
            return true;
    return false;
}

static bool read_list(struct pci_names *n, const struct probe *p, size_t *got)
{
    struct sysroot here = {.prefix = ""};
    if (p->pci_ids)
        return strcmp(p->pci_ids, "none") != 0 && read_names(n, &here, p->pci_ids, got);
    return read_usual_names(n, p->root, got) ||
           (p->root->prefix[0] && read_usual_names(n, &here, got));
}

uint32_t pci_names_id(const struct pci_function *f)
{
    return f->vendor_id << 16 | f->device_id;
}

void pci_names_open(struct pci_names *n, const struct probe *p, const struct pci_tree *t)
{
    size_t length = 0;
    *n = (struct pci_names){malloc(NAMES_MAX), calloc(t->count, sizeof *n->rows), 0};
    if (!n->text || !n->rows || !read_list(n, p, &length))
        return;
    for (size_t i = 0; i < t->count; i++)
        if (t->functions[i].identified)
            n->rows[n->count++].id = pci_names_id(&t->functions[i]);
    qsort(n->rows, n->count, sizeof *n->rows, pci_names_compare);
    size_t unique = 0;
    for (size_t i = 0; i < n->count; i++)
        if (!i || n->rows[i].id != n->rows[unique - 1].id)
            n->rows[unique++] = n->rows[i];
    n->count = unique;
    pci_names_find((struct span){n->text, length}, n->rows, n->count);
}

void pci_names_close(struct pci_names *n)
{
    free(n->text);
    free(n->rows);
}

static void write_name(const char *indent, unsigned id, struct span name, struct text *to)
{
    text_addf(to, "%s%04x  ", indent, id & 0xffff);
    text_add_bytes(to, name.text, name.length);
    text_add(to, "\n");
}

void pci_names_write(const struct pci_names *n, struct text *to)
{
    const struct pci_name *last = NULL; /* the row whose vendor was written last */
    for (size_t i = 0; i < n->count; i++) {
        const struct pci_name *row = &n->rows[i];
        if (!row->vendor.length && !row->device.length)
            continue;
        if (!last || last->id >> 16 != row->id >> 16)
            write_name("", row->id >> 16, row->vendor, to);
        last = row;
        if (row->device.length)
            write_name("\t", row->id, row->device, to);
    }
}

/* ---- is the file a pci.ids? ---- */

/* Returns true if the first line with content names a vendor. */
static bool is_list(struct span text)
{
    while (text.length) {
        const char *newline = memchr(text.text, '\n', text.length);
        size_t length = newline ? (size_t)(newline - text.text) : text.length;
        struct span line = {text.text, length}, name;
        if (span_trimmed(line).length && line.text[0] != '#')
            return take_id(line, &name) >= 0;
        length += newline != NULL;
        text = (struct span){text.text + length, text.length - length};
    }
    return false;
}

int pci_names_check(const char *path, struct err *e)
{
    struct stat s;
    char *text;
    size_t length;
    if (!stat(path, &s) && !S_ISREG(s.st_mode)) /* a pipe is refused: the check would empty it */
        return err_set(e, ERR_USAGE, "%.300s: it is no regular file", path);
    if (file_read_all(path, NAMES_MAX - 1, &text, &length, e))
        return -1;
    bool good = is_list((struct span){text, length});
    free(text);
    return good ? 0 : err_set(e, ERR_USAGE, "%.300s: it is no pci.ids", path);
}
