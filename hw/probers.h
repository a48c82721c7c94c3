/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of the rows of hw/probers.c. */
#ifndef CUPEL_HW_PROBERS_H
#define CUPEL_HW_PROBERS_H

#include "hw/prober.h"

void look_at_board(struct probe *p);           /* board.c */
void look_at_kernel(struct probe *p);          /* kernel.c */
void look_at_cpu(struct probe *p);             /* cpu.c */
void look_at_memory(struct probe *p);          /* memory.c */
void look_at_pci(struct probe *p);             /* pci.c */
void look_at_usb(struct probe *p);             /* usb.c */
void look_at_ata(struct probe *p);             /* ata.c */
void look_at_sas(struct probe *p);             /* sas.c */
void look_at_nvme(struct probe *p);            /* nvme.c */
void look_at_block(struct probe *p);           /* block.c */
void look_at_nvme_namespaces(struct probe *p); /* nvme.c */
void look_at_disk_health(struct probe *p);     /* disk_health.c */
void look_at_network(struct probe *p);         /* network.c */
void look_at_sensors(struct probe *p);         /* sensors.c */

#endif
