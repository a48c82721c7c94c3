/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of a history with forged content: intervals that end before they begin, numbers
   without a scale, texts with terminal or markup commands. */
#include "check.h"
#include "history_session.h"
#include "report/document/document.h"
#include "report/history/history_report.h"
#include "report/report.h"
#include "run/history/history.h"

/* Checks that the page has only printable text and line ends. */
static void check_plain(const char *form, const struct text *page)
{
    /* in CSV a cell keeps its text */
    for (size_t i = 0; i < page->length && strcmp(form, "csv"); i++)
        if ((unsigned char)page->data[i] < ' ' && page->data[i] != '\n') {
            CHECK_STR(form, "without control characters");
            return;
        }
    CHECK(!strcmp(form, "html") ? !strstr(page->data, "<evil>") : page->length > 0);
}

static void check_forms(struct history *h)
{
    static const char *const forms[] = {"text", "csv", "json", "html"};
    history_judge(h);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct histories all = {.rows = h, .count = 1, .of_machine = true};
        const struct report_style style = {.full = true, .width = 200};
        struct text page = {0};
        report_print(&history_report, &all, forms[i], &style, &page);
        CHECK(!page.failed && page.data);
        if (page.data)
            check_plain(forms[i], &page);
        text_free(&page);
    }
}

/* The same word in every text field, and intervals of all kinds. */
int main(void)
{
    enum { SESSIONS = 12 };
    static const char evil[] = "\x1b[2J<evil>\x07\t";
    static const double ends[][2] = {{93, 107}, {107, 93},        {500, -500}, {NAN, 1},
                                     {1, NAN},  {-1e308, 1e308},  {0, 0},      {-INFINITY, 3},
                                     {100, 90}, {1e-320, -1e-320}};
    enum { ENDS = sizeof ends / sizeof *ends };
    struct history_session sessions[SESSIONS];
    struct history h = {.sessions = sessions};
    snprintf(h.target, sizeof h.target, "%s", evil);
    snprintf(h.workload, sizeof h.workload, "%s", evil);
    for (size_t n = 1; n <= SESSIONS; n++) {
        struct history_session *s = &sessions[n - 1];
        *s = session_of(n % 4 == 3 ? -1e308 : n > 6 ? 200 : 100);
        s->low = ends[(n - 1) % ENDS][0];
        s->high = ends[(n - 1) % ENDS][1];
        if (n > 2) {
            snprintf(s->date, sizeof s->date, "%s", evil);
            snprintf(s->verdict, sizeof s->verdict, "%s", evil);
            snprintf(s->busy, sizeof s->busy, "%s", n % 2 ? evil : "");
            snprintf(s->version, sizeof s->version, "%s", evil);
            snprintf(s->op, sizeof s->op, "%.7s", evil);
            s->seconds = n % 3 ? 1e-300 : 1e300;
            s->memory = n % 5 ? 0.3 : 1e308;
        }
        h.count = n;
        check_forms(&h);
    }
    snprintf(sessions[0].metric, sizeof sessions[0].metric, "%s", evil);
    check_forms(&h);
    return check_result();
}
