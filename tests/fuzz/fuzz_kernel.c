/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the kernel and the system's files say: types of its structs (BTF), formats of tracepoints,
 * escaped names of mounts, command lines of other programs, pci.ids. The first byte chooses one.
 */
#include <string.h>

#include "base/span.h"
#include "hw/capture/command_line.h"
#include "hw/pci/pci.h"
#include "program/observe/tracepoint/internal.h"
#include "program/observe/tracepoint/tracepoint.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

static void read_types(const uint8_t *data, size_t size)
{
    struct kernel_types types;
    struct err e = {0};
    memory_file_set(0, data, size);
    if (kernel_types_read(&types, MEMORY_FILE, &e)) {
        FUZZ_CHECK(e.code == ERR_MACHINE && *e.msg, "types refused without a reason");
        return;
    }
    (void)kernel_types_offset(&types, "outer", "deep.b");
    (void)kernel_types_offset(&types, "outer", "last.a");
    kernel_types_free(&types);
}

static void read_names(const char *text, size_t size)
{
    struct pci_name wanted[] = {{.id = 0x10de0001}, {.id = 0x144da80a}, {.id = 0x80860953}};
    pci_names_find((struct span){text, size}, wanted, sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        FUZZ_CHECK(wanted[i].vendor.length <= size && wanted[i].device.length <= size,
                   "a name outside of its file");
}

static void read_text(unsigned choice, const char *bytes, size_t size)
{
    char *text = strndup(bytes, size);
    struct text shown = {0};
    if (!text)
        return;
    switch (choice) {
    case 0:
        (void)format_number(text);
        (void)format_field(text, "bytes");
        (void)format_field(text, "rwbs");
        break;
    case 1:
        FUZZ_CHECK(strlen(octal_unescape(text)) <= size, "a name that grew");
        break;
    default:
        command_line_hide((struct span){text, strlen(text)}, "host", &shown);
    }
    text_free(&shown);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned choice = data[0] % 5;
    if (choice == 3)
        read_types(data + 1, size - 1);
    else if (choice == 4)
        read_names((const char *)data + 1, size - 1);
    else
        read_text(choice, (const char *)data + 1, size - 1);
    return 0;
}
