/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The C locale for one thread and one stretch of code.
 *
 * printf's %f and strerror() obey the locale of the process, which is not ours to
 * rely on or to change. The pair below switches this thread only.
 */
#ifndef KIN_BASE_LOCALE_H
#define KIN_BASE_LOCALE_H

#include <locale.h>
#include <stddef.h>

typedef struct kin__locale_scope {
    locale_t c;
    locale_t before;
} kin__locale_scope;

void kin__c_locale_begin(kin__locale_scope *scope);
/* Keeps errno. */
void kin__c_locale_end(kin__locale_scope *scope);

/* What an errno value means, in English. Never fails; `buf` must hold at least 32 bytes. */
const char *kin__strerror(int os_error, char *buf, size_t size);

#endif
