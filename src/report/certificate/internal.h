/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A certificate in pieces: certificate_page.c says what stands on it and in which order, a writer
 * how text or HTML show it. All strings may hold anything: the writer makes them harmless.
 */
#ifndef CUPEL_REPORT_CERTIFICATE_INTERNAL_H
#define CUPEL_REPORT_CERTIFICATE_INTERNAL_H

#include "facts/certificate.h"
#include "report/certificate/certificate.h"
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

/* certificate_machine.c: the disks under test, with model, serial number, firmware and link, and
   the machine. */
void certificate_write_disks(const struct result *r, const struct certificate_writer *w);
void certificate_write_machine(const struct inventory *v, const struct certificate_writer *w);

/* certificate_qualification.c: its expectations, disks, deviations and origin. */
void certificate_write_qualification(const struct qualification *q,
                                     const struct certificate_writer *w);

/* certificate_rows.c: an instant of UTC, as records have it, in the way of ISO 8601. */
void certificate_write_date(const char *date, const struct certificate_writer *w);

/* A row in printf's words; none where they are "". */
void certificate_row(const struct certificate_writer *w, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
