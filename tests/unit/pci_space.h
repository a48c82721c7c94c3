/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PCI configuration space made for a test: a header, a power management capability at 0x40 and a
 * PCI Express capability at 0x70; and the text that `lspci -xxxx` prints for it.
 */
#ifndef TESTS_UNIT_PCI_SPACE_H
#define TESTS_UNIT_PCI_SPACE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PCI_SPACE_BYTES 256

enum { PCI_SPACE_EXPRESS = 0x70 };

/* Types of PCI Express functions and speed codes, as in the registers. */
enum { ENDPOINT = 0, ROOT_PORT = 4, UPSTREAM_PORT = 5, DOWNSTREAM_PORT = 6, INTEGRATED = 9 };
enum { GEN1 = 1, GEN2, GEN3, GEN4, GEN5, GEN6 };

struct pci_space {
    uint8_t bytes[PCI_SPACE_BYTES];
};

static inline void space_put(struct pci_space *s, unsigned at, unsigned bytes, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++) {
        s->bytes[at + i] = (uint8_t)(value >> (8 * i));
    }
}

static inline void space_begin(struct pci_space *s, unsigned vendor, unsigned device,
                               unsigned class_code)
{
    memset(s, 0, sizeof *s);
    space_put(s, 0, 2, vendor);
    space_put(s, 2, 2, device);
    space_put(s, 6, 2, 0x0010); /* the status bit "capabilities list" */
    space_put(s, 8, 4, class_code << 8 | 0x02);
    s->bytes[0x34] = 0x40;
    s->bytes[0x40] = 0x01;
    s->bytes[0x41] = PCI_SPACE_EXPRESS;
}

/* Sets the bus numbers of a bridge. */
static inline void space_bridge(struct pci_space *s, unsigned primary, unsigned secondary)
{
    s->bytes[0x0e] = 1;
    s->bytes[0x18] = (uint8_t)primary;
    s->bytes[0x19] = (uint8_t)secondary;
    s->bytes[0x1a] = (uint8_t)secondary;
}

/* Adds the PCI Express capability: version 2, Max_Payload_Size 256 of 512, read requests of 512
   bytes. */
static inline void space_express(struct pci_space *s, unsigned type, unsigned best, unsigned lanes,
                                 unsigned now, unsigned lanes_now)
{
    unsigned at = PCI_SPACE_EXPRESS;
    s->bytes[at] = 0x10;
    space_put(s, at + 0x02, 2, 2 | type << 4);
    space_put(s, at + 0x04, 4, 2);
    space_put(s, at + 0x08, 2, 1 << 5 | 2 << 12);
    space_put(s, at + 0x0c, 4, best | lanes << 4);
    space_put(s, at + 0x12, 2, now | lanes_now << 4);
    space_put(s, at + 0x2c, 4, ((1u << best) - 1) << 1);
    space_put(s, at + 0x30, 2, best);
}

static inline void space_slot(struct pci_space *s, unsigned number)
{
    s->bytes[PCI_SPACE_EXPRESS + 3] |= 0x01;
    space_put(s, PCI_SPACE_EXPRESS + 0x14, 4, number << 19);
}

/* Appends the first `count` bytes as lspci prints them. */
static inline void space_print(FILE *to, const char *name, const struct pci_space *s,
                               unsigned count)
{
    fprintf(to, "%s Device\n", name);
    for (unsigned i = 0; i < count; i++) {
        if (i % 16 == 0) {
            fprintf(to, "%02x:", i);
        }
        fprintf(to, " %02x%s", s->bytes[i], i % 16 == 15 ? "\n" : "");
    }
    fprintf(to, "\n");
}

#endif
