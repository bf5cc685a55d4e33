/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libcurl that are used. */
#ifndef SURETY_PROVIDER_CURL_H
#define SURETY_PROVIDER_CURL_H

#include <curl/curl.h>

#include "load/load.h"

#define SURETY__CURL(FUNCTION)                                                 \
    FUNCTION(curl_easy_cleanup, easy_cleanup)                                  \
    FUNCTION(curl_easy_getinfo, easy_getinfo)                                  \
    FUNCTION(curl_easy_init, easy_init)                                        \
    FUNCTION(curl_easy_setopt, easy_setopt)                                    \
    FUNCTION(curl_easy_strerror, easy_strerror)                                \
    FUNCTION(curl_free, free)                                                  \
    FUNCTION(curl_global_cleanup, global_cleanup)                              \
    FUNCTION(curl_global_init, global_init)                                    \
    FUNCTION(curl_multi_add_handle, multi_add_handle)                          \
    FUNCTION(curl_multi_cleanup, multi_cleanup)                                \
    FUNCTION(curl_multi_info_read, multi_info_read)                            \
    FUNCTION(curl_multi_init, multi_init)                                      \
    FUNCTION(curl_multi_remove_handle, multi_remove_handle)                    \
    FUNCTION(curl_multi_setopt, multi_setopt)                                  \
    FUNCTION(curl_multi_socket_action, multi_socket_action)                    \
    FUNCTION(curl_multi_strerror, multi_strerror)                              \
    FUNCTION(curl_url, url)                                                    \
    FUNCTION(curl_url_cleanup, url_cleanup)                                    \
    FUNCTION(curl_url_get, url_get)                                            \
    FUNCTION(curl_url_set, url_set)

typedef struct surety__curl {
    SURETY__CURL(SURETY__POINTER)
} surety__curl;

#endif
