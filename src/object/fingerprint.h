/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints: a number that changes when somebody writes to an object, which nobody may.
 */
#ifndef KIN_OBJECT_FINGERPRINT_H
#define KIN_OBJECT_FINGERPRINT_H

#include "kinform/object.h"

/* What the object's class says, or, if it has no hash function, of key and resource version. */
uint64_t kin__object_fingerprint(const kin_object *object);

/* The document class' hash function: of all bytes, those of the shared values it refers to included. */
uint64_t kin__document_fingerprint(const kin_object *object);

#endif
