/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes tar archives: one header for each member, and pax records before it where the header
   cannot hold the name. */
#include "hw/capture/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char zeros[TAR_BLOCK];

/* Fills a field with octal digits and ends it with '\0'. */
static void put_number(char *field, size_t size, uint64_t value)
{
    field[--size] = '\0';
    while (size--) {
        field[size] = (char)('0' + (value & 7));
        value >>= 3;
    }
}

/* Writes the name into the header. Returns false if it does not fit: it is then cut. */
static bool put_name(struct tar_header *h, const char *name)
{
    size_t length = strlen(name);
    if (length <= sizeof h->name) {
        memcpy(h->name, name, length);
        return true;
    }
    /* Finds the slash at which the name is split so that both parts fit. */
    const char *slash = strchr(name + length - sizeof h->name - 1, '/');
    if (!slash || !slash[1] || slash == name || (size_t)(slash - name) > sizeof h->prefix) {
        memcpy(h->name, name, sizeof h->name);
        return false;
    }
    memcpy(h->name, slash + 1, strlen(slash + 1));
    memcpy(h->prefix, name, (size_t)(slash - name));
    return true;
}

static void add_padded(struct tar_writer *w, const void *data, size_t length)
{
    text_add_bytes(&w->bytes, data, length);
    text_add_bytes(&w->bytes, zeros, (TAR_BLOCK - length % TAR_BLOCK) % TAR_BLOCK);
}

static void add_header(struct tar_writer *w, struct tar_header *h, char type, unsigned mode,
                       size_t length)
{
    h->type = type;
    put_number(h->mode, sizeof h->mode, mode);
    put_number(h->user, sizeof h->user, 0);
    put_number(h->group, sizeof h->group, 0);
    put_number(h->size, sizeof h->size, length);
    put_number(h->time, sizeof h->time, (uint64_t)w->time);
    memcpy(h->magic, "ustar\00000", sizeof h->magic);
    const unsigned char *bytes = (const unsigned char *)h;
    unsigned sum = 0;
    memset(h->checksum, ' ', sizeof h->checksum);
    for (size_t i = 0; i < sizeof *h; i++)
        sum += bytes[i];
    put_number(h->checksum, sizeof h->checksum - 1, sum);
    text_add_bytes(&w->bytes, (const char *)h, sizeof *h);
}

/* Appends "LENGTH key=value\n", where LENGTH counts its own digits as well. */
static void add_record(struct text *records, const char *key, const char *value)
{
    size_t rest = strlen(key) + strlen(value) + 3, digits = 1;
    for (size_t limit = 10; rest + digits >= limit; limit *= 10)
        digits++;
    text_addf(records, "%zu %s=%s\n", rest + digits, key, value);
}

static void add_pax(struct tar_writer *w, const char *name, const char *target)
{
    struct text records = {0};
    struct tar_header h = {.name = "pax-records"};
    if (name)
        add_record(&records, "path", name);
    if (target)
        add_record(&records, "linkpath", target);
    if (records.failed || !records.data) {
        w->bytes.failed = true;
        return;
    }
    add_header(w, &h, TAR_TYPE_PAX, 0644, records.length);
    add_padded(w, records.data, records.length);
    text_free(&records);
}

static void add_member(struct tar_writer *w, char type, const char *name, const char *target,
                       unsigned mode, size_t length)
{
    struct tar_header h = {0};
    size_t target_length = target ? strlen(target) : 0;
    bool target_fits = target_length <= sizeof h.target;
    bool name_fits = put_name(&h, name);
    if (target)
        memcpy(h.target, target, target_fits ? target_length : sizeof h.target);
    if (!name_fits || !target_fits)
        add_pax(w, name_fits ? NULL : name, target_fits ? NULL : target);
    add_header(w, &h, type, mode, length);
}

void tar_add_folder(struct tar_writer *w, const char *name)
{
    add_member(w, TAR_TYPE_FOLDER, name, NULL, 0755, 0);
}

void tar_add_link(struct tar_writer *w, const char *name, const char *target)
{
    add_member(w, TAR_TYPE_LINK, name, target, 0777, 0);
}

void tar_add_file(struct tar_writer *w, const char *name, unsigned mode, const void *data,
                  size_t length)
{
    add_member(w, TAR_TYPE_FILE, name, NULL, mode, length);
    add_padded(w, data, length);
}

void tar_end(struct tar_writer *w)
{
    text_add_bytes(&w->bytes, zeros, TAR_BLOCK);
    text_add_bytes(&w->bytes, zeros, TAR_BLOCK);
}
