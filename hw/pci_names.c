/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of PCI vendors and devices from the text of a pci.ids. libpci takes 16 ms to make a table
 * of the whole file, and nothing at all from one with a fault; this looks for the wanted ones.
 */
#include <string.h>

#include "hw/pci.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "1234  Name": the four digits and the name behind them; -1 for anything else. */
static int32_t take_id(struct span line, struct span *name)
{
    int32_t id = 0;
    if (line.length < 6 || (line.text[4] != ' ' && line.text[4] != '\t'))
        return -1;
    for (int i = 0; i < 4; i++) {
        int digit = digit_of(line.text[i]);
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

static size_t first_from(const struct pci_name *wanted, size_t count, uint32_t id)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (wanted[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The wanted devices of one vendor. */
struct vendor {
    struct pci_name *first;
    size_t count;
};

static struct vendor find_vendor(struct pci_name *wanted, size_t count, uint32_t id,
                                 struct span name)
{
    size_t begin = first_from(wanted, count, id << 16), end = begin;
    for (; end < count && wanted[end].id >> 16 == id; end++)
        wanted[end].vendor = name;
    return (struct vendor){wanted + begin, end - begin};
}

static void take_device(struct vendor v, struct span line)
{
    struct span name;
    int32_t id = take_id(line, &name);
    for (size_t i = 0; id >= 0 && i < v.count; i++)
        if ((v.first[i].id & 0xffff) == (uint32_t)id)
            v.first[i].device = name;
}

void pci_names_find(struct span text, struct pci_name *wanted, size_t count)
{
    struct vendor vendor = {wanted, 0};
    const char *at = text.text, *end = text.text + text.length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        struct span line = {at, (size_t)(stop - at)}, name;
        at = stop + 1;
        if (!line.length || line.text[0] == '#')
            continue;
        if (line.text[0] == '\t') {
            if (vendor.count)
                take_device(vendor, (struct span){line.text + 1, line.length - 1});
            continue;
        }
        int32_t id = take_id(line, &name);
        vendor.count = 0; /* "C 01  ...": classes follow the vendors */
        if (id >= 0)
            vendor = find_vendor(wanted, count, (uint32_t)id, name);
    }
}
