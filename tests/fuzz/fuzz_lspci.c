/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of lspci -xxxx, which libpci reads. */
#include "hw/pci/pci.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pci_tree tree = {0};
    struct err e = {0};
    memory_file_set(0, data, size);
    if (pci_dump_check(MEMORY_FILE, &e)) {
        FUZZ_CHECK(e.code == ERR_USAGE && *e.msg, "a dump refused without a reason");
        return 0;
    }
    pci_tree_from_dump(&tree, MEMORY_FILE);
    for (size_t i = 0; i < tree.count; i++)
        FUZZ_CHECK(tree.functions[i].path, "a function without a folder");
    pci_tree_free(&tree);
    return 0;
}
