/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, labels, annotations and the rest of metadata, judged as Kubernetes judges them
 * (apimachinery's validation and apiserver's ValidateObjectMeta). Adds causes to a failure of 422.
 */
#ifndef KIN_APISERVER_VALIDATE_H
#define KIN_APISERVER_VALIDATE_H

#include "apiserver/failure.h"
#include "apiserver/kind.h"
#include "kinform/object.h"

/* What is wrong with a name; NULL if nothing is. The real server's words; static. */
const char *kin__name_problem(enum kin__name_rule rule, kin_str name, bool is_prefix);

/* Whether the metadata of an object that is to be created is good. Else false, and *failure. */
bool kin__validate_create(const kin__kind *kind, const kin_object *object, kin__failure *failure);
/* The same for a change: also what must not change (uid, name, namespace, creationTimestamp, deletionTimestamp …). */
bool kin__validate_update(const kin__kind *kind, const kin_object *object, const kin_object *old,
                          kin__failure *failure);
/* apiVersion and kind of a body are those of the path (400 otherwise), it has metadata that is a map, name and namespace agree with
 * the path. */
bool kin__validate_body(const kin__kind *kind, kin_str version, kin_str namespace_, kin_str name,
                        const kin_object *object, kin__failure *failure);

/* A field selector for objects of a kind: only fields that it has (400 otherwise, with the real words). */
struct kin_field_selector;
#endif
