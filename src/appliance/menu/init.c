/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Process 1 of the live image. */
#include "appliance/menu/init.h"

#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"
#include "appliance/process/system.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool init_is_initial_process(const char *argv0)
{
    const char *slash = argv0 ? strrchr(argv0, '/') : NULL;
    const char *name = slash ? slash + 1 : argv0;
    return name && !strcmp(name, "init") && system_is_ours();
}

/* When process 1 ends, the kernel panics. So it waits for ever instead, and its last message stays
   readable. */
_Noreturn static void stay(void)
{
    for (;;)
        pause();
}

static enum menu_end do_what_is_asked(struct appliance *a)
{
    enum menu_end end = MENU_GO_ON;
    const char *lead = "";
    a->idle_seconds = 0;
    init_settle(a);
    init_menu_prepare(a); /* a stick may have been plugged in meanwhile */
    if (init_needs_countdown(a) && !init_countdown(a, &end))
        return end;
    init_do_what_is_asked(a);
    /* Nobody is there: the configured end comes now, if the report is safe or there is nowhere to
       keep it. */
    if (a->config.after != BOOT_AFTER_MENU && !a->interrupted) {
        bool reboots = a->config.after == BOOT_AFTER_REBOOT;
        if (!init_report_would_be_lost(a)) {
            init_show_verdict(a, reboots ? "The machine reboots." : "The machine switches off.");
            console_print(a->console, "\n");
            return reboots ? MENU_REBOOT : MENU_POWER_OFF;
        }
        lead = "The report is in memory only: the machine stays on.";
        console_print(a->console, "! %s\n", lead);
    }
    return menu_verdict(&a->menu, lead);
}

static enum menu_end live(struct appliance *a)
{
    enum menu_end end = MENU_GO_ON;
    bool counts_down = a->config.start, begins = false;
    init_menu_prepare(a);
    if (!counts_down)
        menu_refresh_disks(&a->menu); /* the first thing that the menu shows */
    /* The time that tests and people measure: from the first instruction of process 1 until it
       reads keys. */
    console_print(a->console, "cupel: ready after %.2f s\n", boot_seconds() - a->begin_seconds);
    if (counts_down) {
        begins = init_countdown(a, &end); /* false: somebody pressed a key for the menu */
        init_menu_prepare(a);
    }
    if (begins)
        end = do_what_is_asked(a);
    while (end == MENU_GO_ON || end == MENU_LEFT_ALONE)
        end = end == MENU_GO_ON ? init_menu(a) : do_what_is_asked(a);
    return end;
}

_Noreturn void init_main(void)
{
    static struct appliance a;
    struct err e;
    a.begin_seconds = boot_seconds();
    if (init_start(&a, &e)) {
        fprintf(stderr, "cupel: %s\n", e.msg);
        stay();
    }
    enum menu_end end = live(&a);
    if (end == MENU_END_OF_INPUT)
        stay();
    console_print(a.console, end == MENU_REBOOT ? "Rebooting.\n" : "Switching off.\n");
    data_partition_unmount(&a.data);
    if (system_end(end == MENU_REBOOT ? SYSTEM_REBOOT : SYSTEM_POWER_OFF, &e))
        console_print(a.console, "! %s\nIt is safe to switch the machine off.\n", e.msg);
    stay();
}
