/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the members of the running kernel's structs lie, from the type information that it carries
 * (BTF, Documentation/bpf/btf.rst).
 *
 * Owner: kernel_types_free. A file that is damaged finds nothing and breaks nothing.
 */
#ifndef CUPEL_TRACEPOINT_KERNEL_TYPES_H
#define CUPEL_TRACEPOINT_KERNEL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct kernel_types {
    char *data;      /* the whole file */
    uint32_t *types; /* type i + 1 begins at data + types[i] */
    uint32_t type_count;
    const char *strings;
    uint32_t strings_length;
};

/* NULL: of the running kernel. ERR_MACHINE: it has none, or it cannot be read. */
int kernel_types_read(struct kernel_types *k, const char *path, struct err *e);
void kernel_types_free(struct kernel_types *k);

/*
 * Bytes from the struct's start to the member, which may lie in an unnamed struct or union of it;
 * -1: there is no such struct or member, or it is a bit field. "f_path.dentry" is followed into the
 * member's own struct.
 */
long kernel_types_offset(const struct kernel_types *k, const char *structure, const char *member);

#endif
