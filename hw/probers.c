/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the rows of hw/probers.h, and runs the probers in a loop. */
#include "hw/probers.h"

#include <pthread.h>

#define PROBER_ENTRY(look, name, looks_at, finds_disks) {name, looks_at, look, finds_disks},
const struct prober probers[] = {PROBER_ROWS(PROBER_ENTRY){NULL, NULL, NULL, false}};
#undef PROBER_ENTRY

/* Sessions of several targets may probe at the same time, but libsensors, its environment variable
   and the redirection of standard error are shared by the whole process. */
static pthread_mutex_t look = PTHREAD_MUTEX_INITIALIZER;

int probe_all(struct probe *p, struct err *e)
{
    pthread_mutex_lock(&look);
    probe_top(p);
    for (const struct prober *prober = probers; prober->name; prober++)
        if (!p->dump_alone || prober->look == look_at_pci)
            prober->look(p);
    pthread_mutex_unlock(&look);
    if (p->inventory->failed)
        return err_no_memory(e, "the inventory of this machine");
    return 0;
}
