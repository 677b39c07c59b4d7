/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Accept header: which form of an object or list the client wants. Pure.
 */
#ifndef KIN_APISERVER_PROTOCOL_ACCEPT_H
#define KIN_APISERVER_PROTOCOL_ACCEPT_H

#include "apiserver/kinds/failure.h"

/* The Table is not served yet: a clause that asks for one is passed over. */
enum kin__form { KIN__FORM_FULL, KIN__FORM_METADATA, KIN__FORM_TABLE };
enum kin__form_version { KIN__FORM_V1, KIN__FORM_V1BETA1 };

typedef struct kin__accepted {
    enum kin__form form;
    enum kin__form_version version; /* of meta.k8s.io, if the form is not FULL */
    bool is_list_form; /* PartialObjectMetadataList was named: no single object will do */
    bool is_yaml;
    bool is_protobuf;
    bool pretty; /* pretty=1 */
} kin__accepted;

/*
 * As the real server negotiates: by q, then by the order in the header; parameters it does not know
 * are ignored. JSON, YAML and protobuf are served; YAML not to watches, and of custom resources only
 * their metadata in protobuf. CBOR is passed over.
 * False: 406, in words that depend on the kind and on what is done. A get must not ask for a list,
 * and a list not for an object.
 */
bool kin__accept_read(kin_str accept, const kin__kind *kind, enum kin__verb verb,
                      kin__accepted *ret, kin__failure *failure);

/*
 * The same for an object that protobuf cannot hold: the best of the other media types whose q is not 0. False: there is
 * none, and *ret has not changed.
 */
bool kin__accept_read_without_protobuf(kin_str accept, const kin__kind *kind, enum kin__verb verb,
                                       kin__accepted *ret);

/* What discovery is asked for. */
enum kin__discovery { KIN__DISCOVERY_PLAIN, KIN__DISCOVERY_V2, KIN__DISCOVERY_V2BETA1 };

/*
 * The same for /api and /apis. An aggregated form is given whenever one is accepted, also if a
 * plain one is liked better. *ret_content_type is static.
 */
bool kin__accept_read_discovery(kin_str accept, enum kin__discovery *ret,
                                const char **ret_content_type, kin__failure *failure);

#endif
