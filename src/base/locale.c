/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independence of the locale. newlocale("C") neither allocates nor reads files in
 * glibc and musl: both have that locale built in. Should it fail all the same, the
 * code in between runs in the process's locale, which can only change the look of
 * a text for people.
 */
#include "base/locale.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void kin__c_locale_begin(kin__locale_scope *scope)
{
    scope->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    scope->before = scope->c ? uselocale(scope->c) : (locale_t)0;
}

void kin__c_locale_end(kin__locale_scope *scope)
{
    int saved = errno;

    if (scope->c) {
        uselocale(scope->before);
        freelocale(scope->c);
    }
    errno = saved;
}

const char *kin__strerror(int os_error, char *buf, size_t size)
{
    kin__locale_scope scope;

    kin__c_locale_begin(&scope);
    const char *text = scope.c ? strerror_l(os_error, scope.c) : NULL;
    snprintf(buf, size, "%s", text ? text : "unknown error");
    kin__c_locale_end(&scope);
    return buf;
}
