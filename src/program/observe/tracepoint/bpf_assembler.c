/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds instructions and labels to a program, and resolves its jumps. */
#include "program/observe/tracepoint/internal.h"

#include <string.h>

void bpf_emit(struct bpf_assembler *a, struct bpf_insn instruction)
{
    if (a->length == BPF_INSTRUCTIONS_MAX)
        a->failed = true;
    else
        a->code[a->length++] = instruction;
}

static void emit(struct bpf_assembler *a, int code, unsigned to, unsigned from, int offset,
                 int32_t value)
{
    bpf_emit(a, (struct bpf_insn){.code = (uint8_t)code,
                                  .dst_reg = to & 15u,
                                  .src_reg = from & 15u,
                                  .off = (int16_t)offset,
                                  .imm = value});
}

void bpf_label(struct bpf_assembler *a, unsigned label)
{
    a->label[label] = a->length;
}

void bpf_set(struct bpf_assembler *a, unsigned to, int32_t value)
{
    emit(a, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, value);
}

void bpf_set_long(struct bpf_assembler *a, unsigned to, uint64_t value)
{
    emit(a, BPF_LD | BPF_DW, to, 0, 0, (int32_t)(uint32_t)value);
    emit(a, 0, 0, 0, 0, (int32_t)(value >> 32));
}

void bpf_copy(struct bpf_assembler *a, unsigned to, unsigned from)
{
    emit(a, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void bpf_add(struct bpf_assembler *a, unsigned to, int32_t value)
{
    emit(a, BPF_ALU64 | BPF_ADD, to, 0, 0, value);
}

void bpf_stack(struct bpf_assembler *a, unsigned to, int place)
{
    bpf_copy(a, to, BPF_REG_10);
    bpf_add(a, to, place);
}

void bpf_map(struct bpf_assembler *a, unsigned to, int map_fd)
{
    emit(a, BPF_LD | BPF_DW, to, BPF_PSEUDO_MAP_FD, 0, map_fd);
    emit(a, 0, 0, 0, 0, 0); /* upper half of the number */
}

void bpf_call(struct bpf_assembler *a, enum bpf_func_id helper)
{
    emit(a, BPF_JMP | BPF_CALL, 0, 0, 0, (int32_t)helper);
}

void bpf_exit(struct bpf_assembler *a)
{
    bpf_set(a, BPF_REG_0, 0);
    emit(a, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void bpf_load(struct bpf_assembler *a, int size, unsigned to, unsigned from, int offset)
{
    emit(a, BPF_LDX | BPF_MEM | size, to, from, offset, 0);
}

void bpf_store(struct bpf_assembler *a, int size, unsigned to, int offset, unsigned from)
{
    emit(a, BPF_STX | BPF_MEM | size, to, from, offset, 0);
}

static void mark_jump(struct bpf_assembler *a, unsigned label)
{
    if (!a->failed)
        a->jumps_to[a->length - 1] = (uint8_t)(label + 1);
}

void bpf_jump_if(struct bpf_assembler *a, int compare, unsigned left, int32_t right, unsigned label)
{
    emit(a, BPF_JMP | compare | BPF_K, left, 0, 0, right);
    mark_jump(a, label);
}

void bpf_jump_if_register(struct bpf_assembler *a, int compare, unsigned left, unsigned right,
                          unsigned label)
{
    emit(a, BPF_JMP | compare | BPF_X, left, right, 0, 0);
    mark_jump(a, label);
}

void bpf_jump(struct bpf_assembler *a, unsigned label)
{
    emit(a, BPF_JMP | BPF_JA, 0, 0, 0, 0);
    mark_jump(a, label);
}

static void read_by(struct bpf_assembler *a, enum bpf_func_id helper, int place, int bytes,
                    unsigned from, long offset)
{
    bpf_copy(a, BPF_REG_3, from);
    if (offset)
        bpf_add(a, BPF_REG_3, (int32_t)offset);
    bpf_stack(a, BPF_REG_1, place);
    bpf_set(a, BPF_REG_2, bytes);
    bpf_call(a, helper);
}

void bpf_read(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset)
{
    read_by(a, BPF_FUNC_probe_read_kernel, place, bytes, from, offset);
}

void bpf_read_user(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset)
{
    read_by(a, BPF_FUNC_probe_read_user, place, bytes, from, offset);
}
