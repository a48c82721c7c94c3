/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SCSI commands to a disk of this machine: those of tables/scsi_commands.h and no others. There is
 * no way to send bytes that are not in that table.
 *
 * A struct scsi_disk may be used by one thread at a time. Owner of what scsi_disk_open opened:
 * scsi_disk_close.
 */
#ifndef CUPEL_HW_SCSI_COMMAND_H
#define CUPEL_HW_SCSI_COMMAND_H

#include <scsi/sg.h>
#include <sys/types.h>

#include "base/fact.h"
#include "hw/scsi_sense.h"
#include "tables/scsi_commands.h"

#define SCSI_DATA_MOST  512
#define SCSI_SENSE_MOST 64
/* Long enough for a drive that writes down its attributes first; when it is over the kernel resets
   the link. */
#define SCSI_TIMEOUT_MS 10000

#define SCSI_COMMAND_IDENTIFIER(identifier, ...) identifier,
enum scsi_command { SCSI_COMMAND_ROWS(SCSI_COMMAND_IDENTIFIER) SCSI_COMMANDS };
#undef SCSI_COMMAND_IDENTIFIER

struct scsi_disk {
    /* Hands one command to the disk and waits. 0, or -errno. */
    int (*submit)(const struct scsi_disk *disk, struct sg_io_hdr *command);
    /* What is not FACT_OK is the answer to every command, and nothing is sent: it could not be
       opened, or did not answer in time, or is gone. */
    enum fact_status state;
    int fd;
};

struct scsi_answer {
    struct scsi_sense sense;
    size_t received; /* bytes of data */
    uint8_t data[SCSI_DATA_MOST];
};

/* Opens /dev/NAME ("sda"), which must be the whole disk with that device number, for reading.
   `state` is FACT_DENIED when that is not permitted, FACT_ABSENT when there is none. */
void scsi_disk_open(struct scsi_disk *disk, const char *name, dev_t device);
void scsi_disk_close(struct scsi_disk *disk);

/*
 * Send one command. FACT_OK: it was done, and `answer` holds data and sense, if there is any;
 * FACT_DENIED: not permitted (ATA commands need CAP_SYS_RAWIO); FACT_ABSENT: the disk cannot, or
 * failed, and sense may tell why.
 */
enum fact_status scsi_send(struct scsi_disk *disk, enum scsi_command which,
                           struct scsi_answer *answer);

/* The command in words, as the source of a fact. */
const char *scsi_command_name(enum scsi_command which);

#endif
