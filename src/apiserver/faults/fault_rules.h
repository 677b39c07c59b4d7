/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One rule for a fault: checked, copied, matched, as JSON. Knows no locks.
 */
#ifndef KIN_APISERVER_FAULTS_FAULT_RULES_H
#define KIN_APISERVER_FAULTS_FAULT_RULES_H

#include "apiserver/faults/faults.h"
#include "base/list.h"

typedef struct kin__fault_rule {
    kin__list link;
    uint64_t id;
    kin_fault fault; /* its texts are the rule's own */
    uint64_t hits;
    uint32_t spared;    /* of fault.skip */
    uint64_t random[2]; /* state of its own: rules do not disturb each other */
} kin__fault_rule;

/* Who asks. */
enum kin__fault_sort { KIN__FAULT_OF_REQUEST, KIN__FAULT_OF_CONNECTION, KIN__FAULT_OF_WATCH };
enum kin__fault_sort kin__fault_sort_of(kin_fault_type type);

/* Checked and with its defaults. 0, KIN_EINVAL, KIN_ENOMEM. */
int kin__fault_rule_new(kin__fault_rule **ret, const kin_fault *fault, uint64_t id, uint64_t seed,
                        kin_error *err);
void kin__fault_rule_free(kin__fault_rule *rule);

/* Whether verb and path match. */
bool kin__fault_rule_matches(const kin__fault_rule *rule, const char *verb, kin_str path);
/* It matches: whether it applies this time. Counts. */
bool kin__fault_rule_applies(kin__fault_rule *rule);
bool kin__fault_rule_is_used_up(const kin__fault_rule *rule);

void kin__fault_rule_write(const kin__fault_rule *rule, kin__buf *out);

#endif
