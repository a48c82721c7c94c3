/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for keys on all pages of the menu, and decides which keys end every page. */
#include "appliance/menu/internal.h"
#include "appliance/process/milliseconds.h"

enum menu_end menu_end_of_key(int key)
{
    if (key == CONSOLE_RESTART)
        return MENU_REBOOT;
    return key == CONSOLE_END_OF_INPUT ? MENU_END_OF_INPUT : MENU_GO_ON;
}

int menu_key_within(struct menu *m, int milliseconds)
{
    int key = console_key(m->console, milliseconds);
    if (key != CONSOLE_NONE || m->key_seconds == 0)
        m->key_seconds = boot_seconds();
    return key;
}

bool menu_is_left_alone(const struct menu *m)
{
    return m->idle_seconds > 0 && boot_seconds() - m->key_seconds >= m->idle_seconds;
}

int menu_key(struct menu *m)
{
    int key = CONSOLE_NONE;
    while (key == CONSOLE_NONE && !menu_is_left_alone(m))
        key = menu_key_within(m, MENU_LOOK_MS);
    return key == CONSOLE_NONE ? CONSOLE_ESCAPE : key;
}

enum menu_end menu_wait(struct menu *m)
{
    console_print(m->console, "\nPress a key for the menu.");
    int key = menu_key(m);
    console_print(m->console, "\n");
    return menu_end_of_key(key);
}
