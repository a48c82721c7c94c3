/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "base/version.h"
#include "certificate/issue/certificate.h"

int certificate_make(const struct certificate_request *request, struct text *out, struct text *html,
                     struct err *e)
{
    struct certificate_file *files = NULL;
    size_t count = 0;
    if (request->path && certificate_files(&files, &count, request->path, e))
        return -1;
    struct certificate certificate = {
        .result = request->result,
        .qualification = request->qualification,
        .status = request->status->code,
        .missing = request->status->msg,
        .version = request->version ? request->version : cupel_version,
        .files = files,
        .file_count = count,
    };
    certificate_hash_list(certificate.list_sha256, files, count);
    certificate_print_text(&certificate, out);
    if (html)
        certificate_print_html(&certificate, html);
    free(files);
    return out->failed || (html && html->failed) ? err_no_memory(e, "a certificate") : 0;
}
