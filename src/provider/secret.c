/* SPDX-License-Identifier: Apache-2.0 */
/* secret.c: names of secrets in headers, queries and configurations.
 * Recordings leave such members out; a configuration that has one is
 * refused. */
#include "provider/provider.h"

/* In lower case, without "_" and "-". */
static const char *const secret_names[] = {
    "key",          "apikey",      "secret",      "apisecret",
    "secretkey",    "token",       "apitoken",    "authtoken",
    "bearer",       "bearertoken", "accesstoken", "accesskey",
    "password",     "passwd",      "auth",        "authorization",
    "credentials",  "xapikey",     "openaikey",   "openaiapikey",
    "anthropickey", "geminikey",   "xgoogapikey", "subscriptionkey",
    "cookie",       "sig",         "signature"};

static const char *const secret_headers[] = {
    "authorization", "proxy-authorization", "x-api-key",
    "api-key",       "x-goog-api-key",      "cookie"};

/* Whether text is name, ignoring case, "_" and "-". */
static bool secret_is(surety_str text, const char *name)
{
    for (size_t i = 0; i < text.len; i++) {
        const char byte = text.ptr[i];

        if (byte == '_' || byte == '-')
            continue;
        if ((byte >= 'A' && byte <= 'Z' ? byte + 32 : byte) != *name)
            return false;
        name++;
    }
    return *name == '\0';
}

bool surety__name_is_secret(surety_str name)
{
    for (size_t i = 0; i < SURETY__COUNT(secret_names); i++)
        if (secret_is(name, secret_names[i]))
            return true;
    return false;
}

bool surety__header_is_secret(surety_str name)
{
    return surety__str_among_nocase(name, secret_headers,
                                    SURETY__COUNT(secret_headers));
}
