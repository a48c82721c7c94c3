/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting until the devices are there, and loading what they need as they come. */
#include "init/stick/device_wait.h"

#include "init/process/milliseconds.h"
#include "init/stick/internal.h"
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 50 /* at disks that are awaited: sysfs does not call */

int settle_open(struct settle *s, struct err *e)
{
    *s = (struct settle){.fd = uevent_open(e), .walk = true, .sys = "/sys"};
    return s->fd >= 0 ? 0 : -1;
}

void settle_close(struct settle *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

/* A device came, or a driver has taken one: it may need modules, and others may follow. */
static bool is_arrival(const struct uevent *event)
{
    return strcmp(event->action, "add") == 0 || strcmp(event->action, "bind") == 0;
}

/* Something is there now, or is not any more, or a disk has another size. */
static bool is_counted(const struct uevent *event)
{
    return strcmp(event->action, "add") == 0 || strcmp(event->action, "remove") == 0 ||
           (strcmp(event->action, "change") == 0 && strcmp(event->subsystem, "block") == 0);
}

/* All events that wait. Returns whether anything came. */
static bool take_events(struct settle *s, struct modules *m)
{
    struct uevent event;
    enum uevent_status status;
    bool came = false;
    while ((status = uevent_receive(s->fd, &event)) != UEVENT_NONE) {
        if (status == UEVENT_LOST) {
            s->walk = true;
            s->events++;
            continue;
        }
        s->events += is_counted(&event);
        if (!is_arrival(&event))
            continue;
        came = true;
        modules_load_for(m, event.modalias);
    }
    return came;
}

struct wait {
    struct settle *settle;
    struct modules *modules;
};

static void take_events_meanwhile(void *context)
{
    const struct wait *wait = context;
    take_events(wait->settle, wait->modules);
}

/* Everything that can be done now. Returns whether anything happened. */
static bool go_on(struct settle *s, struct modules *m)
{
    bool happened = take_events(s, m);
    if (s->walk) {
        s->walk = false;
        struct wait wait = {s, m};
        modules_load_for_devices(m, s->sys, take_events_meanwhile, &wait);
        happened = true;
    }
    return modules_finish(m, false) > 0 || happened;
}

static void sleep_until_something(const struct settle *s, const struct modules *m, uint64_t ms)
{
    struct pollfd sources[] = {{.fd = s->fd, .events = POLLIN},
                               {.fd = modules_fd(m), .events = POLLIN}};
    poll(sources, sizeof sources / sizeof *sources, (int)ms);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

unsigned settle_wait(struct settle *s, struct modules *m, unsigned quiet_ms, unsigned max_ms)
{
    uint64_t begin = now_ms(), last = begin, now;
    for (;;) {
        bool happened = go_on(s, m);
        now = now_ms();
        if (happened)
            last = now;
        uint64_t quiet = now - last, left = begin + max_ms - now;
        if (now - begin >= max_ms)
            break;
        if (modules_counts(m).busy > 0) {
            sleep_until_something(s, m, left);
        } else if (quiet < quiet_ms) {
            sleep_until_something(s, m, least(left, quiet_ms - quiet));
        } else if (disks_awaited(s->sys)) {
            sleep_until_something(s, m, least(left, LOOK_AGAIN_MS));
        } else {
            break;
        }
    }
    return (unsigned)(now - begin);
}
