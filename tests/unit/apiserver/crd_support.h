/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CustomResourceDefinitions for tests.
 */
#ifndef KIN_TEST_CRD_SUPPORT_H
#define KIN_TEST_CRD_SUPPORT_H

#include "apiserver/kinds/kind_crd.h"
#include "apiserver_support.h"

#define SCHEMA "\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}"
#define V1 "{\"name\":\"v1\",\"served\":true,\"storage\":true," SCHEMA "}"

/* widgets.example.com, with these names and versions. */
#define CRD(names, versions)                                                                       \
    "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","        \
    "\"scope\":\"Namespaced\",\"names\":{" names "},\"versions\":[" versions "]}}"
#define NAMES "\"plural\":\"widgets\",\"kind\":\"Widget\""

static inline const kin__kind *kind_of(const char *json)
{
    const kin_object *crd = object_of(json);
    const kin__kind *kind = NULL;
    kin__failure failure;

    if (!kin__kind_from_crd(&kind, crd, &failure))
        fail_msg("%s: %s", json, failure.message);
    kin_object_unref(crd);
    return kind;
}

/* A kind of a group with these names. */
static inline const kin__kind *named_kind(const char *group, const char *plural, const char *kind,
                                          const char *short_name)
{
    char json[1024];

    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s.%s\"},\"spec\":{\"group\":\"%s\",\"scope\":\"Cluster\","
             "\"names\":{\"plural\":\"%s\",\"kind\":\"%s\",\"shortNames\":[\"%s\"]},\"versions\":["
             "{\"name\":\"v1beta1\",\"served\":true,\"storage\":false," SCHEMA "}," V1 "]}}",
             plural, group, group, plural, kind, short_name);
    return kind_of(json);
}

#endif
