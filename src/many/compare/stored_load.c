/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads stored results: records, and folders of one or several sessions. */
#include "many/compare/internal.h"

#include <limits.h>
#include <stdlib.h>

#include "base/file/file.h"
#include "base/file/record_file.h"
#include "many/repeat/find_rate.h"
#include "many/repeat/repeat.h"
#include "run/session/session.h"

const char *stored_lack(enum verdict verdict)
{
    switch (verdict) {
    case VERDICT_CUT_SHORT:
        return "its record is cut short, because it was killed or parts are missing";
    case VERDICT_FAILED:
        return "it failed before its end";
    case VERDICT_INTERRUPTED:
        return "a signal came before its end";
    case VERDICT_SUSPENDED:
        return "it was stopped in the middle";
    case VERDICT_UNCONFIRMED:
        return "its record says that it is decided, and computed again it is not";
    default:
        return NULL;
    }
}

static int refuse_damaged(const char *path, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "%s: the record is damaged, and decides nothing; cupel report shows what of it "
                   "holds",
                   path);
}

static bool is_damaged(const struct result *r)
{
    bool damaged = r->verdict == VERDICT_DAMAGED;
    for (size_t i = 0; r->repeat && i < r->repeat->session_count; i++)
        damaged = damaged || r->repeat->sessions[i].verdict == VERDICT_DAMAGED;
    return damaged;
}

int stored_result_use(const char *path, stored_use *use, void *context, struct err *e)
{
    char record[PATH_MAX];
    bool folder = dir_exists(path);
    struct repeat *repeat = NULL;
    struct find_rate *search = NULL;
    struct session *session = NULL;
    struct result *result = calloc(1, sizeof *result);
    if (!result)
        return err_no_memory(e, "the result of %s", path);
    record_file(record, path);
    bool searched = folder && find_rate_is_folder(path);
    bool repeated = folder && repeat_is_folder(path);
    int status = searched   ? find_rate_load(&search, path, e)
                 : repeated ? repeat_load(&repeat, path, e)
                            : session_load(&session, record, e);
    if (!status) {
        if (searched)
            find_rate_result(search, result);
        else if (repeated)
            repeat_result(repeat, result);
        else
            session_result(session, result);
        status = is_damaged(result) ? refuse_damaged(path, e) : use(context, result, e);
    }
    find_rate_free(search);
    repeat_free(repeat);
    session_free(session);
    free(result);
    return status;
}

int stored_program_use(const char *path, stored_program_taker *use, void *context, struct err *e)
{
    char record[PATH_MAX];
    struct exec_session *session;
    struct execution *x = calloc(1, sizeof *x);
    if (!x)
        return err_no_memory(e, "the execution in %s", path);
    record_file(record, path);
    int status = exec_session_load(&session, record, e);
    if (!status) {
        exec_session_result(session, x);
        status = x->verdict == VERDICT_DAMAGED ? refuse_damaged(path, e) : use(context, x, e);
        exec_session_free(session);
    }
    free(x);
    return status;
}

bool stored_is_program(const char *path)
{
    char record[PATH_MAX];
    record_file(record, path);
    return exec_is_record(record);
}
