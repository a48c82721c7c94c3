/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a site expects of a machine, in a plain text file: one file can judge 500 identical servers.
 *
 *   # comment; also after a line and a blank
 *   [machine]
 *   disks = 24                       exactly; also ">= 24"
 *   memory >= 512 GiB                3 % less is enough: firmware and kernel keep some
 *   [disk nvme]                      disks of this kind: nvme, sata, sas, scsi, virtio, usb ...
 *   [disk SAMSUNG MZWLR7T6*]         or whose model matches a shell pattern; [disk]: all
 *   model = SAMSUNG MZWLR7T6*        what each of them must have
 *   count = 12                       how many disks the section is about
 *   link >= 16.0 GT/s x4             neither slower nor narrower
 *   size >= 7 TB                     TB are powers of 1000, TiB of 1024
 *   firmware = EPK9CB5Q
 *   temperature <= 70
 *   percentage used <= 5
 *   read bandwidth >= 6.5 GB/s      warn >= 6.8 GB/s
 *   randread iops >= 900k
 *   randread p99 <= 500us
 *   write bandwidth >= 3 GB/s        counts only when write tests were run
 *
 *   [test randread]                  clauses in the language of --sla, about this test,
 *   p99 < 500us, iops > 200k         judged by the session at its confidence, for all clauses
 *   errors = 0                       of a test together; [test]: of all disks
 *   [test read SAMSUNG*]             a disk's kind or model may follow; [test], [test all nvme]
 *
 * The keys (name, unit, where the value is found) are rows of a table in expectation_keys.c. A line
 * may add "warn >= VALUE": a value between the two limits is a warning. Every line that cannot be
 * read is ERR_USAGE with line and column and what would be right. Lines end with LF or CR LF, and
 * the file may begin with a byte order mark.
 *
 * A disk may belong to several sections. A disk that belongs to none is a warning. A section
 * without any disk is a failure, unless it has a count that permits it; a section without any line
 * is a mistake. A value that is expected but not known is undecided, never a pass; so is the result
 * of a session that was interrupted, failed or reached no steady state. A size of four digits or
 * more may be rounded in its last digit, as reports show it. Checks that are made without any
 * expectation, such as media errors and heat, are replaced by an expectation of the same name,
 * except that of a degraded link.
 */
#ifndef CUPEL_MACHINE_QUALIFY_EXPECTATION_H
#define CUPEL_MACHINE_QUALIFY_EXPECTATION_H

#include "base/err.h"
#include "base/text.h"
#include "facts/qualification.h"

struct expectation; /* a parsed file; free it with expectation_free */

int expectation_parse(struct expectation **x, const char *text, size_t length, const char *name,
                      struct err *e);
int expectation_read(struct expectation **x, const char *path, struct err *e);
void expectation_free(struct expectation *x);

/* Adds the clauses of --sla as one more section, about all tests of all disks. If *x is NULL, an
   expectation is made. `writes`: write tests were requested. Errors: ERR_USAGE; the caller frees *x
   in any case. */
int expectation_add_sla(struct expectation **x, const char *sla, bool writes, struct err *e);

/* Writes all clauses about the test `name` of a disk in the form that a session takes
   ("p99<500us,errors=0"; "" if there are none). ERR_USAGE: sections contradict each other, or their
   clauses are too long together. */
int expectation_clauses(const struct expectation *x, const struct qualification_device *d,
                        const char *name, char *to, size_t size, struct err *e);

/* Judges all devices and the machine, and appends the checks to q. */
void expectation_judge(const struct expectation *x, struct qualification *q);

/* Writes all keys with their units and meanings as lines of comment (`cupel help expect.txt`). */
void expectation_help(struct text *out);

/* Writes an expectation that this machine would pass (`--write-expect`): its limits allow somewhat
   worse values than those found, and than a repetition of its sessions should give. A site makes
   its file this way from a machine that is known to be good. */
void expectation_write(const struct qualification *q, struct text *out);

#endif
