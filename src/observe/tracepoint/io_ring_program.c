/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that the kernel runs at io_uring_submit_req(request) and io_uring_complete(context,
   request, ...): the file is known at the end only, the offset at the begin only. */
#include "observe/tracepoint/internal.h"
#include <stddef.h>

enum { LABEL_WANTED = LABELS_OF_PARTS, LABEL_VECTORS };

/* r7 is the struct io_kiocb: end unless its operation has a row, in a process that is followed.
   Then the record has begun, with the operation and the request. */
static void begin_record(struct bpf_assembler *a, const struct program_places *p,
                         const struct program_maps *maps, int part)
{
    program_store(a, BPF_DW, STACK_COUNT, 0);
    bpf_read(a, STACK_COUNT, 1, BPF_REG_7, p->request_operation);
    bpf_load(a, BPF_W, BPF_REG_8, BPF_REG_10, STACK_COUNT);
    for (size_t i = 0; i < io_ring_count; i++)
        bpf_jump_if(a, BPF_JEQ, BPF_REG_8, io_ring_rows[i].operation, LABEL_WANTED);
    bpf_label(a, LABEL_END);
    bpf_exit(a);
    bpf_label(a, LABEL_WANTED);
    program_keep_followed(a, maps->followed, LABEL_END);
    program_begin_record(a, part);
    bpf_store(a, BPF_W, BPF_REG_10, STACK_IN_RECORD(number), BPF_REG_8);
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[0]), BPF_REG_7);
}

void program_write_ring_begin(struct bpf_assembler *a, const struct program_places *p,
                              const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 0);
    begin_record(a, p, maps, IO_RING_BEGIN);
    for (int i = 2; i < IO_CALL_ARGUMENTS; i++)
        program_store(a, BPF_DW, STACK_IN_RECORD(arguments) + 8 * i, 0);
    const struct program_member transfer[] = {
        {p->request_command + p->transfer_offset, 8, STACK_IN_RECORD(arguments[1])},
        {p->request_command + p->transfer_length, 4, STACK_IN_RECORD(arguments[2])},
        {p->request_command + p->transfer_address, 8, STACK_IN_RECORD(arguments[3])},
    };
    program_read_members(a, BPF_REG_7, transfer, 3);
    for (size_t i = 0; i < io_ring_count; i++)
        if (io_ring_rows[i].length == IO_LENGTH_VECTORS)
            bpf_jump_if(a, BPF_JEQ, BPF_REG_8, io_ring_rows[i].operation, LABEL_VECTORS);
    bpf_jump(a, LABEL_SIZED);
    bpf_label(a, LABEL_VECTORS);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_IN_RECORD(arguments[3]));
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, STACK_IN_RECORD(arguments[2]));
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[3]), BPF_REG_1);
    program_sum_vectors(a, STACK_IN_RECORD(arguments[3]), STACK_IN_RECORD(arguments[2]));
    program_write(a, maps->outputs, IO_RING_BEGIN_BYTES);
    bpf_exit(a);
}

void program_write_ring_end(struct bpf_assembler *a, const struct program_places *p,
                            const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 8);
    begin_record(a, p, maps, IO_RING_END);
    for (int i = 2; i < IO_CALL_ARGUMENTS; i++)
        program_store(a, BPF_DW, STACK_IN_RECORD(arguments) + 8 * i, 0);
    program_store(a, BPF_DW, STACK_IN_RECORD(arguments[1]), 0);
    bpf_read(a, STACK_IN_RECORD(arguments[1]), 4, BPF_REG_7, p->request_result);
    program_follow(a, BPF_REG_9, BPF_REG_7, p->request_file);
    program_describe_file(a, p);
    program_write_file(a, p, maps);
    bpf_exit(a);
}
