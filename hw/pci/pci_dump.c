/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads PCI functions from the output of lspci: the bytes of -xxxx through libpci, and the
   descriptions of -vv. The bus numbers of the bridges determine the tree. */
#include <pci/pci.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"
#include "base/number_parse.h"
#include "base/span.h"
#include "hw/pci/pci.h"

/*
 * Reads what `lspci -vv` prints for people: the name of each device and, where the text lacks its
 * configuration space, its place, its role and its link. lspci prints the registers of the PCI
 * Express capability in words, a line each (LnkCap, LnkSta).
 */

/* The classes that some facts depend on, by the names that lspci prints, which are those of
   pci.ids. */
static const struct class_words {
    const char *words;
    unsigned class;
} classes[] = {
    {"Non-Volatile memory controller", 0x010802},
    {"SCSI storage controller", 0x010000},
    {"IDE interface", 0x010100},
    {"RAID bus controller", 0x010400},
    {"SATA controller", 0x010601},
    {"Serial Attached SCSI controller", 0x010700},
    {"Mass storage controller", 0x018000},
    {"Ethernet controller", 0x020000},
    {"Infiniband controller", 0x020700},
    {"Network controller", 0x028000},
    {"VGA compatible controller", 0x030000},
    {"3D controller", 0x030200},
    {"Display controller", 0x038000},
    {"Host bridge", 0x060000},
    {"PCI bridge", 0x060400},
    {"USB controller", 0x0c0330},
    {"Fibre Channel", 0x0c0400},
};

static const struct role_words {
    const char *words;
    enum pci_role role;
} roles[] = {
    {"Root Complex", PCI_ROLE_NONE},
    {"Root Port", PCI_ROLE_PORT},
    {"Downstream Port", PCI_ROLE_PORT},
    {"Upstream Port", PCI_ROLE_UPSTREAM},
    {"PCI/PCI-X to PCI-Express Bridge", PCI_ROLE_PORT},
    {"PCI-Express to PCI/PCI-X Bridge", PCI_ROLE_CARD},
    {"Endpoint", PCI_ROLE_CARD},
};

static bool begins(struct span s, const char *words)
{
    return s.length >= strlen(words) && !memcmp(s.text, words, strlen(words));
}

/* Finds `words` in the text. Sets *rest to the text after them; it is empty when they are not
   found. */
static bool find_words(struct span s, const char *words, struct span *rest)
{
    const size_t length = strlen(words);
    *rest = (struct span){s.text + s.length, 0};
    for (size_t i = 0; i + length <= s.length; i++)
        if (!memcmp(s.text + i, words, length)) {
            *rest = (struct span){s.text + i + length, s.length - i - length};
            return true;
        }
    return false;
}

static struct span after(struct span s, const char *words)
{
    struct span rest;
    find_words(s, words, &rest);
    return rest;
}

static bool holds(struct span s, const char *words)
{
    struct span rest;
    return find_words(s, words, &rest);
}

static double number_after(struct span line, const char *words)
{
    struct span rest = span_trimmed(after(line, words));
    size_t digits = 0;
    double value;
    while (digits < rest.length && strchr("0123456789.", rest.text[digits]))
        digits++;
    return digits && number_parse(rest.text, digits, &value) == NUMBER_OK && value < 65536 ? value
                                                                                           : 0;
}

/* Reads "Speed 8GT/s (downgraded), Width x2 (downgraded)". */
static void read_end(struct span line, struct pci_end *end)
{
    const double lanes = number_after(line, "Width x");
    end->gigatransfers = number_after(line, "Speed ");
    end->lanes = lanes >= 1 && lanes <= 32 ? (unsigned)lanes : 0;
}

/* Reads the address at the beginning of a device's first line into `name`, with its domain; *rest
   is the text after it. */
static bool read_address(struct span line, char name[24], struct span *rest)
{
    char text[24];
    const char *blank =
        memchr(line.text, ' ', line.length < sizeof text ? line.length : sizeof text);
    const size_t length = blank ? (size_t)(blank - line.text) : 0;
    unsigned domain = 0, bus, device, function;
    if (length < 7 || length >= sizeof text)
        return false;
    span_copy(text, (struct span){line.text, length});
    const char *at = text, *short_form = text;
    if (length > 7 && !pci_take_hex(&at, 4, 8, ':', &domain))
        return false;
    short_form = at;
    if (!pci_take_hex(&short_form, 2, 2, ':', &bus) ||
        !pci_take_hex(&short_form, 2, 2, '.', &device) ||
        !pci_take_hex(&short_form, 1, 1, '\0', &function))
        return false;
    snprintf(name, 24, "%04x:%02x:%02x.%x", domain, bus, device, function);
    *rest = span_trimmed((struct span){line.text + length, line.length - length});
    return true;
}

/* Removes the numbers and the revision after the name. */
static struct span cut_name(struct span name)
{
    for (size_t i = 0; i + 1 < name.length; i++) {
        const struct span rest = {name.text + i, name.length - i};
        if (begins(rest, " (rev ") || begins(rest, " (prog-if ") ||
            (begins(rest, " [") && rest.length >= 12 && rest.text[6] == ':' &&
             rest.text[11] == ']'))
            name.length = i;
    }
    return name;
}

/* Reads class and name from "Non-Volatile memory controller [0108]: Example SSD [1234:5678] (rev
   01)". Numbers alone (lspci -n) are no name. */
static void read_head(struct pci_tree *t, struct pci_function *f, struct span head)
{
    struct span name = cut_name(span_trimmed(after(head, ": ")));
    for (size_t i = 0; i < sizeof classes / sizeof *classes && !f->identified; i++)
        if (begins(head, classes[i].words)) {
            f->class = classes[i].class;
            f->is_bridge = f->class >> 8 == 0x0604;
        }
    if (name.length && name.length < 200 && !(name.length == 9 && name.text[4] == ':') &&
        span_is_text(name))
        f->said = pool_copy(&t->strings, name.text, name.length);
}

static void read_line(struct pci_function *f, struct span line)
{
    struct pci_registers *r = &f->registers;
    if (begins(line, "Bus:")) {
        const struct span rest = after(line, "secondary=");
        const char *at = rest.text;
        unsigned secondary;
        if (rest.length > 2 && pci_take_hex(&at, 2, 2, ',', &secondary))
            f->secondary = secondary;
    } else if (begins(line, "Capabilities:") && holds(line, "<access denied>")) {
        r->status = FACT_DENIED;
    } else if (begins(line, "Capabilities:") && holds(line, "Express (v")) {
        r->status = FACT_OK;
        r->role = f->is_bridge ? PCI_ROLE_PORT : PCI_ROLE_CARD;
        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
            if (holds(line, roles[i].words)) {
                r->role = roles[i].role;
                break;
            }
    } else if (begins(line, "LnkCap:")) {
        read_end(line, &r->can);
    } else if (begins(line, "LnkSta:")) {
        read_end(line, &r->runs);
    } else if (begins(line, "LnkCtl2:")) {
        r->target = number_after(line, "Target Link Speed: ");
    } else if (begins(line, "MaxPayload ")) {
        r->payload = (unsigned)number_after(line, "MaxPayload ");
        r->read_request = (unsigned)number_after(line, "MaxReadReq ");
    } else if (begins(line, "DevCap:")) {
        r->payload_capable = (unsigned)number_after(line, "MaxPayload ");
    }
}

/* Returns true for a line of configuration space, such as "40: 10 00 42 01". */
static bool pci_text_line_is_bytes(struct span line)
{
    const char *at = line.text;
    unsigned offset;
    return line.length >= 7 && pci_take_hex(&at, 2, 4, ':', &offset) && *at == ' ' &&
           pci_digit(at[1]) >= 0;
}

/* Adds to the functions of a tree what the lines of `lspci -vv` in the same text say about them. */
static void pci_text_read(struct pci_tree *t, struct span text)
{
    struct pci_function *f = NULL;
    bool has_bytes = false;
    while (text.length) {
        const char *newline = memchr(text.text, '\n', text.length);
        const size_t length = newline ? (size_t)(newline - text.text) : text.length;
        struct span line = {text.text, length}, rest;
        char name[24];
        if (read_address(line, name, &rest)) {
            f = NULL;
            for (size_t i = 0; i < t->count && !f; i++)
                if (!strcmp(t->functions[i].name, name))
                    f = &t->functions[i];
            /* A function whose configuration space was read is already complete: the lines of -vv
               show the same. */
            has_bytes = f && f->identified;
            if (f)
                read_head(t, f, rest);
            if (f && !has_bytes)
                f->from_text = true;
        } else if (f && !has_bytes) {
            read_line(f, span_trimmed(line));
        }
        text.text += length + (newline != NULL);
        text.length -= length + (newline != NULL);
    }
    for (size_t i = 0; i < t->count; i++) {
        struct pci_function *g = &t->functions[i];
        if (!g->from_text)
            continue;
        g->can = g->registers.can;
        g->runs = g->registers.runs;
    }
}

#define DUMP_MAX (64u << 20)

/* ---- content that must not reach libpci's reader ---- */

/* Returns true for a line such as "80000000: 00". For libpci the offset is negative, and it would
   write there. */
static bool has_negative_offset(const char *line, size_t length)
{
    if (length < 9 || line[8] != ':')
        return false;
    for (int i = 0; i < 8; i++)
        if (pci_digit(line[i]) < 0)
            return false;
    return pci_digit(line[0]) >= 8;
}

/* Returns true for a line that begins like "41:00.0 ", "0000:41:00.0 " or "10000:41:00.0 ". */
static bool names_device(const char *line, size_t length)
{
    static const size_t points[] = {5, 10, 11};
    for (int i = 0; i < 3; i++)
        if (length > points[i] && line[points[i]] == '.')
            return true;
    return false;
}

/* The data that a dump has for its devices in addition to their addresses. */
struct contents {
    bool bytes, links, denied;
};

/* Returns NULL when the text is harmless, otherwise the problem; *number is then its line. */
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
    /* Builds the folder that the kernel would have: below that of the bridge, or of a host bridge.
       The bus below a bridge has a higher number than the bridge's own bus, so bridges come
       first. */
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
