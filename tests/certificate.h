/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate that signed itself, and its key, in files of a test's. Its
 * signatures always have the same length, so the records of a handshake do. */
#ifndef SURETY_TESTS_CERTIFICATE_H
#define SURETY_TESTS_CERTIFICATE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

struct certificate {
    char folder[64], certificate[80], key[80];
};

static inline bool certificate_write(const struct certificate *files,
                                     EVP_PKEY *key, X509 *one)
{
    FILE *out = fopen(files->certificate, "w");
    bool is_done = out && PEM_write_X509(out, one) == 1;

    if (out)
        is_done = !fclose(out) && is_done;
    out = fopen(files->key, "w");
    is_done = out && !fchmod(fileno(out), 0600) &&
              PEM_write_PrivateKey(out, key, NULL, NULL, 0, NULL, NULL) == 1 &&
              is_done;
    if (out)
        is_done = !fclose(out) && is_done;
    return is_done;
}

/* Makes both files in a folder of their own. */
static inline bool certificate_make(struct certificate *files)
{
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    X509 *one = X509_new();
    X509_NAME *name = one ? X509_get_subject_name(one) : NULL;
    bool is_done =
        key && name && X509_set_version(one, 2) &&
        ASN1_INTEGER_set(X509_get_serialNumber(one), 1) &&
        X509_gmtime_adj(X509_getm_notBefore(one), -60) &&
        X509_gmtime_adj(X509_getm_notAfter(one), 3600) &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                                   (const unsigned char *)"a", 1, -1, 0) &&
        X509_set_issuer_name(one, name) && X509_set_pubkey(one, key) &&
        X509_sign(one, key, NULL);

    snprintf(files->folder, sizeof(files->folder), "/tmp/surety-tls-XXXXXX");
    is_done = is_done && mkdtemp(files->folder);
    snprintf(files->certificate, sizeof(files->certificate), "%s/c",
             files->folder);
    snprintf(files->key, sizeof(files->key), "%s/k", files->folder);
    is_done = is_done && certificate_write(files, key, one);
    X509_free(one);
    EVP_PKEY_free(key);
    return is_done;
}

static inline void certificate_remove(const struct certificate *files)
{
    unlink(files->certificate);
    unlink(files->key);
    rmdir(files->folder);
}

#endif
