/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs that the kernel runs at sys_enter of io_submit(context, count, requests) and at
   sys_exit of io_getevents(context, min, max, events, timeout) and io_pgetevents, whose first four
   arguments are the same. */
#include "program/observe/tracepoint/internal.h"
#include <linux/aio_abi.h>
#include <stddef.h>
#include <sys/syscall.h>

enum { LABEL_WANTED = LABELS_OF_PARTS, LABEL_NEXT, LABEL_LAST, LABEL_VECTORS };

/* Begins a record. Ends the program in a 32-bit program, for which calls have other numbers. */
static void begin_record(struct bpf_assembler *a, const struct program_places *p, int part)
{
    program_begin_record(a, part);
    program_store(a, BPF_DW, STACK_COUNT, 0);
    bpf_call(a, BPF_FUNC_get_current_task);
    bpf_copy(a, BPF_REG_9, BPF_REG_0);
    program_mark_compat(a, p);
    bpf_load(a, BPF_H, BPF_REG_1, BPF_REG_10, STACK_IN_RECORD(compat));
    bpf_jump_if(a, BPF_JNE, BPF_REG_1, 0, LABEL_END);
}

/* ---- io_submit ---- */

/* Reads the next request of the list: copies its members into the record, and sets r8 to the
   address of its data. */
static void read_request(struct bpf_assembler *a)
{
    static const struct {
        int from, to;
    } members[] = {
        {offsetof(struct iocb, aio_nbytes), STACK_IN_RECORD(arguments[2])},
        /* bytes of data; for vectors, their number */
        {offsetof(struct iocb, aio_nbytes), STACK_VALUE},
        {offsetof(struct iocb, aio_offset), STACK_IN_RECORD(arguments[1])},
    };
    const int scratch = STACK_IN_RECORD(path);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_LIST);
    bpf_read_user(a, STACK_POINTER, sizeof(uint64_t), BPF_REG_8, 0);
    bpf_jump_if(a, BPF_JNE, BPF_REG_0, 0, LABEL_END);
    bpf_add(a, BPF_REG_8, sizeof(uint64_t));
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_LIST, BPF_REG_8);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_POINTER);
    bpf_read_user(a, scratch, sizeof(struct iocb), BPF_REG_8, 0);
    bpf_jump_if(a, BPF_JNE, BPF_REG_0, 0, LABEL_END);
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[0]), BPF_REG_8);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, scratch + members[i].from);
        bpf_store(a, BPF_DW, BPF_REG_10, members[i].to, BPF_REG_1);
    }
    bpf_load(a, BPF_W, BPF_REG_1, BPF_REG_10, scratch + (int)offsetof(struct iocb, aio_fildes));
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[3]), BPF_REG_1);
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_IN_RECORD(arguments[4]), BPF_REG_7);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, scratch + (int)offsetof(struct iocb, aio_buf));
    bpf_load(a, BPF_H, BPF_REG_1, BPF_REG_10, scratch + (int)offsetof(struct iocb, aio_lio_opcode));
    bpf_store(a, BPF_W, BPF_REG_10, STACK_IN_RECORD(number), BPF_REG_1);
    for (size_t i = 0; i < io_submit_count; i++)
        if (io_submit_rows[i].length == IO_LENGTH_VECTORS)
            bpf_jump_if(a, BPF_JEQ, BPF_REG_1, (int32_t)io_submit_rows[i].operation, LABEL_VECTORS);
    bpf_jump(a, LABEL_SIZED);
    bpf_label(a, LABEL_VECTORS);
    program_sum_vectors(a, STACK_VALUE, IO_SUBMIT_VECTORS_MAX, STACK_IN_RECORD(arguments[2]));
}

/* Writes a record for each request. r7 counts them, so that the kernel's check sees that the loop
   ends. */
static void write_submit(struct bpf_assembler *a, const struct program_places *p,
                         const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 8);
    bpf_jump_if(a, BPF_JEQ, BPF_REG_7, SYS_io_submit, LABEL_WANTED);
    bpf_label(a, LABEL_END);
    bpf_exit(a);
    bpf_label(a, LABEL_WANTED);
    program_keep_followed(a, maps, LABEL_END);
    begin_record(a, p, IO_SUBMIT_BEGIN);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 0);
    bpf_read(a, STACK_LENGTH, 8, BPF_REG_7, program_argument_places[1]);
    bpf_read(a, STACK_LIST, 8, BPF_REG_7, program_argument_places[2]);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, STACK_LENGTH);
    bpf_jump_if(a, BPF_JSLE, BPF_REG_1, 0, LABEL_END);
    bpf_set(a, BPF_REG_7, 0);

    bpf_label(a, LABEL_NEXT);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, STACK_LENGTH);
    bpf_jump_if_register(a, BPF_JGE, BPF_REG_7, BPF_REG_1, LABEL_END);
    bpf_jump_if(a, BPF_JGE, BPF_REG_7, IO_SUBMIT_MAX, LABEL_END);
    program_store(a, BPF_H, STACK_IN_RECORD(part), IO_SUBMIT_BEGIN);
    read_request(a);
    bpf_call(a, BPF_FUNC_get_current_task);
    bpf_copy(a, BPF_REG_9, BPF_REG_0);
    program_find_table(a, p);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_IN_RECORD(arguments[3]));
    program_find_file(a);
    program_describe_file(a, p);
    program_write_file(a, p, maps);
    bpf_add(a, BPF_REG_7, 1);
    bpf_jump(a, LABEL_NEXT);
}

/* ---- io_getevents ---- */

#define IN_END(member) (STACK_RECORD + (int)offsetof(struct io_submit_end, member))

static void write_reap(struct bpf_assembler *a, const struct program_places *p,
                       const struct program_maps *maps)
{
    bpf_copy(a, BPF_REG_6, BPF_REG_1);
    bpf_load(a, BPF_DW, BPF_REG_7, BPF_REG_6, 0);
    bpf_read(a, STACK_COUNT, 8, BPF_REG_7, program_number_place);
    bpf_load(a, BPF_W, BPF_REG_1, BPF_REG_10, STACK_COUNT);
    bpf_jump_if(a, BPF_JEQ, BPF_REG_1, SYS_io_getevents, LABEL_WANTED);
    bpf_jump_if(a, BPF_JEQ, BPF_REG_1, SYS_io_pgetevents, LABEL_WANTED);
    bpf_label(a, LABEL_END);
    bpf_exit(a);
    bpf_label(a, LABEL_WANTED);
    program_keep_followed(a, maps, LABEL_END);
    begin_record(a, p, IO_SUBMIT_END);
    /* loads the number of requests that the call returned, or an error */
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_6, 8);
    bpf_jump_if(a, BPF_JSLE, BPF_REG_1, 0, LABEL_END);
    bpf_store(a, BPF_DW, BPF_REG_10, STACK_LENGTH, BPF_REG_1);
    bpf_read(a, STACK_LIST, 8, BPF_REG_7, program_argument_places[3]);
    for (int i = 0; i < IO_SUBMIT_ENDS; i++) {
        program_store(a, BPF_DW, IN_END(ends[i].request), 0);
        program_store(a, BPF_DW, IN_END(ends[i].result), 0);
    }
    bpf_set(a, BPF_REG_7, 0);

    bpf_label(a, LABEL_NEXT);
    bpf_jump_if(a, BPF_JGE, BPF_REG_7, IO_REAP_MAX, LABEL_END);
    for (int i = 0; i < IO_SUBMIT_ENDS; i++) {
        program_store(a, BPF_W, IN_END(count), i);
        bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, STACK_LENGTH);
        bpf_jump_if_register(a, BPF_JGE, BPF_REG_7, BPF_REG_1, LABEL_LAST);
        bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_LIST);
        bpf_read_user(a, IN_END(ends[i]), 16, BPF_REG_8, offsetof(struct io_event, obj));
        bpf_jump_if(a, BPF_JNE, BPF_REG_0, 0, LABEL_LAST);
        bpf_add(a, BPF_REG_8, sizeof(struct io_event));
        bpf_store(a, BPF_DW, BPF_REG_10, STACK_LIST, BPF_REG_8);
        bpf_add(a, BPF_REG_7, 1);
    }
    program_store(a, BPF_W, IN_END(count), IO_SUBMIT_ENDS);
    program_write(a, maps->outputs, sizeof(struct io_submit_end));
    bpf_jump(a, LABEL_NEXT);
    bpf_label(a, LABEL_LAST);
    program_write(a, maps->outputs, sizeof(struct io_submit_end));
    bpf_exit(a);
}

const struct program program_submit = {"sys_enter", "cupel_submit", write_submit};
const struct program program_reap = {"sys_exit", "cupel_reap", write_reap};
