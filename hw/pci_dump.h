/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a file the text of `lspci -x`, -xxx or -xxxx, which PCI devices can be taken from? */
#ifndef CUPEL_HW_PCI_DUMP_H
#define CUPEL_HW_PCI_DUMP_H

#include "base/err.h"

/*
 * An empty file is, and has no device. ERR_USAGE, with the file and what is wrong with it: it
 * cannot be read, holds no PCI device, or what would make libpci's reader write where it must not.
 */
int pci_dump_check(const char *file, struct err *e);

#endif
