/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the certificate of a stored result, writes it, and checks a signed one. */
#include "cmd/output/stored_certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/version.h"
#include "certificate/issue/certificate_issue.h"
#include "certificate/issue/stored_result.h"
#include "certificate/signature/ssh_signature.h"
#include "cmd/output/output.h"
#include "run/plan/plan.h"

#define CERTIFICATE_BYTES_MAX ((size_t)1 << 22)

/* ---- making a certificate ---- */

int stored_certificate_make(const char *path, const char *sla, const char *version,
                            struct text *out, struct text *html, struct err *e)
{
    struct stored_result stored;
    struct err status = {0};
    int failed = stored_result_load(&stored, path, sla, e);
    if (!failed) {
        output_status(stored.result, &status);
        const struct certificate_request request = {
            .result = stored.result, .status = &status, .path = path, .version = version};
        failed = certificate_make(&request, out, html, e);
    }
    stored_result_free(&stored);
    return failed;
}

int output_certificate_check(bool asked, const char *format, const char *folder, struct err *e)
{
    if (asked && strcmp(format, "text") != 0 && strcmp(format, "html") != 0 && !folder[0])
        return err_set(e, ERR_USAGE,
                       "a certificate is text or html: leave --format %s out, or keep it with -o "
                       "DIR",
                       format);
    return 0;
}

/* Sets the status of a qualification. The message leaves out the verdict ("FAIL: "), because the
   certificate has its own word for it. */
static void machine_status(const struct qualification *q, struct err *status)
{
    char line[sizeof status->msg];
    status->code = qualification_status(q);
    const char *rest = strstr(qualification_line(q, line, sizeof line), ": ");
    snprintf(status->msg, sizeof status->msg, "%s", rest ? rest + 2 : line);
}

static int make(const struct output_certificate *of, struct text *out, struct text *html,
                struct err *e)
{
    struct err status = {0};
    if (of->path && of->result)
        return stored_certificate_make(of->path, of->sla ? of->sla : "", NULL, out, html, e);
    if (of->result)
        output_status(of->result, &status);
    else
        machine_status(of->qualification, &status);
    const struct certificate_request request = {.result = of->result,
                                                .qualification = of->qualification,
                                                .status = &status,
                                                .path = of->path};
    return certificate_make(&request, out, html, e);
}

static int write_all_of(const char *folder, const struct text *out, const struct text *html,
                        struct err *e)
{
    const char *list = certificate_list(out->data);
    return write_file_new(folder, CERTIFICATE_NAME, out->data, out->length, e) ||
                   write_file_new(folder, CERTIFICATE_PAGE, html->data, html->length, e) ||
                   (*list && write_file_new(folder, CERTIFICATE_LIST, list, strlen(list), e))
               ? -1
               : 0;
}

int output_certificate(const struct output_certificate *of, const struct output_form *form,
                       struct err *e)
{
    struct text out = {0}, html = {0};
    int status = make(of, &out, &html, e);
    if (!status && form->folder[0])
        status = write_all_of(form->folder, &out, &html, e);
    bool as_text = !strcmp(form->format, "text"), as_page = !strcmp(form->format, "html");
    if (!status && (as_text || as_page))
        status = output_text(as_page ? &html : &out, e);
    else if (!status && of->result)
        status = output_result(of->result, form, e);
    text_free(&out);
    text_free(&html);
    return status;
}

/* ---- checking a certificate ---- */

struct kept_certificate {
    char path[PATH_MAX], signature_path[PATH_MAX];
    char *text, *signature;
    size_t length, signature_length;
};

static void release(struct kept_certificate *kept)
{
    free(kept->text);
    free(kept->signature);
}

static struct span text_of(const struct kept_certificate *kept)
{
    return (struct span){kept->text, kept->length};
}

static int read_kept(struct kept_certificate *kept, const char *path, struct err *e)
{
    if (certificate_path(kept->path, path, e))
        return -1;
    if (access(kept->path, F_OK))
        return err_set(e, ERR_USAGE,
                       "%.200s is not there: cupel sign -k KEY %.200s makes and "
                       "signs it",
                       kept->path, path);
    if (!file_path(kept->signature_path, "%s.sig", kept->path))
        return err_set(e, ERR_USAGE, "%.100s: the name is too long", path);
    if (access(kept->signature_path, F_OK))
        return err_set(e, ERR_USAGE, "%.200s is not there: nobody has signed this certificate",
                       kept->signature_path);
    if (certificate_check_regular(kept->path, e) ||
        certificate_check_regular(kept->signature_path, e))
        return -1;
    return file_read_all(kept->path, CERTIFICATE_BYTES_MAX, &kept->text, &kept->length, e) ||
                   file_read_all(kept->signature_path, CERTIFICATE_BYTES_MAX, &kept->signature,
                                 &kept->signature_length, e)
               ? -1
               : 0;
}

/* Returns true if the certificate contains the line that sha256sum writes for this file. */
static bool has_line_of(const struct kept_certificate *kept, const struct certificate_file *file)
{
    char line[sizeof file->name + sizeof file->sha256 + 8];
    int length = snprintf(line, sizeof line, "\n%s  %s\n", file->sha256, file->name);
    return memmem(kept->text, kept->length, line, (size_t)length) != NULL;
}

static size_t count_lines(const struct kept_certificate *kept)
{
    size_t count = 0;
    for (const char *at = kept->text; (at = strchr(at, '\n')) != NULL;)
        count += strspn(++at, "0123456789abcdef") == 2 * SHA256_BYTES;
    return count;
}

int stored_certificate_check_files(const char *path, const char *certificate, size_t length,
                                   struct err *e)
{
    struct certificate_file *files;
    size_t count, found = 0;
    const struct kept_certificate kept = {.text = (char *)certificate, .length = length};
    if (certificate_files(&files, &count, path, e))
        return -1;
    while (found < count && has_line_of(&kept, &files[found]))
        found++;
    int status = 0;
    if (found < count)
        status = err_set(e, ERR_FAILED,
                         "%s: it is not as the certificate says: changed since, or of another "
                         "measurement",
                         files[found].name);
    else if (count_lines(&kept) != count)
        status =
            err_set(e, ERR_FAILED, "%.200s: files are missing that the certificate names", path);
    free(files);
    return status;
}

/* Makes the certificate again, with the clauses that it names, and compares the two. For a merged
   result, these clauses are stored only in the certificate. */
int stored_certificate_check_text(const char *path, const char *certificate, size_t length,
                                  struct err *e)
{
    char version[CERTIFICATE_VERSION_TEXT], sla[sizeof((struct plan *)0)->ending.sla];
    struct text again = {0};
    certificate_field(version, sizeof version, certificate, CERTIFICATE_MADE_BY);
    certificate_field(sla, sizeof sla, certificate, CERTIFICATE_JUDGED_BY);
    const char *by = !strncmp(version, "cupel ", 6) ? version + 6 : version;
    if (stored_certificate_make(path, sla, by, &again, NULL, e)) {
        text_free(&again);
        return -1;
    }
    bool same = again.length == length && !memcmp(again.data, certificate, length);
    text_free(&again);
    if (same)
        return 0;
    if (strcmp(by, cupel_version) != 0)
        return err_set(e, ERR_UNDECIDED,
                       "cupel %.40s made this certificate, and this is %s, which makes another one "
                       "of the record: verify it with that version",
                       by, cupel_version);
    return err_set(e, ERR_FAILED,
                   "the record does not make this certificate: one of them was "
                   "changed, or they are of two measurements");
}

static bool is_of_this_version(const struct kept_certificate *kept)
{
    char version[CERTIFICATE_VERSION_TEXT];
    certificate_field(version, sizeof version, kept->text, CERTIFICATE_MADE_BY);
    return !strncmp(version, "cupel ", 6) && !strcmp(version + 6, cupel_version);
}

/* Returns true if this program makes the same text from the record. */
static bool is_as_recorded(const struct kept_certificate *kept, const char *path)
{
    return !certificate_is_of_machine(path) && is_of_this_version(kept) &&
           !stored_certificate_check_files(path, kept->text, kept->length, NULL) &&
           !stored_certificate_check_text(path, kept->text, kept->length, NULL);
}

/* Checks only the signature. Fails with ERR_FAILED. If the record still gives the text of the
   certificate, the error says that the signature was changed, otherwise that the text was. */
static int check_signature(const struct kept_certificate *kept, const char *path,
                           struct ssh_signature *s, struct err *e)
{
    const struct span armoured = {kept->signature, kept->signature_length};
    if (ssh_signature_read(s, armoured, e)) {
        e->code = e->code == ERR_USAGE ? ERR_FAILED : e->code;
        return err_context(e, "%.200s", kept->signature_path);
    }
    if (ssh_signature_is_of(s, text_of(kept)))
        return 0;
    if (is_as_recorded(kept, path))
        return err_set(e, ERR_FAILED,
                       "%.200s: it is no signature of this certificate: it was changed, or is of "
                       "another one",
                       kept->signature_path);
    return err_set(e, ERR_FAILED,
                   "%.200s: it is not what was signed: it was changed since, or the signature is "
                   "of another certificate",
                   kept->path);
}

/* Checks the list of files, which is not signed: it must be equal to the certificate's list. */
static int check_list(const struct kept_certificate *kept, struct err *e)
{
    char path[PATH_MAX], *list;
    size_t length;
    int folder = (int)(strlen(kept->path) - strlen(CERTIFICATE_NAME));
    if (!file_path(path, "%.*s" CERTIFICATE_LIST, folder, kept->path) || access(path, F_OK))
        return 0;
    if (certificate_check_regular(path, e) ||
        file_read_all(path, CERTIFICATE_BYTES_MAX, &list, &length, e))
        return -1;
    bool same = !strcmp(list, certificate_list(kept->text)) && strlen(list) == length;
    free(list);
    return same ? 0
                : err_set(e, ERR_FAILED,
                          "%.200s: it is not the list of the certificate: it was changed", path);
}

/* Checks the page, which is not signed: it must be equal to the page that is made from the
   record. */
static int check_page(const struct kept_certificate *kept, const char *path, struct err *e)
{
    char page[PATH_MAX], sla[sizeof((struct plan *)0)->ending.sla], *kept_page;
    size_t length;
    struct text again = {0}, html = {0};
    int folder = (int)(strlen(kept->path) - strlen(CERTIFICATE_NAME));
    if (!file_path(page, "%.*s" CERTIFICATE_PAGE, folder, kept->path) || access(page, F_OK))
        return 0;
    if (!is_of_this_version(kept)) {
        printf("page         %s is not signed, and of another version: do not rely on it\n", page);
        return 0;
    }
    if (certificate_check_regular(page, e) ||
        file_read_all(page, CERTIFICATE_BYTES_MAX, &kept_page, &length, e))
        return -1;
    certificate_field(sla, sizeof sla, kept->text, CERTIFICATE_JUDGED_BY);
    int status = stored_certificate_make(path, sla, NULL, &again, &html, e);
    if (!status && (html.length != length || memcmp(html.data, kept_page, length) != 0))
        status = err_set(e, ERR_FAILED, "%.200s: it is not the page of this record: it was changed",
                         page);
    text_free(&again);
    text_free(&html);
    free(kept_page);
    return status;
}

/* Checks the reports in `folder` against those that are made from the record at `path` with the
   clauses `sla`. */
static int check_reports_of(const char *path, const char *folder, const char *sla, size_t *count,
                            struct err *e)
{
    struct stored_result stored;
    int status = stored_result_load(&stored, path, sla, e);
    if (!status)
        status = certificate_check_reports(folder, stored.result, count, e);
    stored_result_free(&stored);
    return status;
}

/* Checks the reports of each session, test or target, each in its own folder. */
static int check_reports_below(const char *folder, const struct certificate_file files[],
                               size_t file_count, size_t *count, struct err *e)
{
    for (size_t i = 0; i < file_count; i++) {
        char record[PATH_MAX], below[PATH_MAX];
        const char *name = files[i].name, *slash = strchr(name, '/');
        if (!slash)
            continue;
        if (!file_path(record, "%s%s", folder, name) ||
            !file_path(below, "%s%.*s", folder, (int)(slash + 1 - name), name))
            return err_set(e, ERR_USAGE, "%.100s...: the name is too long", folder);
        if (check_reports_of(record, below, "", count, e))
            return -1;
    }
    return 0;
}

/* Checks the reports, which are not signed: they must be equal to those that are made from the
   record. */
static int check_reports(const struct kept_certificate *kept, const char *path, struct err *e)
{
    char folder[PATH_MAX], sla[sizeof((struct plan *)0)->ending.sla];
    size_t count = 0, file_count;
    struct certificate_file *files;
    int length = (int)(strlen(kept->path) - strlen(CERTIFICATE_NAME));
    bool named = certificate_names_reports(path);
    if (length && kept->path[length - 1] != '/')
        return 0; /* RECORD.certificate.txt may have files of other results beside it */
    if (!is_of_this_version(kept)) {
        puts("reports      not checked, for another version made them: do not rely on them");
        return 0;
    }
    if (certificate_files(&files, &file_count, path, e))
        return -1;
    snprintf(folder, sizeof folder, "%.*s", length, kept->path);
    certificate_field(sla, sizeof sla, kept->text, CERTIFICATE_JUDGED_BY);
    int status = named ? 0 : check_reports_of(path, folder, sla, &count, e);
    if (!status)
        status = check_reports_below(folder, files, file_count, &count, e);
    free(files);
    if (!status && count)
        printf("reports      computed again from the record: the same %zu files\n", count);
    if (!status)
        printf("other files  not signed and not checked%s\n",
               named ? ", such as the tables of the sum" : "");
    return status;
}

static int check_contents(const struct kept_certificate *kept, const char *path, struct err *e)
{
    if (stored_certificate_check_files(path, kept->text, kept->length, e) || check_list(kept, e))
        return -1;
    if (certificate_is_of_machine(path)) {
        puts("record       as signed, all files of it");
        puts("certificate  as signed; its checks of the machine are in no record, and are not "
             "computed again");
        return check_reports(kept, path, e);
    }
    puts("record       as signed");
    if (stored_certificate_check_text(path, kept->text, kept->length, e))
        return err_context(e, "%.200s", kept->path);
    printf("certificate  computed again from the record: the same %zu bytes\n", kept->length);
    return check_page(kept, path, e) || check_reports(kept, path, e) ? -1 : 0;
}

/* Checks who signed. As anybody can make a key, only a key in a trusted file identifies the
   signer. */
static int check_signer(const struct ssh_signer *signer, const char *fingerprint,
                        const char *allowed_signers, struct err *e)
{
    if (signer->allowed) {
        printf("signer       %s\n", signer->who);
        return 0;
    }
    if (signer->refused[0])
        return err_set(e, ERR_UNDECIDED, "signed by a key that %.200s names but does not allow: %s",
                       allowed_signers, signer->refused);
    return err_set(e, ERR_UNDECIDED, "signed by an unknown key, %s: %s%.200s", fingerprint,
                   allowed_signers[0] ? "it is not in "
                                      : "name the keys that you trust with --allowed-signers",
                   allowed_signers);
}

/* Prints the result. The verdict on the certificate is printed too, as a verified one may be
   bad. */
static void print_verified(const struct kept_certificate *kept)
{
    const char *verdict = kept->text + strlen(CERTIFICATE_TITLE) + 2;
    printf("VERIFIED: this certificate, which says %.*s, is as it was signed\n",
           (int)strcspn(verdict, ":\n"), verdict);
}

int stored_certificate_verify(const char *path, const char *allowed_signers, struct err *e)
{
    struct kept_certificate kept = {.text = NULL};
    struct ssh_signature s;
    struct ssh_signer signer = {.allowed = false};
    char fingerprint[SSH_FINGERPRINT_TEXT];
    int status = read_kept(&kept, path, e);
    if (!status)
        status = check_signature(&kept, path, &s, e);
    if (!status && allowed_signers[0])
        status = ssh_signer_find(&signer, allowed_signers, s.public, SSH_SIGNATURE_NAMESPACE,
                                 time(NULL), e);
    if (!status) {
        ssh_fingerprint(fingerprint, s.public);
        printf("signature    of %s, by the key %s\n", kept.path, fingerprint);
        status = check_contents(&kept, path, e);
    }
    if (!status)
        status = check_signer(&signer, fingerprint, allowed_signers, e);
    if (!status)
        print_verified(&kept);
    release(&kept);
    return status;
}
