/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the last screen of a qualification, from the bottom up: what the next key does, the
   verdict, the report, and above them as much of the page as fits. */
#include "appliance/menu/verdict_screen.h"

#include <stdlib.h>
#include <string.h>

#include "report/layout/large_letters.h"

/* Below ROOMY_ROWS there are no empty lines and no line on the report. Below ROOMY_ROWS or
   ROOMY_COLUMNS the prompt has one line. The letters take at most a quarter of the rows. */
enum { ROOMY_ROWS = 16, ROOMY_COLUMNS = 40, FEET_LINES = 2, LETTERS_SHARE = 4 };

struct large_verdict {
    char word[32];
    enum tone tone;
};

static struct large_verdict verdict_of(const char *line)
{
    struct large_verdict v = {.tone = TONE_YELLOW};
    size_t length = strcspn(line, ":");
    length = length < sizeof v.word ? length : sizeof v.word - 1;
    memcpy(v.word, line, length);
    v.word[length] = '\0';
    if (!strcmp(v.word, "PASS"))
        v.tone = TONE_GREEN;
    else if (!strcmp(v.word, "FAIL"))
        v.tone = TONE_RED;
    return v;
}

struct report_style verdict_screen_style(const struct console_screen *screen)
{
    return (struct report_style){
        .colour = !getenv("NO_COLOR"), .width = (int)screen->columns - 1, .narrow = true};
}

/* Returns the style for the large letters, the only part that has block characters. */
static struct report_style style_of_letters(const struct console_screen *screen)
{
    struct report_style style = verdict_screen_style(screen);
    style.unicode = screen->blocks;
    return style;
}

static bool is_roomy(const struct console_screen *screen)
{
    return screen->rows >= ROOMY_ROWS;
}

/* Returns how many lines the letters take, with the empty line above them. */
static size_t lines_of_letters(const struct console_screen *screen, const char *word)
{
    const struct report_style style = style_of_letters(screen);
    return large_letters_lines(word, &style, screen->rows / LETTERS_SHARE) + is_roomy(screen);
}

size_t verdict_screen_lines(const struct console_screen *screen, const char *line)
{
    const struct large_verdict v = verdict_of(line);
    size_t below = lines_of_letters(screen, v.word) + 1 + (is_roomy(screen) ? FEET_LINES : 0);
    return screen->rows > below ? screen->rows - below : 0;
}

/* Adds at most `max` lines; returns their number. */
static size_t add_lines(struct text *to, const struct text *from, size_t max)
{
    const char *at = layout_string(from);
    size_t lines = 0;
    for (; *at && lines < max; lines++) {
        size_t bytes = strcspn(at, "\n") + 1;
        text_add_bytes(to, at, bytes);
        at += bytes;
    }
    return lines;
}

void verdict_screen_add(const struct verdict_screen *v, const struct console_screen *screen,
                        struct text *to)
{
    const struct report_style style = verdict_screen_style(screen),
                              of_letters = style_of_letters(screen);
    const struct large_verdict verdict = verdict_of(v->line);
    struct text page = {0}, feet = {0}, prompt = {0};
    if (v->page)
        text_add(&page, v->page);
    else
        layout_paragraph(&page, &style, "", TONE_PLAIN, v->line);
    for (size_t i = 0; i < 2 && is_roomy(screen); i++)
        if (*v->feet[i])
            layout_paragraph(&feet, &style, "", TONE_PLAIN, v->feet[i]);
    layout_paragraph(&prompt, &style, "", TONE_PLAIN, v->prompt);

    bool one_line = !is_roomy(screen) || screen->columns < ROOMY_COLUMNS;
    size_t prompt_lines = one_line ? 1 : text_lines(&prompt), foot_lines = text_lines(&feet);
    size_t below = lines_of_letters(screen, verdict.word) + prompt_lines;
    size_t room = screen->rows > below ? screen->rows - below : 0, page_lines = text_lines(&page);
    size_t unused = room > page_lines ? room - page_lines : 0;
    size_t max_feet = unused > FEET_LINES ? unused : FEET_LINES;
    foot_lines = foot_lines < max_feet ? foot_lines : max_feet;
    room -= foot_lines < room ? foot_lines : room;
    for (size_t lines = add_lines(to, &page, room); lines < room; lines++)
        text_add(to, "\n");
    add_lines(to, &feet, foot_lines);
    if (is_roomy(screen))
        text_add(to, "\n");
    large_letters_add(to, verdict.word, verdict.tone, &of_letters, screen->rows / LETTERS_SHARE);
    add_lines(to, &prompt, prompt_lines);
    if (to->length > 0) /* the cursor stays in the last row */
        to->data[--to->length] = '\0';
    text_free(&page);
    text_free(&feet);
    text_free(&prompt);
}
