/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "certificate/signature/ssh_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "certificate/signature/internal.h"

/* Enough for an RSA key of 16384 bits. */
#define FILE_MAX 16384

#define KEY_MAGIC "openssh-key-v1" /* including its '\0' */

/* ---- the contents of a key file ---- */

/* Refuses key files of ssh-keygen -m PEM and of other programs: "-----BEGIN RSA PRIVATE
   KEY-----". */
static int refuse_other(struct span text, struct err *e)
{
    static const char begin[] = "-----BEGIN ";
    char name[64];
    const char *first = memmem(text.text, text.length, begin, strlen(begin));
    if (!first && text.length > 4 && !memcmp(text.text, "ssh-", 4))
        return err_set(e, ERR_USAGE,
                       "it is a public key: the private one has the same name without .pub");
    if (!first)
        return err_set(e, ERR_USAGE,
                       "it is no private key of OpenSSH: ssh-keygen -t ed25519 -f NEW makes one");
    first += strlen(begin);
    size_t rest = text.length - (size_t)(first - text.text), length = 0;
    while (length < rest && first[length] != '-' && first[length] != '\n')
        length++;
    return err_set(e, ERR_USAGE,
                   "it is a file of the kind %s, and only Ed25519 keys as OpenSSH keeps them sign "
                   "certificates: ssh-keygen -t ed25519 -f NEW makes one",
                   span_printable(name, sizeof name, (struct span){first, length}));
}

/* Returns true if the bytes are padding: 1, 2, 3 ..., up to a multiple of 8. */
static bool is_padding(struct span rest)
{
    for (size_t i = 0; i < rest.length; i++)
        if ((unsigned char)rest.text[i] != i + 1)
            return false;
    return rest.length < 8;
}

/* Reads the secret part of a key file. In a file with a passphrase, this part is encrypted. */
static int read_secrets(struct ssh_key *key, struct wire *w, struct err *e)
{
    unsigned char public[ED25519_BYTES];
    uint32_t check = wire_number(w);
    bool same = wire_number(w) == check;
    if (w->failed || !same || wire_public(w, public, NULL))
        return err_set(e, ERR_USAGE, "its private key is not whole");
    const unsigned char *both = wire_bytes(w, sizeof key->seed + sizeof public);
    wire_string(w); /* the comment */
    if (w->failed || !is_padding(w->rest))
        return err_set(e, ERR_USAGE, "its private key is not whole");
    memcpy(key->seed, both, sizeof key->seed);
    ed25519_public(public, key->seed);
    if (memcmp(public, key->public, sizeof public) != 0 ||
        memcmp(public, both + sizeof key->seed, sizeof public) != 0)
        return err_set(e, ERR_USAGE, "its public key is not that of its private key");
    return 0;
}

static int read_envelope(struct ssh_key *key, struct wire *w, struct err *e)
{
    char name[64];
    if (!wire_is(w, KEY_MAGIC, sizeof KEY_MAGIC))
        return err_set(e, ERR_USAGE, "it is no private key of OpenSSH");
    struct span cipher = wire_string(w);
    wire_string(w); /* skips the name of the function that derives the key of the encryption */
    wire_string(w); /* skips the options of that function */
    uint32_t count = wire_number(w);
    struct wire public = {.rest = wire_string(w)}, secret = {.rest = wire_string(w)};
    if (w->failed || w->rest.length || count != 1)
        return err_set(e, ERR_USAGE, "it is not whole, or holds more than one key");
    if (wire_public(&public, key->public, e))
        return -1;
    if (public.rest.length)
        return err_set(e, ERR_USAGE, "bytes follow its public key");
    if (!span_is(cipher, "none"))
        return err_set(e, ERR_USAGE,
                       "it is encrypted (%s), and cupel asks for no passphrase: sign with a copy "
                       "without one, which ssh-keygen -p -f COPY makes",
                       span_printable(name, sizeof name, cipher));
    return read_secrets(key, &secret, e);
}

int ssh_key_parse(struct ssh_key *key, struct span text, struct err *e)
{
    static const char armour[] = "OPENSSH PRIVATE KEY";
    unsigned char *bytes;
    size_t length;
    *key = (struct ssh_key){.seed = {0}};
    if (!memmem(text.text, text.length, "-----BEGIN OPENSSH PRIVATE KEY-----", 35))
        return refuse_other(text, e);
    if (armour_read(text, armour, &bytes, &length, e))
        return -1;
    struct wire w = {.rest = {(const char *)bytes, length}};
    int status = read_envelope(key, &w, e);
    armour_free(bytes, length);
    if (status)
        ssh_key_wipe(key);
    return status;
}

void ssh_key_wipe(struct ssh_key *key)
{
    wipe(key, sizeof *key);
}

/* ---- the file ---- */

/* Refuses, like ssh, a key file of this user that others may read. */
static int check_permissions(int fd, struct err *e)
{
    struct stat st;
    if (fstat(fd, &st))
        return err_set(e, ERR_USAGE, "%s", strerror(errno));
    if (st.st_uid == getuid() && (st.st_mode & 077))
        return err_set(e, ERR_UNSAFE,
                       "others may read this private key (mode %04o): chmod 600 it, and sign with "
                       "another key if it may be known to them",
                       (unsigned)st.st_mode & 07777);
    return 0;
}

int ssh_key_read(struct ssh_key *key, const char *path, struct err *e)
{
    char text[FILE_MAX];
    size_t length = 0;
    ssize_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return err_set(e, ERR_USAGE, "%.200s: %s", path, strerror(errno));
    int status = 0;
    while (length < sizeof text && (n = read(fd, text + length, sizeof text - length)) > 0)
        length += (size_t)n;
    if (n < 0)
        status = err_set(e, ERR_USAGE, "%s", strerror(errno));
    else if (memmem(text, length, "PRIVATE KEY", strlen("PRIVATE KEY")))
        status = check_permissions(fd, e);
    close(fd);
    if (!status && length == sizeof text)
        status = err_set(e, ERR_USAGE, "it is longer than any private key");
    if (!status)
        status = ssh_key_parse(key, (struct span){text, length}, e);
    wipe(text, sizeof text);
    return status ? err_context(e, "%.200s", path) : 0;
}

/* ---- fingerprints ---- */

char *ssh_fingerprint(char to[SSH_FINGERPRINT_TEXT], const unsigned char public[ED25519_BYTES])
{
    unsigned char hash[SHA256_BYTES];
    struct text blob = {0}, letters = {0};
    wire_add_public(&blob, public);
    if (!blob.failed)
        sha256(hash, blob.data, blob.length);
    text_add_base64(&letters, hash, sizeof hash);
    bool failed = blob.failed || letters.failed;
    snprintf(to, SSH_FINGERPRINT_TEXT, "SHA256:%.43s", failed ? "?" : letters.data);
    text_free(&blob);
    text_free(&letters);
    return to;
}
