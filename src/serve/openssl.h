/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of OpenSSL that are used. Those of libcrypto are found in
 * libssl, which links it. */
#ifndef SURETY_SERVE_OPENSSL_H
#define SURETY_SERVE_OPENSSL_H

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include "load/load.h"

#define SURETY__OPENSSL(FUNCTION)                                              \
    FUNCTION(BIO_ctrl, bio_ctrl)                                               \
    FUNCTION(BIO_free, bio_free)                                               \
    FUNCTION(BIO_new_mem_buf, bio_new_mem_buf)                                 \
    FUNCTION(ERR_clear_error, clear_error)                                     \
    FUNCTION(ERR_peek_last_error, peek_last_error)                             \
    FUNCTION(ERR_reason_error_string, reason_error_string)                     \
    FUNCTION(EVP_PKEY_free, pkey_free)                                         \
    FUNCTION(OPENSSL_cleanse, cleanse)                                         \
    FUNCTION(PEM_read_bio_PrivateKey, pem_read_key)                            \
    FUNCTION(PEM_read_bio_X509, pem_read_x509)                                 \
    FUNCTION(PEM_read_bio_X509_CRL, pem_read_crl)                              \
    FUNCTION(SSL_CTX_add_client_CA, ctx_add_client_ca)                         \
    FUNCTION(SSL_CTX_check_private_key, ctx_check_key)                         \
    FUNCTION(SSL_CTX_ctrl, ctx_ctrl)                                           \
    FUNCTION(SSL_CTX_free, ctx_free)                                           \
    FUNCTION(SSL_CTX_get_cert_store, ctx_store)                                \
    FUNCTION(SSL_CTX_new, ctx_new)                                             \
    FUNCTION(SSL_CTX_set_alpn_select_cb, ctx_set_alpn)                         \
    FUNCTION(SSL_CTX_set_options, ctx_set_options)                             \
    FUNCTION(SSL_CTX_set_session_id_context, ctx_set_session_id)               \
    FUNCTION(SSL_CTX_set_verify, ctx_set_verify)                               \
    FUNCTION(SSL_CTX_use_PrivateKey, ctx_use_key)                              \
    FUNCTION(SSL_CTX_use_certificate, ctx_use_certificate)                     \
    FUNCTION(SSL_free, free)                                                   \
    FUNCTION(SSL_get_error, get_error)                                         \
    FUNCTION(SSL_is_init_finished, is_init_finished)                           \
    FUNCTION(SSL_new, new)                                                     \
    FUNCTION(SSL_read_ex, read_ex)                                             \
    FUNCTION(SSL_set_accept_state, set_accept_state)                           \
    FUNCTION(SSL_set_fd, set_fd)                                               \
    FUNCTION(SSL_shutdown, shutdown)                                           \
    FUNCTION(SSL_write_ex, write_ex)                                           \
    FUNCTION(TLS_server_method, server_method)                                 \
    FUNCTION(X509_CRL_free, crl_free)                                          \
    FUNCTION(X509_STORE_add_cert, store_add)                                   \
    FUNCTION(X509_STORE_add_crl, store_add_crl)                                \
    FUNCTION(X509_STORE_set_flags, store_set_flags)                            \
    FUNCTION(X509_free, x509_free)

typedef struct surety__openssl {
    SURETY__OPENSSL(SURETY__POINTER)
} surety__openssl;

#endif
