/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate in pieces: certificate_page.c decides the contents and their order, and a writer
 * shows them as text or HTML. Strings may hold any characters: the writer makes them harmless.
 */
#ifndef CUPEL_CERTIFICATE_PAGE_INTERNAL_H
#define CUPEL_CERTIFICATE_PAGE_INTERNAL_H

#include "certificate/page/certificate.h"
#include "facts/certificate.h"
#include "report/layout/layout.h"

struct certificate_writer {
    struct text *out;
    void (*verdict)(struct text *out, const char *word, enum tone tone, const char *words);
    void (*heading)(struct text *out, const char *title);
    void (*row)(struct text *out, const char *name, const char *words);
    void (*sentence)(struct text *out, const char *words);
    void (*file)(struct text *out, const struct certificate_file *file);
};

void certificate_write(const struct certificate *c, const struct certificate_writer *w);

/* certificate_machine.c: writes the disks under test, with model, serial number, firmware and link,
   and the machine. */
void certificate_write_disks(const struct result *r, const struct certificate_writer *w);
void certificate_write_machine(const struct inventory *v, const struct certificate_writer *w);

/* certificate_qualification.c: writes its expectations, disks, deviations and origin. */
void certificate_write_qualification(const struct qualification *q,
                                     const struct certificate_writer *w);

/* certificate_rows.c: writes an instant of UTC, in the form of records, as in ISO 8601. */
void certificate_write_date(const char *date, const struct certificate_writer *w);

/* Writes a row with words in printf's format; no row where the words are "". */
void certificate_row(const struct certificate_writer *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
