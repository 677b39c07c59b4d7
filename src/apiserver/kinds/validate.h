/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, labels, annotations and the rest of metadata, judged as Kubernetes judges them
 * (apimachinery's validation and apiserver's ValidateObjectMeta). Adds causes to a failure of 422.
 */
#ifndef KIN_APISERVER_KINDS_VALIDATE_H
#define KIN_APISERVER_KINDS_VALIDATE_H

#include "apiserver/kinds/failure.h"
#include "apiserver/kinds/kind.h"
#include "kinform/object.h"

/*
 * Whether a body fits the path that it was sent to: its apiVersion and kind are those of the kind,
 * or of its subresource, if that is not NULL (Scale, Binding); its metadata have the types that
 * they must have, its namespace is that of the path (or missing, or of a kind without namespaces:
 * whoever writes it sets or removes it), and so is its name, if the path has one. 400 otherwise;
 * 422 for apiVersion and kind of a custom resource.
 */
bool kin__validate_body(const kin__kind *kind, kin_str version, const kin__subresource *subresource,
                        kin_str namespace_, kin_str name, const kin_object *object,
                        kin__failure *failure);
/* The first part of that: apiVersion, kind and types. */
bool kin__validate_type(const kin__kind *kind, kin_str version, const kin__subresource *subresource,
                        const kin_object *object, kin__failure *failure);

/*
 * Whether the metadata of an object that is to be created, with its name and namespace set, is
 * good. Else false, and 422.
 */
bool kin__validate_create(const kin__kind *kind, const kin_object *object, kin__failure *failure);
/*
 * The same for a change: also what must not change (uid, name, namespace, creationTimestamp,
 * deletionTimestamp …). Whoever writes has put the old values in where the object had none. The
 * real server names some causes twice here; we do not.
 */
bool kin__validate_update(const kin__kind *kind, const kin_object *object, const kin_object *old,
                          kin__failure *failure);

/* 256 KiB of keys and values. */
#define KIN__ANNOTATIONS_MAX 262144

#endif
