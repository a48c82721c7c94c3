/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NVMe admin commands to a controller of this machine: only those of tables/nvme_commands.h. An
 * opcode that is not in that table cannot be sent, and commands that destroy data need a struct
 * nvme_admin from nvme_purge_attach.
 *
 * A struct nvme_admin may be used by one thread at a time. Who calls nvme_admin_open also calls
 * nvme_admin_close.
 */
#ifndef CUPEL_BASE_NVME_NVME_H
#define CUPEL_BASE_NVME_NVME_H

#include <linux/nvme_ioctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/inventory.h"
#include "tables/nvme_commands.h"

#define NVME_IDENTIFY_BYTES 4096
#define NVME_HEALTH_BYTES   512

enum nvme_scope {
    NVME_SCOPE_NONE, /* no namespace */
    NVME_SCOPE_ONE,  /* one namespace, which the caller chooses */
    NVME_SCOPE_ALL,  /* all namespaces: the controller as a whole */
};

#define NVME_COMMAND_IDENTIFIER(identifier, ...) identifier,
enum nvme_command { NVME_COMMAND_ROWS(NVME_COMMAND_IDENTIFIER) NVME_COMMANDS };
#undef NVME_COMMAND_IDENTIFIER

struct nvme_admin {
    /* Sends one command to the controller and waits for its end. Returns 0, a positive NVMe status,
       or -errno. */
    int (*submit)(const struct nvme_admin *admin, struct nvme_passthru_cmd *command);
    /* status of the open; unless it is FACT_OK, every command returns it without being sent */
    enum fact_status opened;
    int fd;
};

/* Opens /dev/CONTROLLER ("nvme0") for reading. admin->opened becomes FACT_DENIED if that is not
   permitted, and FACT_ABSENT if there is no such controller. */
void nvme_admin_open(struct nvme_admin *admin, const char *controller);
void nvme_admin_close(struct nvme_admin *admin);

/* Like nvme_admin_open, but uses an open descriptor of a controller or a namespace. The caller
   remains the owner of the descriptor; nvme_admin_close need not be called. */
void nvme_admin_attach(struct nvme_admin *admin, int fd);

/*
 * Sends one command. `length` must be exactly the length in the table, and `data` must have as many
 * bytes: the controller writes all of it. `nsid` is the namespace (1 or more) for a command with
 * NVME_SCOPE_ONE, else 0. `result` (may be NULL) becomes dword 0 of the completion. Returns FACT_OK
 * after success. FACT_DENIED: not permitted; FACT_ABSENT: the controller does not support the
 * command, or it failed; FACT_INVALID: the length or the namespace is wrong and nothing was sent.
 */
enum fact_status nvme_admin_send(const struct nvme_admin *admin, enum nvme_command which,
                                 uint32_t nsid, void *data, size_t length, uint32_t *result);

/* For a command that returned no data: adds to the inventory one fact without a value, with that
   status, for each key that the command would fill. */
void nvme_admin_add_missing(struct inventory *v, int node, enum nvme_command which,
                            enum fact_status status);

/* ---- nvme_purge_command.c ---- */

#define NVME_PURGE_IDENTIFIER(identifier, ...) identifier,
enum nvme_purge { NVME_PURGE_ROWS(NVME_PURGE_IDENTIFIER) NVME_PURGES };
#undef NVME_PURGE_IDENTIFIER

/* Like nvme_admin_attach, but with this struct only the commands that destroy data can be sent. */
void nvme_purge_attach(struct nvme_admin *admin, int fd);

/*
 * Sends a command that destroys data. `bits` are the bits of cdw10 that the caller chooses. The
 * command may take hours. Returns 0, a positive NVMe status, or -errno; -EINVAL: the bits or the
 * namespace are wrong, and nothing was sent.
 */
int nvme_purge_send(const struct nvme_admin *admin, enum nvme_purge which, uint32_t nsid,
                    uint32_t bits);

/*
 * NVMe status codes in words, from tables/nvme_status.h.
 *
 * A status is the number that passthrough returns: bits 7:0 the code, 10:8 its type, 12:11 the
 * retry delay, 13 "more", 14 "do not retry" (the completion's status field without the phase bit).
 * Codes that have no row are described by their type. Pure; any thread.
 */

/* The bits of a status that identify a kind of failure: type, code, and "do not retry". */
#define NVME_STATUS_KIND         0x47ffu
#define NVME_STATUS_DO_NOT_RETRY 0x4000u

enum nvme_status_class {
    NVME_STATUS_MEDIA,   /* error of the medium, or of the data on it */
    NVME_STATUS_ABORTED, /* the command was aborted before its end */
    NVME_STATUS_PATH,    /* error of the path to the device */
    NVME_STATUS_COMMAND, /* the command does not fit the device or its state */
    NVME_STATUS_OTHER,   /* error of the device itself, or an unknown one */
    NVME_STATUS_CLASSES
};

/* Returns the name, such as "Unrecovered Read Error"; for a code without a row "Vendor Specific
   Status" or "Unknown Status". */
const char *nvme_status_name(uint16_t status);

/* Returns the name of the status's type, such as "media and data integrity". */
const char *nvme_status_type(uint16_t status);

enum nvme_status_class nvme_status_class(uint16_t status);

/* Returns "media errors", "aborted commands", "path errors", "refused commands" or "other
   errors". */
const char *nvme_status_class_name(enum nvme_status_class which);

/* Returns the errno to which the kernel's block layer turns the status; 0 for success. */
int nvme_status_errno(uint16_t status);

/* Writes the status to `to`, as in "Unrecovered Read Error (media and data integrity, 2h/81h), do
   not retry". 120 bytes suffice. Returns `to`. */
char *nvme_status_words(uint16_t status, char *to, size_t size);

#endif
