/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembles the programs that the kernel runs at sys_enter(registers, number), sys_exit(registers,
   result) and sched_process_fork(parent, child). */
#include "program/observe/tracepoint/internal.h"
#include <stddef.h>

enum { LABEL_WANTED = LABELS_OF_PARTS, LABEL_DESCRIBE, LABEL_STRANGER, LABEL_VECTORS };

/* Needs the call's number in r7. Ends the program unless that number has a row. */
static void keep_known_calls(struct bpf_assembler *a)
{
    for (size_t i = 0; i < io_call_count; i++)
        bpf_jump_if(a, BPF_JEQ, BPF_REG_7, io_call_rows[i].number, LABEL_WANTED);
    bpf_label(a, LABEL_END);
    bpf_exit(a);
    bpf_label(a, LABEL_WANTED);
}

static void load_argument(struct bpf_assembler *a, unsigned to, int argument)
{
    bpf_load(a, BPF_DW, to, BPF_REG_10, STACK_IN_RECORD(arguments) + 8 * argument);
}

/* Writes number, arguments, the program's kind, and the process's table of files into the record.
   Needs the number in r7. */
static void begin_call_record(struct bpf_assembler *a, const struct program_places *p)
{
    program_begin_record(a, 0);
    program_store(a, BPF_DW, STACK_PASS, 0);
    bpf_store(a, BPF_W, BPF_REG_10, STACK_IN_RECORD(number), BPF_REG_7);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_6, 0);
    /* the places of the arguments in struct pt_regs, to which r8 points */
    struct program_member arguments[IO_CALL_ARGUMENTS];
    for (int i = 0; i < IO_CALL_ARGUMENTS; i++)
        arguments[i] = (struct program_member){program_argument_places[i], 8,
                                               STACK_IN_RECORD(arguments) + 8 * i};
    program_read_members(a, BPF_REG_8, arguments, IO_CALL_ARGUMENTS);

    /* For a call with vectors, argument 1 becomes the number of requested bytes. */
    for (size_t i = 0; i < io_call_count; i++)
        if (io_call_rows[i].length == IO_LENGTH_VECTORS)
            bpf_jump_if(a, BPF_JEQ, BPF_REG_7, io_call_rows[i].number, LABEL_VECTORS);
    bpf_jump(a, LABEL_SIZED);
    bpf_label(a, LABEL_VECTORS);
    load_argument(a, BPF_REG_8, 1);
    program_sum_vectors(a, STACK_IN_RECORD(arguments[2]), IO_CALL_VECTORS_MAX,
                        STACK_IN_RECORD(arguments[1]));

    bpf_call(a, BPF_FUNC_get_current_task);
    bpf_copy(a, BPF_REG_9, BPF_REG_0);
    program_mark_compat(a, p);
    program_find_table(a, p);
}

/* Sets r8 to the descriptor of the call's first file. For nearly all calls that is the first
   argument. */
static void choose_first_file(struct bpf_assembler *a)
{
    for (int argument = IO_CALL_ARGUMENTS - 1; argument > 0; argument--) {
        load_argument(a, BPF_REG_8, argument);
        for (size_t i = 0; i < io_call_count; i++)
            if (io_call_rows[i].read_file == argument)
                bpf_jump_if(a, BPF_JEQ, BPF_REG_7, io_call_rows[i].number, LABEL_DESCRIBE);
    }
    load_argument(a, BPF_REG_8, 0);
    bpf_label(a, LABEL_DESCRIBE);
}

/* Continues after the first file: sets r8 to the descriptor of the second file, if the call has
   one. STACK_PASS holds the record's part, in a form that the kernel's check of programs can
   follow. */
static void choose_second_file(struct bpf_assembler *a)
{
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, STACK_PASS);
    bpf_jump_if(a, BPF_JNE, BPF_REG_1, 0, LABEL_END);
    program_store(a, BPF_DW, STACK_PASS, 1);
    program_store(a, BPF_H, STACK_IN_RECORD(part), 1);
    for (int argument = 0; argument < IO_CALL_ARGUMENTS; argument++) {
        load_argument(a, BPF_REG_8, argument);
        for (size_t i = 0; i < io_call_count; i++)
            if (io_call_rows[i].kind == IO_CALL_MOVE && io_call_rows[i].write_file == argument)
                bpf_jump_if(a, BPF_JEQ, BPF_REG_7, io_call_rows[i].number, LABEL_DESCRIBE);
    }
    bpf_exit(a);
}

static void write_call_begin(struct bpf_assembler *a, const struct program_places *p,
                             const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 8);
    keep_known_calls(a);
    program_keep_followed(a, maps, LABEL_END);
    begin_call_record(a, p);
    choose_first_file(a);
    program_find_file(a);
    program_describe_file(a, p);
    program_write_file(a, p, maps);
    choose_second_file(a);
}

static void write_call_end(struct bpf_assembler *a, const struct program_places *p,
                           const struct program_maps *maps)
{
    (void)p;
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 0);
    bpf_read(a, STACK_COUNT, 8, BPF_REG_7, program_number_place);
    bpf_load(a, BPF_W, BPF_REG_7, BPF_REG_10, STACK_COUNT);
    keep_known_calls(a);
    program_keep_followed(a, maps, LABEL_END);
    const int result = STACK_RECORD + (int)offsetof(struct io_call_end, result);
    program_store(a, BPF_H, STACK_IN_RECORD(mark), TRACEPOINT_OUTPUT_MARK);
    program_store(a, BPF_H, STACK_IN_RECORD(part), IO_CALL_END);
    bpf_store(a, BPF_W, BPF_REG_10, STACK_IN_RECORD(number), BPF_REG_7);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_6, 8);
    bpf_store(a, BPF_DW, BPF_REG_10, result, BPF_REG_1);
    program_write(a, maps->outputs, sizeof(struct io_call_end));
    bpf_exit(a);
}

static void write_fork(struct bpf_assembler *a, const struct program_places *p,
                       const struct program_maps *maps)
{
    bpf_load(a, BPF_DW, BPF_REG_6, BPF_REG_1, 8);
    program_keep_followed(a, maps, LABEL_STRANGER);
    bpf_read(a, STACK_KEY, 4, BPF_REG_6, p->task_tgid);
    program_store(a, BPF_DW, STACK_VALUE, 1);
    bpf_map(a, BPF_REG_1, maps->followed);
    bpf_stack(a, BPF_REG_2, STACK_KEY);
    bpf_stack(a, BPF_REG_3, STACK_VALUE);
    bpf_set(a, BPF_REG_4, BPF_ANY);
    bpf_call(a, BPF_FUNC_map_update_elem);
    bpf_exit(a);

    /* The child of a process that is not followed may have the number of a followed process that
       has ended. */
    bpf_label(a, LABEL_STRANGER);
    bpf_read(a, STACK_KEY, 4, BPF_REG_6, p->task_tgid);
    bpf_map(a, BPF_REG_1, maps->followed);
    bpf_stack(a, BPF_REG_2, STACK_KEY);
    bpf_call(a, BPF_FUNC_map_delete_elem);
    bpf_exit(a);
}

/* ---- io_uring_submit_req(request) and io_uring_complete(context, request, ...) ---- */

/* The file is known only when the request ends, the offset only when it begins. */

/* Begins the record, with the operation and the request of the struct io_kiocb in r7. Ends the
   program unless the operation has a row and its process is followed. */
static void begin_ring_record(struct bpf_assembler *a, const struct program_places *p,
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
    program_keep_followed(a, maps, LABEL_END);
    program_begin_record(a, part);
    bpf_store(a, BPF_W, BPF_REG_10, STACK_IN_RECORD(number), BPF_REG_8);
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[0]), BPF_REG_7);
}

static void write_ring_begin(struct bpf_assembler *a, const struct program_places *p,
                             const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 0);
    begin_ring_record(a, p, maps, IO_RING_BEGIN);
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
    program_sum_vectors(a, STACK_IN_RECORD(arguments[3]), IO_CALL_VECTORS_MAX,
                        STACK_IN_RECORD(arguments[2]));
    program_write(a, maps->outputs, IO_RING_BEGIN_BYTES);
    bpf_exit(a);
}

static void write_ring_end(struct bpf_assembler *a, const struct program_places *p,
                           const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 8);
    begin_ring_record(a, p, maps, IO_RING_END);
    for (int i = 2; i < IO_CALL_ARGUMENTS; i++)
        program_store(a, BPF_DW, STACK_IN_RECORD(arguments) + 8 * i, 0);
    program_store(a, BPF_DW, STACK_IN_RECORD(arguments[1]), 0);
    bpf_read(a, STACK_IN_RECORD(arguments[1]), 4, BPF_REG_7, p->request_result);
    program_follow(a, BPF_REG_9, BPF_REG_7, p->request_file);
    program_describe_file(a, p);
    program_write_file(a, p, maps);
    bpf_exit(a);
}

const struct program program_call_begin = {"sys_enter", "cupel_begin", write_call_begin};
const struct program program_call_end = {"sys_exit", "cupel_end", write_call_end};
const struct program program_fork = {"sched_process_fork", "cupel_fork", write_fork};
const struct program program_ring_begin = {"io_uring_submit_req", "cupel_ring_beg",
                                           write_ring_begin};
const struct program program_ring_end = {"io_uring_complete", "cupel_ring_end", write_ring_end};
