/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks up members of structs in BTF. */
#include "program/observe/tracepoint/internal.h"

#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/file.h"

enum { NESTING_MAX = 8 };

static const size_t size_max = 256u << 20;

/* Returns the length of the data after a type's first 12 bytes, which depends on its kind;
   SIZE_MAX: the kind is unknown. */
static size_t bytes_after(const struct btf_type *type)
{
    size_t count = BTF_INFO_VLEN(type->info);
    switch (BTF_INFO_KIND(type->info)) {
    case BTF_KIND_PTR:
    case BTF_KIND_FWD:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_CONST:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_FUNC:
    case BTF_KIND_FLOAT:
    case BTF_KIND_TYPE_TAG:
        return 0;
    case BTF_KIND_INT:
    case BTF_KIND_VAR:
    case BTF_KIND_DECL_TAG:
        return 4;
    case BTF_KIND_ARRAY:
        return sizeof(struct btf_array);
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        return count * sizeof(struct btf_member);
    case BTF_KIND_ENUM:
    case BTF_KIND_FUNC_PROTO:
        return count * 8;
    case BTF_KIND_DATASEC:
    case BTF_KIND_ENUM64:
        return count * 12;
    default:
        return SIZE_MAX;
    }
}

/* Counts the types that lie completely in [begin, end), and stores their places in k->types unless
   it is NULL. */
static uint32_t walk_types(struct kernel_types *k, size_t begin, size_t end)
{
    uint32_t count = 0;
    for (size_t place = begin; end - place >= sizeof(struct btf_type);) {
        const struct btf_type *type = (const void *)(k->data + place);
        size_t after = bytes_after(type);
        if (after > end - place - sizeof *type)
            break;
        if (k->types)
            k->types[count] = (uint32_t)place;
        count++;
        place += sizeof *type + after;
    }
    return count;
}

/* Returns true if the section lies within the file. Sums of the header's numbers can exceed 32
   bits. */
static bool section_fits(uint64_t header, uint64_t offset, uint64_t length, size_t size)
{
    return header + offset + length <= size;
}

int kernel_types_read(struct kernel_types *k, const char *path, struct err *e)
{
    *k = (struct kernel_types){0};
    if (!path)
        path = "/sys/kernel/btf/vmlinux";
    struct err reason;
    size_t size;
    if (file_read_all(path, size_max, &k->data, &size, &reason))
        return err_set(
            e, ERR_MACHINE,
            "this kernel does not publish its types, which recording a program needs (%.200s)",
            reason.msg);
    const struct btf_header *h = (const void *)k->data;
    size_t begin = 0, end = 0;
    if (size >= sizeof *h && h->magic == BTF_MAGIC && h->version == BTF_VERSION &&
        section_fits(h->hdr_len, h->type_off, h->type_len, size) &&
        (h->hdr_len + h->type_off) % 4 == 0 &&
        section_fits(h->hdr_len, h->str_off, h->str_len, size) && h->str_len > 0 &&
        k->data[h->hdr_len + h->str_off + h->str_len - 1] == '\0') {
        begin = h->hdr_len + h->type_off;
        end = begin + h->type_len;
        k->strings = k->data + h->hdr_len + h->str_off;
        k->strings_length = h->str_len;
        k->type_count = walk_types(k, begin, end);
        k->types = calloc(k->type_count + 1u, sizeof *k->types);
    }
    if (!k->types) {
        kernel_types_free(k);
        return err_set(e, ERR_MACHINE, "%s: not the type information of a kernel", path);
    }
    walk_types(k, begin, end);
    return 0;
}

void kernel_types_free(struct kernel_types *k)
{
    free(k->data);
    free(k->types);
    *k = (struct kernel_types){0};
}

static const struct btf_type *type_of(const struct kernel_types *k, uint32_t number)
{
    return number > 0 && number <= k->type_count ? (const void *)(k->data + k->types[number - 1])
                                                 : NULL;
}

static const char *name_of(const struct kernel_types *k, uint32_t offset)
{
    return offset < k->strings_length ? k->strings + offset : "";
}

static bool has_members(const struct btf_type *type)
{
    unsigned kind = BTF_INFO_KIND(type->info);
    return kind == BTF_KIND_STRUCT || kind == BTF_KIND_UNION;
}

/* Returns the struct or union behind typedefs and qualifiers, or NULL. */
static const struct btf_type *structure_of(const struct kernel_types *k, uint32_t number)
{
    for (int step = 0; step < NESTING_MAX; step++) {
        const struct btf_type *type = type_of(k, number);
        if (!type || has_members(type))
            return type;
        unsigned kind = BTF_INFO_KIND(type->info);
        if (kind != BTF_KIND_TYPEDEF && kind != BTF_KIND_CONST && kind != BTF_KIND_VOLATILE)
            return NULL;
        number = type->type;
    }
    return NULL;
}

/* Returns the bits from the struct's start to the member; -1: there is no such member. *inner is
   the type of the member. */
static long member_bits(const struct kernel_types *k, const struct btf_type *type,
                        const char *member, int depth, uint32_t *inner)
{
    const struct btf_member *members = (const void *)(type + 1);
    for (unsigned i = 0; i < BTF_INFO_VLEN(type->info); i++) {
        bool flagged = BTF_INFO_KFLAG(type->info);
        long bits =
            flagged ? (long)BTF_MEMBER_BIT_OFFSET(members[i].offset) : (long)members[i].offset;
        const char *name = name_of(k, members[i].name_off);
        if (!strcmp(name, member)) {
            *inner = members[i].type;
            return flagged && BTF_MEMBER_BITFIELD_SIZE(members[i].offset) ? -1 : bits;
        }
        const struct btf_type *unnamed =
            *name || depth == NESTING_MAX ? NULL : structure_of(k, members[i].type);
        long within = unnamed ? member_bits(k, unnamed, member, depth + 1, inner) : -1;
        if (within >= 0)
            return bits + within;
    }
    return -1;
}

/* Returns the offset for a name "a.b": member a, then member b in the struct of a. */
static long offset_of_path(const struct kernel_types *k, const struct btf_type *type,
                           const char *path)
{
    long bits = 0;
    while (type && has_members(type)) {
        char member[48];
        size_t length = strcspn(path, ".");
        uint32_t inner = 0;
        if (length >= sizeof member)
            return -1;
        memcpy(member, path, length);
        member[length] = '\0';
        long here = member_bits(k, type, member, 0, &inner);
        if (here < 0)
            return -1;
        bits += here;
        if (path[length] == '\0')
            return bits % 8 ? -1 : bits / 8;
        path += length + 1;
        type = structure_of(k, inner);
    }
    return -1;
}

long kernel_types_offset(const struct kernel_types *k, const char *structure, const char *member)
{
    for (uint32_t number = 1; number <= k->type_count; number++) {
        const struct btf_type *type = type_of(k, number);
        if (BTF_INFO_KIND(type->info) != BTF_KIND_STRUCT ||
            strcmp(name_of(k, type->name_off), structure) != 0)
            continue;
        long offset = offset_of_path(k, type, member);
        if (offset >= 0)
            return offset;
    }
    return -1;
}
