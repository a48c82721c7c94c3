/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembles the parts that several kernel programs have in common. */
#include "program/observe/tracepoint/internal.h"

#include <stddef.h>
#include <string.h>
#include <sys/uio.h>

/* Offsets of a system call's arguments and number in struct pt_regs (asm/ptrace.h), and the bit
   that marks a 32-bit program in the member of struct task_struct that io_call.c names. */
#if defined(__x86_64__)
/* offsets of rdi, rsi, rdx, r10, r8 */
const int program_argument_places[IO_CALL_ARGUMENTS] = {14 * 8, 13 * 8, 12 * 8, 7 * 8, 9 * 8};
const int program_number_place = 15 * 8; /* orig_rax */
static const int status_mask = 2;        /* TS_COMPAT */
#elif defined(__aarch64__)
const int program_argument_places[IO_CALL_ARGUMENTS] = {0, 8, 16, 24, 32}; /* x0 to x4 */
const int program_number_place = 36 * 8; /* syscallno, after orig_x0 */
static const int status_mask = 1 << 22;  /* TIF_32BIT */
#else
#error "where are the arguments of a system call?"
#endif

/* Length of a record without the path, for a file whose path was written before. */
enum { SHORT_BYTES = offsetof(struct io_call_begin, path) };

#define RECORD_MEMBER(member)                                                                      \
    (int)sizeof(((struct io_call_begin *)0)->member), STACK_IN_RECORD(member)

void program_store(struct bpf_assembler *a, int size, int place, int32_t value)
{
    bpf_set(a, BPF_REG_0, value);
    bpf_store(a, size, BPF_REG_10, place, BPF_REG_0);
}

void program_follow(struct bpf_assembler *a, unsigned to, unsigned from, long offset)
{
    bpf_read(a, STACK_POINTER, 8, from, offset);
    bpf_load(a, BPF_DW, to, BPF_REG_10, STACK_POINTER);
}

void program_read_members(struct bpf_assembler *a, unsigned from,
                          const struct program_member members[], size_t count)
{
    const long max = IO_CALL_PATH_PARTS * IO_CALL_PART_BYTES;
    long begin = members[0].offset, end = 0;
    for (size_t i = 0; i < count; i++) {
        begin = members[i].offset < begin ? members[i].offset : begin;
        end =
            members[i].offset + members[i].bytes > end ? members[i].offset + members[i].bytes : end;
    }
    begin &= ~7L; /* a multiple of 8 keeps the struct on the stack aligned */
    if (end - begin > max) {
        for (size_t i = 0; i < count; i++)
            bpf_read(a, members[i].place, members[i].bytes, from, members[i].offset);
        return;
    }
    const int scratch = STACK_IN_RECORD(path);
    bpf_read(a, scratch, (int)(end - begin), from, begin);
    for (size_t i = 0; i < count; i++) {
        int bytes = members[i].bytes, size = bytes == 2 ? BPF_H : bytes == 4 ? BPF_W : BPF_DW;
        bpf_load(a, size, BPF_REG_1, BPF_REG_10, scratch + (int)(members[i].offset - begin));
        bpf_store(a, size, BPF_REG_10, members[i].place, BPF_REG_1);
    }
}

void program_mark_compat(struct bpf_assembler *a, const struct program_places *p)
{
    if (p->task_status >= 0) {
        bpf_read(a, STACK_COUNT, 4, BPF_REG_9, p->task_status);
        bpf_load(a, BPF_W, BPF_REG_1, BPF_REG_10, STACK_COUNT);
        bpf_emit(a, (struct bpf_insn){.code = BPF_ALU64 | BPF_AND | BPF_K,
                                      .dst_reg = BPF_REG_1,
                                      .imm = status_mask});
        bpf_jump_if(a, BPF_JEQ, BPF_REG_1, 0, LABEL_NATIVE);
        program_store(a, BPF_H, STACK_IN_RECORD(compat), 1);
    }
    bpf_label(a, LABEL_NATIVE);
}

void program_find_table(struct bpf_assembler *a, const struct program_places *p)
{
    program_follow(a, BPF_REG_9, BPF_REG_9, p->task_files);
    program_follow(a, BPF_REG_9, BPF_REG_9, p->files_table);
    const struct program_member table[] = {
        {p->table_count, 4, STACK_COUNT},
        {p->table_files, 8, STACK_TABLE},
    };
    program_read_members(a, BPF_REG_9, table, 2);
}

void program_find_file(struct bpf_assembler *a)
{
    bpf_emit(a, (struct bpf_insn){.code = BPF_ALU | BPF_MOV | BPF_X, /* keeps the lower 32 bits of
                                                                        the descriptor */
                                  .dst_reg = BPF_REG_8,
                                  .src_reg = BPF_REG_8});
    bpf_set(a, BPF_REG_9, 0);
    bpf_load(a, BPF_W, BPF_REG_1, BPF_REG_10, STACK_COUNT);
    bpf_jump_if_register(a, BPF_JGE, BPF_REG_8, BPF_REG_1, LABEL_NO_FILE);
    bpf_emit(
        a, (struct bpf_insn){.code = BPF_ALU64 | BPF_LSH | BPF_K, .dst_reg = BPF_REG_8, .imm = 3});
    bpf_load(a, BPF_DW, BPF_REG_9, BPF_REG_10, STACK_TABLE);
    bpf_emit(a, (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_X,
                                  .dst_reg = BPF_REG_9,
                                  .src_reg = BPF_REG_8});
    program_follow(a, BPF_REG_9, BPF_REG_9, 0);
    bpf_label(a, LABEL_NO_FILE);
}

/* Jumps to `otherwise` unless the process is in the scope. Then r0 becomes 0, which stands for all
   processes. */
static void keep_scope(struct bpf_assembler *a, const struct program_maps *maps, unsigned otherwise)
{
    bpf_jump_if(a, BPF_JEQ, BPF_REG_0, (int32_t)maps->own, otherwise);
    if (maps->scope.of == IO_CALLS_OF_CGROUP) {
        bpf_set(a, BPF_REG_1, (int32_t)maps->scope.level);
        bpf_call(a, BPF_FUNC_get_current_ancestor_cgroup_id);
        bpf_set_long(a, BPF_REG_1, maps->scope.cgroup);
        bpf_jump_if_register(a, BPF_JNE, BPF_REG_0, BPF_REG_1, otherwise);
    }
    bpf_set(a, BPF_REG_0, 0);
}

void program_keep_followed(struct bpf_assembler *a, const struct program_maps *maps,
                           unsigned otherwise)
{
    bpf_call(a, BPF_FUNC_get_current_pid_tgid);
    bpf_emit(
        a, (struct bpf_insn){.code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = BPF_REG_0, .imm = 32});
    if (maps->scope.of != IO_CALLS_OF_PROCESSES)
        keep_scope(a, maps, otherwise);
    bpf_store(a, BPF_W, BPF_REG_10, STACK_KEY, BPF_REG_0);
    bpf_map(a, BPF_REG_1, maps->followed);
    bpf_stack(a, BPF_REG_2, STACK_KEY);
    bpf_call(a, BPF_FUNC_map_lookup_elem);
    bpf_jump_if(a, BPF_JEQ, BPF_REG_0, 0, otherwise);
}

void program_begin_record(struct bpf_assembler *a, int part)
{
    program_store(a, BPF_H, STACK_IN_RECORD(mark), TRACEPOINT_OUTPUT_MARK);
    program_store(a, BPF_H, STACK_IN_RECORD(part), part);
    program_store(a, BPF_H, STACK_IN_RECORD(compat), 0);
    program_store(a, BPF_W, STACK_IN_RECORD(unused), 0);
}

void program_write(struct bpf_assembler *a, int outputs, size_t bytes)
{
    bpf_copy(a, BPF_REG_1, BPF_REG_6);
    bpf_map(a, BPF_REG_2, outputs);
    bpf_emit(a, (struct bpf_insn){.code = BPF_ALU | BPF_MOV | BPF_K,
                                  .dst_reg = BPF_REG_3,
                                  .imm = (int32_t)BPF_F_CURRENT_CPU});
    bpf_stack(a, BPF_REG_4, STACK_RECORD);
    bpf_set(a, BPF_REG_5, (int32_t)bytes);
    bpf_call(a, BPF_FUNC_perf_event_output);
}

/* The kernel's check can follow this loop, because r9 counts and ends it at a constant number. */
void program_sum_vectors(struct bpf_assembler *a, int count, int max, int total)
{
    const int sum = STACK_TABLE, length = STACK_POINTER;
    const int vector_bytes = sizeof(struct iovec);
    program_store(a, BPF_DW, sum, 0);
    bpf_set(a, BPF_REG_9, 0);

    bpf_label(a, LABEL_NEXT_VECTOR);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, count);
    bpf_jump_if_register(a, BPF_JGE, BPF_REG_9, BPF_REG_1, LABEL_LAST_VECTOR);
    program_store(a, BPF_DW, total, -1);
    bpf_jump_if(a, BPF_JGE, BPF_REG_9, max, LABEL_SIZED);
    bpf_read_user(a, length, 8, BPF_REG_8, offsetof(struct iovec, iov_len));
    bpf_jump_if(a, BPF_JNE, BPF_REG_0, 0, LABEL_SIZED);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, length);
    bpf_load(a, BPF_DW, BPF_REG_2, BPF_REG_10, sum);
    bpf_emit(a, (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_X,
                                  .dst_reg = BPF_REG_2,
                                  .src_reg = BPF_REG_1});
    bpf_store(a, BPF_DW, BPF_REG_10, sum, BPF_REG_2);
    bpf_add(a, BPF_REG_8, vector_bytes);
    bpf_add(a, BPF_REG_9, 1);
    bpf_jump(a, LABEL_NEXT_VECTOR);

    bpf_label(a, LABEL_LAST_VECTOR);
    bpf_load(a, BPF_DW, BPF_REG_1, BPF_REG_10, sum);
    bpf_store(a, BPF_DW, BPF_REG_10, total, BPF_REG_1);
    bpf_label(a, LABEL_SIZED);
}

void program_describe_file(struct bpf_assembler *a, const struct program_places *p)
{
    const struct program_member of_file[] = {
        {p->file_position, RECORD_MEMBER(position)},
        {p->file_flags, RECORD_MEMBER(flags)},
        {p->file_inode, 8, STACK_POINTER},
        {p->file_entry, 8, STACK_ENTRY},
    };
    program_read_members(a, BPF_REG_9, of_file, sizeof of_file / sizeof *of_file);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_POINTER);

    const struct program_member of_inode[] = {
        {p->inode_mode, RECORD_MEMBER(mode)},
        {p->inode_number, RECORD_MEMBER(inode)},
        {p->inode_generation, RECORD_MEMBER(generation)},
        {p->inode_size, RECORD_MEMBER(size)},
        {p->inode_special, RECORD_MEMBER(special)},
        {p->inode_filesystem, 8, STACK_POINTER},
    };
    program_read_members(a, BPF_REG_8, of_inode, sizeof of_inode / sizeof *of_inode);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_POINTER);

    const struct program_member of_filesystem[] = {
        {p->filesystem_device, RECORD_MEMBER(device)},
        {p->filesystem_magic, RECORD_MEMBER(filesystem)},
    };
    program_read_members(a, BPF_REG_8, of_filesystem, sizeof of_filesystem / sizeof *of_filesystem);
}

/* Sets STACK_NAMED to the file's key, r1 to the map, and r2 to the key's address. */
static void find_named(struct bpf_assembler *a, int named)
{
    static const struct {
        int size, from, to;
    } members[] = {
        {BPF_W, STACK_IN_RECORD(device), offsetof(struct program_named, device)},
        {BPF_W, STACK_IN_RECORD(generation), offsetof(struct program_named, generation)},
        {BPF_DW, STACK_IN_RECORD(inode), offsetof(struct program_named, inode)},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        bpf_load(a, members[i].size, BPF_REG_1, BPF_REG_10, members[i].from);
        bpf_store(a, members[i].size, BPF_REG_10, STACK_NAMED + members[i].to, BPF_REG_1);
    }
    bpf_map(a, BPF_REG_1, named);
    bpf_stack(a, BPF_REG_2, STACK_NAMED);
}

/* Needs a struct dentry in r8. Writes the names on the way up into the record; r8 moves up with
   them. */
static void write_path(struct bpf_assembler *a, const struct program_places *p)
{
    for (int part = 0; part < IO_CALL_PATH_PARTS; part++) {
        program_follow(a, BPF_REG_3, BPF_REG_8, p->entry_name);
        bpf_stack(a, BPF_REG_1, STACK_IN_RECORD(path) + part * IO_CALL_PART_BYTES);
        bpf_set(a, BPF_REG_2, IO_CALL_PART_BYTES);
        bpf_call(a, BPF_FUNC_probe_read_kernel_str);
        program_follow(a, BPF_REG_8, BPF_REG_8, p->entry_parent);
    }
}

void program_write_file(struct bpf_assembler *a, const struct program_places *p,
                        const struct program_maps *maps)
{
    find_named(a, maps->named);
    bpf_call(a, BPF_FUNC_map_lookup_elem);
    bpf_jump_if(a, BPF_JNE, BPF_REG_0, 0, LABEL_NAMED);
    find_named(a, maps->named);
    program_store(a, BPF_DW, STACK_VALUE, 1);
    bpf_stack(a, BPF_REG_3, STACK_VALUE);
    bpf_set(a, BPF_REG_4, BPF_ANY);
    bpf_call(a, BPF_FUNC_map_update_elem);
    bpf_load(a, BPF_DW, BPF_REG_8, BPF_REG_10, STACK_ENTRY);
    write_path(a, p);
    program_write(a, maps->outputs, sizeof(struct io_call_begin));

    /* The parent of the root is the root itself, so the last part shows whether the root was
       reached. */
    bpf_load(a, BPF_B, BPF_REG_1, BPF_REG_10, STACK_IN_RECORD(path[IO_CALL_PATH_PARTS - 1]));
    bpf_jump_if(a, BPF_JEQ, BPF_REG_1, '/', LABEL_WRITTEN);
    program_store(a, BPF_H, STACK_IN_RECORD(part), IO_CALL_MORE);
    write_path(a, p);
    program_write(a, maps->outputs, sizeof(struct io_call_begin));
    bpf_jump(a, LABEL_WRITTEN);

    bpf_label(a, LABEL_NAMED);
    program_write(a, maps->outputs, SHORT_BYTES);
    bpf_label(a, LABEL_WRITTEN);
}
