/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform demo writes as lines: how it goes where there is no terminal, and what it was in the end. */
#ifndef KIN_CLI_DEMO_SUMMARY_H
#define KIN_CLI_DEMO_SUMMARY_H

#include "cli/demo_figures.h"

/* Where it serves, and the kubeconfig. */
void demo_add_beginning(struct text *out, const struct demo_figures *f);
void demo_add_synced(struct text *out, const struct demo_figures *f);
/* How it goes, and the last change if there is one. */
void demo_add_progress(struct text *out, const struct demo_figures *f);
/* Of informers that have synced. */
void demo_add_summary(struct text *out, const struct demo_figures *f);

#endif
