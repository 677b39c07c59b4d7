/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in their two forms. core/v1 and events.k8s.io/v1 are one collection, in core's form:
 *
 * | core/v1            | events.k8s.io/v1         |
 * |--------------------|--------------------------|
 * | involvedObject     | regarding                |
 * | message            | note                     |
 * | source             | deprecatedSource         |
 * | firstTimestamp     | deprecatedFirstTimestamp |
 * | lastTimestamp      | deprecatedLastTimestamp  |
 * | count              | deprecatedCount          |
 * | reportingComponent | reportingController      |
 *
 * All else has the same name in both. Pure: an object in, another out.
 */
#ifndef KIN_APISERVER_PROTOCOL_EVENT_CONVERSION_H
#define KIN_APISERVER_PROTOCOL_EVENT_CONVERSION_H

#include "kinform/object.h"

enum kin__event_form { KIN__EVENT_CORE, KIN__EVENT_EVENTS };

/*
 * The object in the wanted form, with the apiVersion of that form. One whose apiVersion says that
 * it has it already is given back; one without an apiVersion counts as core's. 0: *ret SHARED;
 * KIN_ETYPE (no document), KIN_ENOMEM, KIN_ELIMIT, KIN_ESYSTEM.
 */
int kin__event_convert(const kin_object **ret, const kin_object *event, enum kin__event_form to,
                       kin_error *err);

#endif
