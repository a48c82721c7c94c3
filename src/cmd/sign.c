/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cupel sign: writes a certificate and its signature. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/file.h"
#include "base/file/file_identity.h"
#include "certificate/issue/certificate_issue.h"
#include "certificate/signature/ssh_signature.h"
#include "cmd/options/command.h"
#include "cmd/output/stored_certificate.h"

#define CERTIFICATE_BYTES_MAX ((size_t)1 << 22)

struct sign_options {
    char key[1024];
};

static const struct option_row sign_options[] = {
    {.section = "The key",
     .name = "key",
     .letter = 'k',
     .argument = "FILE",
     .kind = OPTION_TEXT,
     OPTION_FIELD(struct sign_options, key),
     .value_words = "none: it must be given",
     .help = "The private key: Ed25519, as ssh-keygen -t ed25519 makes it, without a passphrase, "
             "and readable by its owner alone."},
    {0},
};

/* ---- what is signed ---- */

static bool is_certificate(const char *path)
{
    char line[sizeof CERTIFICATE_TITLE + 1];
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && file_first_line(path, line, sizeof line) &&
           !strcmp(line, CERTIFICATE_TITLE);
}

/* Writes a new file. Fails with ERR_USAGE if it exists, with ERR_TARGET if it cannot be written. */
static int write_new(const char *path, const struct text *text, struct err *e)
{
    if (text->failed)
        return err_no_memory(e, "%.200s", path);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno == EEXIST ? err_set(e, ERR_USAGE,
                                         "%.300s exists already and is not overwritten: remove it "
                                         "to sign anew",
                                         path)
                               : err_set(e, ERR_TARGET, "%.300s: %s", path, strerror(errno));
    int status = write_all(fd, text->data, text->length, path, e);
    if (!status && fsync(fd))
        status = err_set(e, ERR_TARGET, "%.300s: %s", path, strerror(errno));
    if (status)
        file_remove(fd, AT_FDCWD, path);
    close(fd);
    return status;
}

static int read_certificate(const char *path, struct text *to, struct err *e)
{
    char *text;
    size_t length;
    if (file_read_all(path, CERTIFICATE_BYTES_MAX, &text, &length, e))
        return -1;
    text_add_bytes(to, text, length);
    free(text);
    return 0;
}

static int check_certificate(const char *of, const char *certificate, const struct text *text,
                             struct err *e)
{
    if (text->failed)
        return err_no_memory(e, "%.200s", certificate);
    if (stored_certificate_check_files(of, text->data, text->length, e) ||
        (!certificate_is_of_machine(of) &&
         stored_certificate_check_text(of, text->data, text->length, e)))
        return err_context(e, "%.200s is not signed", certificate);
    return 0;
}

/* Reads the certificate of a result, which must be equal to a certificate made anew from the
   record. If there is none, makes and writes it. */
static int certificate_of(const char *path, const char *certificate, struct text *to, struct err *e)
{
    if (access(certificate, F_OK))
        return certificate_is_of_machine(path)
                   ? err_set(e, ERR_USAGE,
                             "%.200s has no certificate, and none can be made of it any more: "
                             "it is made with the judgement of the machine (--certificate)",
                             path)
               : stored_certificate_make(path, "", NULL, to, NULL, e)
                   ? -1
                   : write_new(certificate, to, e);
    return read_certificate(certificate, to, e) || check_certificate(path, certificate, to, e) ? -1
                                                                                               : 0;
}

/* Reads a certificate that the operand names, and compares it with the result in the same folder,
   if there is one. */
static int take_named(const char *certificate, struct text *to, struct err *e)
{
    char beside[PATH_MAX];
    if (read_certificate(certificate, to, e))
        return -1;
    if (certificate_result_beside(beside, certificate, to->failed ? "" : to->data))
        return check_certificate(beside, certificate, to, e);
    puts("not checked: no record is beside the certificate; its text is signed as it stands");
    return 0;
}

static int take_certificate(const char *operand, char certificate[PATH_MAX], struct text *to,
                            struct err *e)
{
    if (!is_certificate(operand))
        return certificate_path(certificate, operand, e) ||
                       certificate_of(operand, certificate, to, e)
                   ? -1
                   : 0;
    if (!file_path(certificate, "%s", operand))
        return err_set(e, ERR_USAGE, "%.100s...: the name is too long", operand);
    return take_named(operand, to, e);
}

/* ---- the command ---- */

static int sign(const struct ssh_key *key, const char *operand, struct err *e)
{
    char certificate[PATH_MAX], path[PATH_MAX], fingerprint[SSH_FINGERPRINT_TEXT];
    struct text text = {0}, signature = {0};
    int status = take_certificate(operand, certificate, &text, e);
    if (!status && text.failed)
        status = err_no_memory(e, "%.200s", certificate);
    if (!status && !file_path(path, "%s.sig", certificate))
        status = err_set(e, ERR_USAGE, "%.100s...: the name is too long", certificate);
    if (!status) {
        ssh_signature_make(&signature, key, (struct span){text.data, text.length});
        status = write_new(path, &signature, e);
    }
    if (!status)
        printf("%s: the signature of %s, by the key %s\n", path, certificate,
               ssh_fingerprint(fingerprint, key->public));
    text_free(&text);
    text_free(&signature);
    return status;
}

static int run_sign(const struct option_set *set, struct err *e)
{
    struct sign_options o = {.key = ""};
    struct ssh_key key;
    if (options_store(set, &o, e))
        return -1;
    if (!o.key[0])
        return err_set(e, ERR_USAGE,
                       "-k KEY is missing: the private key to sign with; ssh-keygen -t ed25519 -f "
                       "KEY makes one");
    if (ssh_key_read(&key, o.key, e))
        return -1;
    int status = sign(&key, set->operands[0], e);
    ssh_key_wipe(&key);
    return status;
}

const struct command command_sign = {
    .name = "sign",
    .operands = "DIR|RECORD|CERTIFICATE",
    .summary = "sign the certificate of a kept result",
    .description =
        (const char *const[]){
            "Signs DIR/certificate.txt, which is made from the record when it is not there yet, "
            "and writes the signature beside it: certificate.txt.sig. A certificate that the "
            "record does not make is not signed, and of one without a record beside it the "
            "command says that nothing was checked. The certificate holds the SHA-256 of the "
            "record, "
            "so that its signature is one of the record too.",
            "The signature is SSHSIG by an Ed25519 key of OpenSSH, in the namespace "
            "cupel-certificate: cupel report --verify DIR checks it and the record, and ssh-keygen "
            "-Y verify checks it without cupel. A signature that is there is not overwritten.",
            NULL},
    .options = sign_options,
    .examples =
        (const struct help_item[]){
            {"ssh-keygen -t ed25519 -N '' -f acceptance", "A key for this purpose, once."},
            {"cupel sign -k acceptance result", "Sign what cupel run -o result kept."},
            {"cupel report --verify result --allowed-signers signers",
             "Is it still what somebody signed whom signers names?"},
            {"ssh-keygen -Y verify -n cupel-certificate -s certificate.txt.sig ...",
             "The signature alone, without cupel: docs/certificate.md has the whole line."},
            {0}},
    .statuses =
        (const struct help_item[]){
            {"0", "Signed."},
            {"1", "The certificate that is there is not the one that the record makes."},
            {"2",
             "Wrong options, no record, a key that is encrypted, of another type or none, or a "
             "signature that is there already."},
            {"3", "Others may read the private key."},
            {"4", "The certificate or the signature could not be written."},
            {"6", "Not enough memory."},
            {0}},
    .files = (const struct help_item[]){{"DIR/certificate.txt", "The certificate."},
                                        {"DIR/certificate.txt.sig", "Its signature."},
                                        {0}},
    .min_operands = 1,
    .max_operands = 1,
    .run = run_sign,
};
