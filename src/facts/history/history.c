/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives the names of the outcomes of predictions. */
#include "facts/history/history.h"

const char *prediction_check_name(enum prediction_check check)
{
    static const char *const names[] = {[PREDICTION_NONE] = "",
                                        [PREDICTION_HELD] = "held",
                                        [PREDICTION_MISSED] = "missed",
                                        [PREDICTION_LEFT_OUT] = "left out"};
    return names[check];
}
