/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests as NVMe commands that read, write and deallocate: splits requests, checks limits, adds
   protection information, interprets results. */
#include "io/nvme/nvme_io.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/nvme/device_failures.h"
#include "tables/nvme_io_commands.h"

/* Bits of command dword 12. */
#define FORCE_UNIT_ACCESS    (1u << 30) /* the command completes when the data are on the medium */
#define PROTECTION_ACTION    (1u << 29) /* the controller adds and strips protection information */
#define PROTECTION_GUARD     (1u << 28)
#define PROTECTION_REFERENCE (1u << 26)
#define PROTECTION_ALL       (PROTECTION_ACTION | PROTECTION_GUARD | PROTECTION_REFERENCE)

#define NVME_IO_OPCODE(identifier, opcode, ...) identifier = (opcode),
enum nvme_io_opcode { NVME_IO_COMMAND_ROWS(NVME_IO_OPCODE) };
#undef NVME_IO_OPCODE

/* The NVMe command of each kind of request. A durable write is a Write with one more bit. */
static const struct nvme_io_row {
    uint8_t opcode;
    bool known;
    uint16_t optional;
    uint32_t protection;
} rows[] = {
#define NVME_IO_ROW(identifier, opcode, request, optional, protection, source)                     \
    [request] = {opcode, true, optional, protection},
    NVME_IO_COMMAND_ROWS(NVME_IO_ROW)
#undef NVME_IO_ROW
};

/* Returns NULL if NVMe has no command for the request. */
static const struct nvme_io_row *row_of(unsigned command)
{
    if (command == REQUEST_WRITE_DURABLE)
        command = REQUEST_WRITE;
    return command < sizeof rows / sizeof *rows && rows[command].known ? &rows[command] : NULL;
}

/* Dataset Management: the bit of command dword 11 for a trim, and the format of a range. */
#define DEALLOCATE (1u << 2)
struct dataset_range {
    uint32_t attributes, blocks;
    uint64_t lba;
};
_Static_assert(sizeof(struct dataset_range) * IO_RANGES_MAX <= IO_RANGES_AT, "ranges have room");

#define ABORTED_BY_HOST 0x371

/* The offsets of a request's parts are multiples of this number, the size of a page. */
#define PART_UNIT 4096u

int nvme_send(void *context, struct nvme_passthru_cmd64 *command)
{
#define NVME_IO_OPCODE(identifier, number, ...) (number),
    static const uint8_t opcodes[] = {NVME_IO_COMMAND_ROWS(NVME_IO_OPCODE)};
#undef NVME_IO_OPCODE
    struct nvme_device *device = context;
    if (!memchr(opcodes, command->opcode, sizeof opcodes))
        return -EPERM;
    long status =
        device->old_kernel ? -1 : syscall(SYS_ioctl, device->fd, NVME_IOCTL_IO64_CMD, command);
    if (status < 0 && (device->old_kernel || errno == ENOTTY)) {
        /* Kernels before 5.5 answer the 64-bit form of the command with ENOTTY: send the older
           form. */
        struct nvme_passthru_cmd old;
        /* both structs are equal up to this member */
        memcpy(&old, command, offsetof(struct nvme_passthru_cmd, result));
        old.result = 0;
        device->old_kernel = true;
        status = syscall(SYS_ioctl, device->fd, NVME_IOCTL_IO_CMD, &old);
    }
    return status < 0 ? -errno : (int)status;
}

/* Returns the size of all parts of a request but the last. */
static uint32_t part_size(const struct nvme_namespace *n, uint32_t length)
{
    if (length <= n->transfer_max)
        return length;
    uint32_t parts = (length - 1) / n->transfer_max + 1, even = (length - 1) / parts + 1;
    uint32_t unit = n->block_size;
    if (unit < PART_UNIT && n->transfer_max % PART_UNIT == 0)
        unit = PART_UNIT;
    uint64_t size = ((uint64_t)even + unit - 1) / unit * unit;
    return size < n->transfer_max ? (uint32_t)size : n->transfer_max;
}

bool nvme_has_command(const struct nvme_namespace *n, unsigned command)
{
    const struct nvme_io_row *row = row_of(command);
    return row && (n->optional & row->optional) == row->optional;
}

unsigned nvme_parts(const struct nvme_namespace *n, unsigned op, uint32_t length)
{
    if (op == REQUEST_TRIM || op == REQUEST_FLUSH)
        return 1;
    return length ? (length - 1) / part_size(n, length) + 1 : 0;
}

uint32_t nvme_part_bytes(const struct nvme_namespace *n, uint32_t length, unsigned part)
{
    uint64_t size = part_size(n, length), begin = part * size;
    if (begin >= length)
        return 0;
    uint64_t rest = length - begin;
    return (uint32_t)(rest < size ? rest : size);
}

size_t nvme_metadata_bytes(const struct nvme_namespace *n, size_t length)
{
    return n->protection ? 0 : length / n->block_size * n->metadata_size;
}

static bool moves_data(unsigned op)
{
    return op == REQUEST_READ || request_sends_data(op);
}

static bool is_sound(const struct nvme_namespace *n, const struct io_req *request,
                     const unsigned char *buffer, size_t buffer_size, const unsigned char *metadata)
{
    const uint64_t size = n->blocks * n->block_size;
    const bool has_room = buffer && request->length <= buffer_size &&
                          (metadata || !nvme_metadata_bytes(n, request->length));
    return n->usable && request->length && request->length % n->block_size == 0 &&
           request->offset % n->block_size == 0 && request->offset <= size &&
           request->length <= size - request->offset &&
           (has_room || !moves_data(request->command)) &&
           (request->command == REQUEST_READ ||
            (request_operation(request->command) == REQUEST_WRITE &&
             nvme_has_command(n, request->command) && n->writable));
}

/* Adds the same protection as the block layer, so that both can read each other's data: the guard
   is checked, and, in the types that have it, the reference tag, which is the low half of the LBA.
   Write Zeroes has nothing to check, and Verify has nothing to add or strip. */
static void add_protection(const struct nvme_namespace *n, unsigned op, uint64_t lba,
                           struct nvme_passthru_cmd64 *command)
{
    uint32_t bits = row_of(op)->protection;
    if (!n->protection || !bits)
        return;
    if (n->protection == 3)
        bits &= ~PROTECTION_REFERENCE;
    else
        command->cdw14 = (uint32_t)lba;
    command->cdw12 |= bits;
}

static bool range_is_sound(const struct nvme_namespace *n, const struct io_range *range)
{
    const uint64_t size = n->blocks * n->block_size;
    return range->length && range->length % n->block_size == 0 &&
           range->offset % n->block_size == 0 && range->offset <= size &&
           range->length <= size - range->offset && range->length / n->block_size <= UINT32_MAX;
}

/* Copies the ranges, in the device's format, to the beginning of the buffer. The ranges that the
   worker left in the buffer stay as they are, so the command may be built again. */
static int build_trim(const struct nvme_namespace *n, const struct io_req *request,
                      unsigned char *buffer, size_t buffer_size,
                      struct nvme_passthru_cmd64 *command)
{
    const unsigned ranges = request->kind + 1u;
    const struct io_range alone = {request->offset, request->length};
    struct dataset_range *to = (struct dataset_range *)buffer;
    const struct io_range *from = &alone;
    if (ranges > 1)
        from = (const struct io_range *)(buffer + IO_RANGES_AT);
    if (!n->usable || !n->writable || !nvme_has_command(n, REQUEST_TRIM) || !buffer ||
        buffer_size < (ranges > 1 ? 2 * IO_RANGES_AT : sizeof *to))
        return -1;
    for (unsigned i = 0; i < ranges; i++) {
        if (!range_is_sound(n, &from[i]))
            return -1;
        to[i] = (struct dataset_range){.blocks = (uint32_t)(from[i].length / n->block_size),
                                       .lba = from[i].offset / n->block_size};
    }
    *command = (struct nvme_passthru_cmd64){.opcode = NVME_IO_DATASET,
                                            .nsid = n->nsid,
                                            .addr = (uintptr_t)buffer,
                                            .data_len = ranges * (uint32_t)sizeof *to,
                                            .cdw10 = ranges - 1,
                                            .cdw11 = DEALLOCATE};
    return 0;
}

int nvme_build(const struct nvme_namespace *n, const struct io_req *request, unsigned part,
               unsigned char *buffer, size_t buffer_size, unsigned char *metadata,
               struct nvme_passthru_cmd64 *command)
{
    if (request->command == REQUEST_FLUSH) {
        nvme_build_flush(n, command);
        return n->usable && n->writable && part == 0 ? 0 : -1;
    }
    if (request->command == REQUEST_TRIM)
        return part ? -1 : build_trim(n, request, buffer, buffer_size, command);
    if (!is_sound(n, request, buffer, buffer_size, metadata))
        return -1;
    uint32_t length = nvme_part_bytes(n, request->length, part);
    if (!length)
        return -1;
    size_t begin = (size_t)part * part_size(n, request->length);
    size_t beside = nvme_metadata_bytes(n, length);
    uint64_t lba = (request->offset + begin) / n->block_size;
    const bool moves = moves_data(request->command);
    *command = (struct nvme_passthru_cmd64){
        .opcode = row_of(request->command)->opcode,
        .nsid = n->nsid,
        .addr = moves ? (uintptr_t)(buffer + begin) : 0,
        .data_len = moves ? length : 0,
        .cdw10 = (uint32_t)lba,
        .cdw11 = (uint32_t)(lba >> 32),
        .cdw12 = length / n->block_size - 1,
    };
    if (request->command == REQUEST_WRITE_DURABLE)
        command->cdw12 |= FORCE_UNIT_ACCESS;
    if (beside && moves) {
        command->metadata = (uintptr_t)(metadata + nvme_metadata_bytes(n, begin));
        command->metadata_len = (uint32_t)beside;
    }
    add_protection(n, request->command, lba, command);
    return 0;
}

void nvme_build_flush(const struct nvme_namespace *n, struct nvme_passthru_cmd64 *command)
{
    *command = (struct nvme_passthru_cmd64){.opcode = NVME_IO_FLUSH, .nsid = n->nsid};
}

void nvme_flush(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                struct io_backend *b)
{
    if (n->write_cache == NVME_CACHE_ABSENT || n->write_cache == NVME_CACHE_OFF)
        return;
    struct nvme_passthru_cmd64 command;
    nvme_build_flush(n, &command);
    int status = nvme_status_of(send(context, &command));
    if (status > 0)
        io_statuses_add(&b->statuses, (uint16_t)status);
    b->flush = (struct io_flush){.needed = true, .error = nvme_errno(status)};
}

int nvme_status_of(int result)
{
    return result == -EINTR ? ABORTED_BY_HOST : result;
}

int nvme_errno(int status)
{
    return status < 0 ? -status : nvme_status_errno((uint16_t)status);
}

const char *nvme_refusal_words(int error)
{
    return error == EINVAL || error == EAGAIN
               ? "no path to the namespace, or the kernel did not take the command"
               : NULL;
}

int nvme_perform(const struct nvme_namespace *n, nvme_send_function *send, void *context,
                 const struct io_req *request, unsigned char *buffer, size_t buffer_size,
                 unsigned char *metadata, struct io_statuses *statuses)
{
    unsigned part = 0;
    do {
        struct nvme_passthru_cmd64 command;
        if (nvme_build(n, request, part, buffer, buffer_size, metadata, &command))
            return EINVAL;
        int status = nvme_status_of(send(context, &command));
        if (status > 0)
            io_statuses_add(statuses, (uint16_t)status);
        if (status)
            return nvme_errno(status);
    } while (++part < nvme_parts(n, request->command, request->length));
    return 0;
}
