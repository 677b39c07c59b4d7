/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose text it is, of an object that cannot be read to its end.
 */
#ifndef KIN_OBJECT_STREAM_KEY_H
#define KIN_OBJECT_STREAM_KEY_H

#include "kinform/common.h"

/*
 * The value of "metadata" at the top of an object, in a text that is well-formed as far as it goes and may
 * be cut off anywhere. False if there is none, or it is not all there, or is no map.
 */
bool kin__stream_find_metadata(kin_str text, kin_str *ret);

#endif
