/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions, labels, and the system call for programs and maps. */
#include "program/observe/tracepoint/internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    emit(a, 0, 0, 0, 0, 0); /* the upper half of the number */
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

static int refused(const char *what, struct err *e)
{
    if (errno == EPERM || errno == EACCES)
        return err_set(e, ERR_MACHINE, "the kernel does not permit %s: %s; " TRACEPOINT_PERMISSION,
                       what, strerror(errno));
    return err_set(e, ERR_MACHINE, "the kernel does not take %s: %s", what, strerror(errno));
}

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof *attr);
}

int bpf_load_program(struct bpf_assembler *a, const char *name, struct err *e)
{
    if (a->failed)
        return err_set(e, ERR_MACHINE, "the program %s is too long", name);
    for (size_t i = 0; i < a->length; i++)
        if (a->jumps_to[i])
            a->code[i].off = (int16_t)((long)a->label[a->jumps_to[i] - 1] - (long)i - 1);
    union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
                           .insn_cnt = (uint32_t)a->length,
                           .insns = (uintptr_t)a->code,
                           .license = (uintptr_t) "GPL"};
    snprintf(attr.prog_name, sizeof attr.prog_name, "%s", name);
    int fd = bpf(BPF_PROG_LOAD, &attr);
    return fd < 0 ? refused("a program that watches system calls", e) : fd;
}

int bpf_make_map(enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries,
                 struct err *e)
{
    union bpf_attr attr = {
        .map_type = type, .key_size = key_bytes, .value_size = value_bytes, .max_entries = entries};
    int fd = bpf(BPF_MAP_CREATE, &attr);
    return fd < 0 ? refused("a table for a program that watches system calls", e) : fd;
}

int bpf_update_map(int map, const void *key, const void *value)
{
    union bpf_attr attr = {
        .map_fd = (uint32_t)map, .key = (uintptr_t)key, .value = (uintptr_t)value};
    return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

int bpf_attach_raw(const char *tracepoint, int program, struct err *e)
{
    union bpf_attr attr = {
        .raw_tracepoint = {.name = (uintptr_t)tracepoint, .prog_fd = (uint32_t)program}};
    int fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
    return fd < 0 ? refused("a watch on system calls", e) : fd;
}
