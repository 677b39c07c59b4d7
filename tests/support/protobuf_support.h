/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf in words, separated by spaces:
 *
 *     1{ … }     field 1 is a message
 *     1:text     a string
 *     1#0aff     bytes
 *     1=-5       an integer
 *     1~0.5      a double
 *     !0aff      these bytes, whatever they are
 */
#ifndef KIN_TEST_PROTOBUF_SUPPORT_H
#define KIN_TEST_PROTOBUF_SUPPORT_H

#include "base/buf.h"

#define KIN_TEST_PROTOBUF_MAX ((size_t)16 << 20)

void kin_test_pb_append(kin__buf *out, const char *words);
void kin_test_pb_append_message(kin__buf *out, unsigned number, kin_str message);
/* A body: the envelope says what it is, unless that is NULL. The buffer is made here. */
void kin_test_pb_body(kin__buf *out, const char *api_version, const char *kind, kin_str message);
void kin_test_pb_body_of(kin__buf *out, const char *api_version, const char *kind,
                         const char *words);
/* Append an event of a watch, whose object has these fields. */
void kin_test_pb_append_event(kin__buf *out, const char *type, const char *api_version,
                              const char *kind, const char *words);

#endif
