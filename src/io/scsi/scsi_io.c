/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests as SCSI commands: builds command descriptor blocks, checks limits, interprets
   results. */
#include "io/scsi/scsi_io.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/scsi/scsi.h"
#include "io/nvme/device_failures.h"
#include "tables/scsi_io_commands.h"

#define FORCE_UNIT_ACCESS 0x08 /* bit of byte 1 (FUA): complete when on the medium */
#define SHORT_ADDRESSES   (UINT64_C(1) << 32)
#define SHORT_BLOCKS      0xffffu
#define SHORT_LENGTH      10
#define LONG_LENGTH       16

/* The data that a command carries. */
enum scsi_form {
    FORM_NONE,      /* SCSI has no such command */
    FORM_DATA,      /* the blocks' data */
    FORM_FORCED,    /* the same, with FUA */
    FORM_BLOCK,     /* one block of zeros, which the disk writes to all blocks */
    FORM_ADDRESSES, /* no data, only addresses: the disk reads its medium */
    FORM_WHOLE,     /* neither data nor addresses: the command concerns the whole disk */
    FORM_RANGES,    /* the addresses, which are sent as a parameter list */
};

static const struct scsi_io_row {
    uint8_t short_form, long_form;
    enum scsi_form form;
} rows[] = {
#define SCSI_IO_ROW(request, short_form, long_form, form, source)                                  \
    [request] = {short_form, long_form, form},
    SCSI_IO_COMMAND_ROWS(SCSI_IO_ROW)
#undef SCSI_IO_ROW
};

/* Always zero; not const, because struct sg_io_hdr has no pointer to constant data. */
static unsigned char zeros[SCSI_BLOCK_MAX];

static enum scsi_form form_of(unsigned request)
{
    return request < sizeof rows / sizeof *rows ? rows[request].form : FORM_NONE;
}

uint64_t scsi_length_max(const struct scsi_unit *u, unsigned request)
{
    switch (form_of(request)) {
    case FORM_DATA:
        return u->transfer_max;
    case FORM_FORCED:
        return u->forced_writes ? u->transfer_max : 0;
    case FORM_BLOCK:
        return (uint64_t)u->write_same_max * u->block_size;
    case FORM_RANGES:
        return (uint64_t)u->unmap_max * u->block_size;
    case FORM_ADDRESSES:
    case FORM_WHOLE:
        return UINT32_MAX;
    case FORM_NONE:
        break;
    }
    return 0;
}

bool scsi_has_command(const struct scsi_unit *u, unsigned request)
{
    return scsi_length_max(u, request) > 0;
}

static bool moves_data(unsigned request)
{
    return form_of(request) == FORM_DATA || form_of(request) == FORM_FORCED;
}

static bool is_sound(const struct scsi_unit *u, const struct io_req *request,
                     const unsigned char *buffer, size_t buffer_size)
{
    const uint64_t size = u->blocks * u->block_size;
    const enum scsi_form form = form_of(request->command);
    if (!u->usable || !scsi_has_command(u, request->command) ||
        (request->command != REQUEST_READ && !u->writable))
        return false;
    if (form == FORM_WHOLE)
        return true;
    return request->length && request->length % u->block_size == 0 &&
           request->offset % u->block_size == 0 && request->offset <= size &&
           request->length <= size - request->offset &&
           request->length <= scsi_length_max(u, request->command) &&
           !(form == FORM_RANGES && request->kind) && /* one range */
           (!moves_data(request->command) || (buffer && request->length <= buffer_size));
}

static void set_data(struct scsi_command *c, int direction, void *data, uint32_t length)
{
    c->header.dxfer_direction = direction;
    c->header.dxferp = data;
    c->header.dxfer_len = length;
}

/* Builds UNMAP, which has its range in a parameter list and not in the command (SBC-3, the UNMAP
   parameter list). */
static void build_unmap(uint64_t address, uint32_t blocks, struct scsi_command *c)
{
    store_be16(c->ranges, SCSI_RANGES_BYTES - 2);
    store_be16(c->ranges + 2, SCSI_RANGES_BYTES - 8);
    store_be32(c->ranges + 8, (uint32_t)(address >> 32));
    store_be32(c->ranges + 12, (uint32_t)address);
    store_be32(c->ranges + 16, blocks);
    store_be16(c->bytes + 7, SCSI_RANGES_BYTES);
    set_data(c, SG_DXFER_TO_DEV, c->ranges, SCSI_RANGES_BYTES);
}

/* Writes the address and the number of blocks, in the shortest form of the command that has room
   for them. */
static void build_range(const struct scsi_io_row *row, uint64_t address, uint32_t blocks,
                        struct scsi_command *c)
{
    if (blocks <= SHORT_BLOCKS && address + blocks <= SHORT_ADDRESSES) {
        store_be32(c->bytes + 2, (uint32_t)address);
        store_be16(c->bytes + 7, (uint16_t)blocks);
        return;
    }
    c->bytes[0] = row->long_form;
    c->header.cmd_len = LONG_LENGTH;
    store_be32(c->bytes + 2, (uint32_t)(address >> 32));
    store_be32(c->bytes + 6, (uint32_t)address);
    store_be32(c->bytes + 10, blocks);
}

int scsi_build(const struct scsi_unit *u, const struct io_req *request, unsigned char *buffer,
               size_t buffer_size, struct scsi_command *c)
{
    if (!is_sound(u, request, buffer, buffer_size))
        return -1;
    const struct scsi_io_row *row = &rows[request->command];
    const uint64_t address = request->offset / u->block_size;
    const uint32_t blocks = request->length / u->block_size;
    *c = (struct scsi_command){.header = {.interface_id = 'S',
                                          .dxfer_direction = SG_DXFER_NONE,
                                          .cmd_len = SHORT_LENGTH,
                                          .mx_sb_len = SCSI_SENSE_BYTES,
                                          .timeout = u->timeout_ms},
                               .bytes = {row->short_form}};
    c->header.cmdp = c->bytes;
    c->header.sbp = c->sense;
    switch (row->form) {
    case FORM_DATA:
    case FORM_FORCED:
        set_data(c, request->command == REQUEST_READ ? SG_DXFER_FROM_DEV : SG_DXFER_TO_DEV, buffer,
                 request->length);
        break;
    case FORM_BLOCK:
        set_data(c, SG_DXFER_TO_DEV, zeros, u->block_size);
        break;
    case FORM_RANGES:
        build_unmap(address, blocks, c);
        return 0;
    case FORM_ADDRESSES:
        break;
    case FORM_WHOLE: /* address 0 with a number of blocks of 0 means the whole disk */
    case FORM_NONE:
        return 0;
    }
    build_range(row, address, blocks, c);
    if (row->form == FORM_FORCED)
        c->bytes[1] = FORCE_UNIT_ACCESS;
    return 0;
}

int scsi_result(const struct sg_io_hdr *header, const struct io_req *request, uint32_t *bytes,
                struct io_statuses *statuses)
{
    const uint32_t failure = scsi_failure_of(header);
    *bytes = 0;
    if (failure) {
        io_statuses_add(statuses, failure);
        return scsi_failure_errno(failure);
    }
    *bytes = request->length;
    if (moves_data(request->command) && header->resid > 0)
        *bytes -=
            (uint32_t)header->resid < request->length ? (uint32_t)header->resid : request->length;
    return 0;
}

int scsi_perform(const struct scsi_unit *u, int fd, const struct io_req *request,
                 unsigned char *buffer, size_t buffer_size, uint32_t *bytes,
                 struct io_statuses *statuses)
{
    struct scsi_command c;
    *bytes = 0;
    if (scsi_build(u, request, buffer, buffer_size, &c))
        return EINVAL;
    if (syscall(SYS_ioctl, fd, SG_IO, &c.header))
        return errno;
    return scsi_result(&c.header, request, bytes, statuses);
}
