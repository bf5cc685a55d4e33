/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libmicrohttpd that serve/ calls. */
#ifndef SURETY_SERVE_MHD_H
#define SURETY_SERVE_MHD_H

#include <microhttpd.h>

#include "load/load.h"

#define SURETY__MHD(FUNCTION)                                                  \
    FUNCTION(MHD_add_response_header, add_response_header)                     \
    FUNCTION(MHD_create_response_from_buffer, create_response_from_buffer)     \
    FUNCTION(MHD_create_response_from_callback, create_response_from_callback) \
    FUNCTION(MHD_destroy_response, destroy_response)                           \
    FUNCTION(MHD_get_connection_info, get_connection_info)                     \
    FUNCTION(MHD_get_daemon_info, get_daemon_info)                             \
    FUNCTION(MHD_get_timeout, get_timeout)                                     \
    FUNCTION(MHD_lookup_connection_value, lookup_connection_value)             \
    FUNCTION(MHD_queue_response, queue_response)                               \
    FUNCTION(MHD_resume_connection, resume_connection)                         \
    FUNCTION(MHD_run, run)                                                     \
    FUNCTION(MHD_start_daemon, start_daemon)                                   \
    FUNCTION(MHD_stop_daemon, stop_daemon)                                     \
    FUNCTION(MHD_suspend_connection, suspend_connection)

typedef struct surety__mhd {
    SURETY__MHD(SURETY__POINTER)
} surety__mhd;

#endif
