/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds functions to the list that the PCI prober fills, and reads the addresses in their names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hw/pci/pci.h"

const char *const pci_error_files[PCI_ERRORS] = {"aer_dev_correctable", "aer_dev_nonfatal",
                                                 "aer_dev_fatal"};

int pci_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool pci_take_hex(const char **text, int min, int max, char end, unsigned *value)
{
    int digits = 0, digit;
    *value = 0;
    for (; digits < max && (digit = pci_digit(**text)) >= 0; digits++, (*text)++)
        *value = *value << 4 | (unsigned)digit;
    if (digits < min || **text != end)
        return false;
    *text += end != '\0';
    return true;
}

struct pci_function *pci_tree_add(struct pci_tree *t, const char *name)
{
    struct pci_function f = {.numa_node = -1, .driver_status = FACT_ABSENT, .path = ""};
    const char *at = name;
    if (!pci_take_hex(&at, 4, 8, ':', &f.domain) || !pci_take_hex(&at, 2, 2, ':', &f.bus) ||
        !pci_take_hex(&at, 2, 2, '.', &f.device) || !pci_take_hex(&at, 1, 1, '\0', &f.function))
        return NULL;
    if (f.domain > 0x7fffffff || f.device > 31 || f.function > 7)
        return NULL;
    if (t->count >= PCI_FUNCTIONS_MAX ||
        !array_grow(&t->functions, sizeof *t->functions, t->count, &t->capacity))
        return NULL;
    f.registers.status = FACT_ABSENT;
    for (int i = 0; i < PCI_ERRORS; i++)
        f.error_status[i] = FACT_ABSENT;
    memcpy(f.name, name, (size_t)(at - name) + 1);
    t->functions[t->count] = f;
    return &t->functions[t->count++];
}

void pci_tree_free(struct pci_tree *t)
{
    free(t->functions);
    pool_free(&t->strings);
    *t = (struct pci_tree){0};
}
