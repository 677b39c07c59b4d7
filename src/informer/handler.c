/* SPDX-License-Identifier: Apache-2.0 */
#include "kinform/handler.h"

const char *kin_event_type_name(kin_event_type type)
{
    switch (type) {
    case KIN_EVENT_ADD:
        return "add";
    case KIN_EVENT_UPDATE:
        return "update";
    case KIN_EVENT_DELETE:
        return "delete";
    }
    return "?";
}
