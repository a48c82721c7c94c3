/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws on the terminal's alternate screen. As signal handlers have no arguments, the state is
   global to this file. */
#include "cmd/terminal/full_screen.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Control sequences that enter the alternate screen and hide the cursor, and that undo both. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

static volatile sig_atomic_t entered;

void full_screen_leave(void)
{
    /* If the write fails, the terminal is gone. */
    if (entered && write(STDERR_FILENO, LEAVE, sizeof LEAVE - 1) < 0)
        return;
    entered = 0;
}

static void handle_end(int number)
{
    full_screen_leave();
    signal(number, SIG_DFL);
    raise(number);
}

/* Leaves the screen on Ctrl-Z, so that the shell is on its own screen. The next drawing enters it
   again. */
static void handle_stop(int number)
{
    const int saved = errno;
    struct sigaction ours;
    sigset_t only;
    full_screen_leave();
    sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, &ours);
    sigemptyset(&only);
    sigaddset(&only, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &only, NULL); /* the process stops here */
    sigaction(number, &ours, NULL);
    errno = saved;
}

/* When the process continues, the next drawing enters the screen again, as the shell may have drawn
   over it. That also happens after SIGSTOP, for which there is no handler. */
static void handle_continue(int number)
{
    (void)number;
    entered = 0;
}

int full_screen_check(struct err *e)
{
    const char *terminal = getenv("TERM");
    if (isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0)
        return 0;
    return err_set(e, ERR_USAGE,
                   "--live needs a terminal on standard error: leave it out, or run cupel in one");
}

void full_screen_install(void)
{
    static const struct {
        int number;
        void (*handler)(int);
    } handlers[] = {{SIGABRT, handle_end},  {SIGSEGV, handle_end},     {SIGBUS, handle_end},
                    {SIGFPE, handle_end},   {SIGILL, handle_end},      {SIGQUIT, handle_end},
                    {SIGTSTP, handle_stop}, {SIGCONT, handle_continue}};
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        sigaction(handlers[i].number,
                  &(struct sigaction){.sa_handler = handlers[i].handler, .sa_flags = SA_RESTART},
                  NULL);
    atexit(full_screen_leave);
}

void full_screen_draw(const struct text *lines, struct text *frame)
{
    const char *at = lines->data, *end = at + lines->length;
    frame->length = 0;
    if (!entered)
        text_add(frame, ENTER);
    entered = 1;
    text_add(frame, "\033[H");
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line_end = line_end ? line_end : end;
        text_add_bytes(frame, at, (size_t)(line_end - at));
        at = line_end + 1;
        /* The last line has no line end, because a line end there would scroll the screen. */
        text_add(frame, at < end ? "\033[K\r\n" : "\033[K");
    }
    text_add(frame, "\033[J");
    if (write(STDERR_FILENO, frame->data, frame->length) < 0)
        return; /* the terminal is gone, and SIGHUP ends the session */
}
