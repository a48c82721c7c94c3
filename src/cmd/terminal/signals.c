/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets the stop flag when a signal comes. As signal handlers have no arguments, the flag is a
   global variable of this file. */
#include "cmd/terminal/signals.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "cmd/terminal/full_screen.h"

static volatile sig_atomic_t stop_signal;
static struct timespec stop_time;
/* process groups that are killed when a second signal ends this process; 0: none */
static volatile sig_atomic_t groups[SIGNALS_GROUPS_MAX];

/* Sets the flag. A second signal ends the process. Signals within a second count as one, because
   one key press can cause several, from the terminal and from a parent process. */
static void handle_stop(int number)
{
    const double one_request = 1.0;
    int saved = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!stop_signal) {
        stop_time = now;
        stop_signal = number;
    } else if ((double)(now.tv_sec - stop_time.tv_sec) +
                   (double)(now.tv_nsec - stop_time.tv_nsec) / 1e9 >
               one_request) {
        for (size_t i = 0; i < SIGNALS_GROUPS_MAX; i++)
            if (groups[i])
                kill(-(pid_t)groups[i], SIGKILL);
        full_screen_leave();
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = saved;
}

/* Returns true if a signal that is ignored must stay ignored. SIGHUP must, because nohup ignores it
   on purpose. SIGINT must not: shell scripts ignore it for background commands, but it is the way
   to end them. */
static bool leave_ignored(int number)
{
    struct sigaction before;
    return number == SIGHUP && sigaction(number, NULL, &before) == 0 &&
           before.sa_handler == SIG_IGN;
}

void signals_end_with(size_t place, pid_t group)
{
    if (place < SIGNALS_GROUPS_MAX)
        groups[place] = (sig_atomic_t)group;
}

const volatile sig_atomic_t *signals_install(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    enum { COUNT = sizeof numbers / sizeof *numbers };
    struct sigaction action = {.sa_handler = handle_stop, .sa_flags = SA_RESTART};
    /* While one signal is handled, the others are blocked, so that handlers do not interrupt each
       other. */
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&action.sa_mask, numbers[i]);
    for (size_t i = 0; i < COUNT; i++)
        if (!leave_ignored(numbers[i]))
            sigaction(numbers[i], &action, NULL);
    return &stop_signal;
}
