/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writing programs for the kernel's virtual machine, instruction by instruction (RFC 9669).
 *
 * r1 to r5 are a call's arguments and are lost in it, r0 is its result, r6 to r9 stay, r10 is the
 * end of the stack of 512 bytes, of which places are negative. Jumps go to labels, which are
 * numbers of the caller's choice below BPF_LABELS_MAX. A program that grows too long is `failed`.
 */
#ifndef CUPEL_TRACEPOINT_BPF_ASSEMBLER_H
#define CUPEL_TRACEPOINT_BPF_ASSEMBLER_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BPF_INSTRUCTIONS_MAX 1024
#define BPF_LABELS_MAX       16

struct bpf_assembler {
    struct bpf_insn code[BPF_INSTRUCTIONS_MAX];
    size_t length;
    size_t label[BPF_LABELS_MAX];           /* the instruction it stands before */
    uint8_t jumps_to[BPF_INSTRUCTIONS_MAX]; /* label + 1; 0: no jump */
    bool failed;
};

void bpf_emit(struct bpf_assembler *a, struct bpf_insn instruction);
void bpf_label(struct bpf_assembler *a, unsigned label);

void bpf_set(struct bpf_assembler *a, unsigned to, int32_t value);  /* to = value */
void bpf_copy(struct bpf_assembler *a, unsigned to, unsigned from); /* to = from */
void bpf_add(struct bpf_assembler *a, unsigned to, int32_t value);  /* to += value */
void bpf_stack(struct bpf_assembler *a, unsigned to, int place);    /* to = r10 + place */
void bpf_map(struct bpf_assembler *a, unsigned to, int map_fd);     /* to = the map */
void bpf_call(struct bpf_assembler *a, enum bpf_func_id helper);
void bpf_exit(struct bpf_assembler *a); /* return 0 */

/* to = the `size` bytes (BPF_H, BPF_W, BPF_DW) at from + offset, and the other way. */
void bpf_load(struct bpf_assembler *a, int size, unsigned to, unsigned from, int offset);
void bpf_store(struct bpf_assembler *a, int size, unsigned to, int offset, unsigned from);

/* Jump when `left` compares so (BPF_JEQ, BPF_JGE ...) with a number or a register. */
void bpf_jump_if(struct bpf_assembler *a, int compare, unsigned left, int32_t right,
                 unsigned label);
void bpf_jump_if_register(struct bpf_assembler *a, int compare, unsigned left, unsigned right,
                          unsigned label);
void bpf_jump(struct bpf_assembler *a, unsigned label);

/* Kernel memory at from + offset to the stack; what cannot be read becomes zeros. r0 to r5 are
   lost. */
void bpf_read(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* The same of the program's own memory; r0 is not 0 when it could not be read. */
void bpf_read_user(struct bpf_assembler *a, int place, int bytes, unsigned from, long offset);

/* Resolve the jumps and hand the program to the kernel: its descriptor, or -1 with ERR_MACHINE. */
int bpf_load_program(struct bpf_assembler *a, const char *name, struct err *e);

/* Maps: descriptors, or -1 with ERR_MACHINE; and their elements: -1 with errno. */
int bpf_make_map(enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries,
                 struct err *e);
int bpf_update_map(int map, const void *key, const void *value);

/* Run the program at a tracepoint until the descriptor that is returned is closed. */
int bpf_attach_raw(const char *tracepoint, int program, struct err *e);

#endif
