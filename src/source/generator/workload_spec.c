/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of a whole workload: its largest request, its granularity, its operations. */
#include "source/generator/workload_spec.h"

unsigned stream_spec_sizes(const struct stream_spec *stream, unsigned op,
                           const struct size_spec **sizes)
{
    const bool own = op && stream->write_size_count;
    *sizes = own ? stream->write_sizes : stream->sizes;
    return own ? stream->write_size_count : stream->size_count;
}

/* Returns true if any request has the sizes of this operation. Writes have the sizes of reads if no
   sizes are given for writes. */
static bool uses_sizes_of(const struct stream_spec *stream, unsigned op)
{
    if (!stream->write_size_count)
        return !op;
    return op ? stream->write_share > 0 : stream->write_share < 1;
}

static bool step_is_request(const struct step_spec *step)
{
    return step->message_to < 0;
}

uint32_t stream_spec_largest(const struct stream_spec *stream)
{
    uint32_t largest = 0;
    bool sizes_used = stream->kind != STREAM_TRANSACTION;
    for (unsigned i = 0; i < stream->step_count && stream->kind == STREAM_TRANSACTION; i++) {
        const struct step_spec *step = &stream->steps[i];
        if (!step_is_request(step) || step->address.kind == ADDRESS_SAME)
            continue;
        sizes_used = sizes_used || !step->bytes;
        if (step->bytes > largest)
            largest = step->bytes;
    }
    for (unsigned op = 0; op < 2 && sizes_used; op++) {
        const struct size_spec *sizes;
        unsigned count = stream_spec_sizes(stream, op, &sizes);
        for (unsigned i = 0; i < count && uses_sizes_of(stream, op); i++)
            if (sizes[i].bytes > largest)
                largest = sizes[i].bytes;
    }
    return largest;
}

uint32_t workload_spec_largest(const struct workload_spec *spec)
{
    uint32_t largest = 0;
    for (unsigned i = 0; i < spec->stream_count; i++) {
        uint32_t of_stream = stream_spec_largest(&spec->streams[i]);
        if (of_stream > largest)
            largest = of_stream;
    }
    return largest;
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the greatest common divisor of `divisor` (0: none yet) and `bytes`, which may need more
   than 32 bits. */
static uint32_t with_bytes(uint32_t divisor, double bytes)
{
    uint64_t whole = (uint64_t)(bytes < 0 ? -bytes : bytes);
    return common_divisor(divisor, (uint32_t)(divisor ? whole % divisor : whole));
}

static uint32_t with_address(uint32_t divisor, const struct address_spec *address)
{
    if (address->kind == ADDRESS_STRIPS)
        return with_bytes(with_bytes(divisor, address->parameter), address->second);
    return address->kind == ADDRESS_STRIDE ? with_bytes(divisor, address->parameter) : divisor;
}

static uint32_t stream_granularity(const struct stream_spec *stream)
{
    if (stream->kind == STREAM_LOG)
        return stream_spec_log_align(stream);
    uint32_t divisor = stream->align;
    for (unsigned op = 0; op < 2; op++) {
        const struct size_spec *sizes;
        unsigned count = stream_spec_sizes(stream, op, &sizes);
        for (unsigned i = 0; i < count && uses_sizes_of(stream, op); i++)
            divisor = common_divisor(divisor, sizes[i].bytes);
    }
    if (stream->kind != STREAM_TRANSACTION)
        return with_address(divisor, &stream->address);
    for (unsigned i = 0; i < stream->step_count; i++) {
        const struct step_spec *step = &stream->steps[i];
        if (step_is_request(step))
            divisor = with_address(common_divisor(divisor, step->bytes), &step->address);
    }
    return divisor;
}

uint32_t workload_spec_granularity(const struct workload_spec *spec)
{
    uint32_t divisor = 0;
    for (unsigned i = 0; i < spec->stream_count; i++)
        divisor = common_divisor(divisor, stream_granularity(&spec->streams[i]));
    return divisor;
}

unsigned stream_spec_requests(const struct stream_spec *stream)
{
    if (stream->kind != STREAM_TRANSACTION)
        return 1;
    unsigned count = 0;
    for (unsigned i = 0; i < stream->step_count; i++)
        count += step_is_request(&stream->steps[i]);
    return count;
}

bool stream_spec_has(const struct stream_spec *stream, unsigned op)
{
    if (stream->kind == STREAM_LOG)
        return op;
    if (stream->kind != STREAM_TRANSACTION)
        return op ? stream->write_share > 0 : stream->write_share < 1;
    for (unsigned k = 0; k < stream->step_count; k++)
        if (step_is_request(&stream->steps[k]) && stream->steps[k].op == op)
            return true;
    return false;
}

static bool workload_has(const struct workload_spec *spec, unsigned op)
{
    for (unsigned i = 0; i < spec->stream_count; i++)
        if (stream_spec_has(&spec->streams[i], op))
            return true;
    return false;
}

bool workload_spec_writes(const struct workload_spec *spec)
{
    return workload_has(spec, 1);
}

bool workload_spec_reads(const struct workload_spec *spec)
{
    return workload_has(spec, 0);
}
