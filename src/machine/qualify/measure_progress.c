/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes on the progress of a qualification during a test: the time left in all, then the session's
   own progress. */
#include "machine/qualify/measure.h"

static void pass_progress(void *context, const struct session_progress *now)
{
    const struct measuring *m = context;
    const struct qualify_request *request = m->request;
    if (request->overall) {
        char words[80];
        request->overall(request->context, time_left_words(&m->time, now, words, sizeof words));
    }
    if (request->observer.progress)
        request->observer.progress(request->observer.context, now);
}

static void pass_notice(void *context, const char *words)
{
    const struct measuring *m = context;
    const struct session_observer *observer = &m->request->observer;
    if (observer->notice)
        observer->notice(observer->context, words);
}

struct session_observer measure_observer(struct measuring *m)
{
    return (struct session_observer){
        .progress = pass_progress, .context = m, .notice = pass_notice};
}
