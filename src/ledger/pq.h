/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of libpq that are used. */
#ifndef SURETY_LEDGER_PQ_H
#define SURETY_LEDGER_PQ_H

#include <libpq-fe.h>

#include "load/load.h"

#define SURETY__PQ(FUNCTION)                                                   \
    FUNCTION(PQclear, clear)                                                   \
    FUNCTION(PQcmdTuples, cmdTuples)                                           \
    FUNCTION(PQconnectPoll, connectPoll)                                       \
    FUNCTION(PQconnectStartParams, connectStartParams)                         \
    FUNCTION(PQconninfoFree, conninfoFree)                                     \
    FUNCTION(PQconninfoParse, conninfoParse)                                   \
    FUNCTION(PQconsumeInput, consumeInput)                                     \
    FUNCTION(PQerrorMessage, errorMessage)                                     \
    FUNCTION(PQfinish, finish)                                                 \
    FUNCTION(PQflush, flush)                                                   \
    FUNCTION(PQfreemem, freemem)                                               \
    FUNCTION(PQftype, ftype)                                                   \
    FUNCTION(PQgetResult, getResult)                                           \
    FUNCTION(PQgetisnull, getisnull)                                           \
    FUNCTION(PQgetlength, getlength)                                           \
    FUNCTION(PQgetvalue, getvalue)                                             \
    FUNCTION(PQisBusy, isBusy)                                                 \
    FUNCTION(PQnfields, nfields)                                               \
    FUNCTION(PQntuples, ntuples)                                               \
    FUNCTION(PQparameterStatus, parameterStatus)                               \
    FUNCTION(PQresultErrorField, resultErrorField)                             \
    FUNCTION(PQresultErrorMessage, resultErrorMessage)                         \
    FUNCTION(PQresultStatus, resultStatus)                                     \
    FUNCTION(PQsendQuery, sendQuery)                                           \
    FUNCTION(PQsendQueryParams, sendQueryParams)                               \
    FUNCTION(PQsetNoticeProcessor, setNoticeProcessor)                         \
    FUNCTION(PQsetnonblocking, setnonblocking)                                 \
    FUNCTION(PQsocket, socket)                                                 \
    FUNCTION(PQstatus, status)

typedef struct surety__pq {
    SURETY__PQ(SURETY__POINTER)
} surety__pq;

#endif
