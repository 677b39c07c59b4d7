/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of requests; the part of request_info.h that reads them.
 */
#ifndef KIN_APISERVER_PROTOCOL_QUERY_H
#define KIN_APISERVER_PROTOCOL_QUERY_H

#include "apiserver/protocol/request_info.h"

/*
 * Reads the options that belong to info->verb, and turns GET without a name into LIST or WATCH and
 * DELETE without one into DELETE_COLLECTION. `room` takes as many bytes as the query has, and lives
 * as long as the options. False: 400, 422.
 */
bool kin__query_read(kin__request_info *info, const kin__request *request, char *room,
                     kin__failure *failure);

/* The byte that "%41" at `at` stands for; false if no two hexadecimal digits follow. */
bool kin__percent_decode(kin_str text, size_t at, char *ret);

#endif
