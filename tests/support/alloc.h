/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An allocator that counts, and fails on demand.
 *
 * kin_test_alloc_install() goes first in main(). From then on every allocation of the
 * library is counted, and tests can ask for the n-th one from now to fail.
 */
#ifndef KIN_TEST_ALLOC_H
#define KIN_TEST_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

enum kin_test_alloc_mode {
    KIN_TEST_FAIL_ONE,  /* the n-th allocation fails, those behind it work again */
    KIN_TEST_FAIL_REST, /* the n-th and all behind it fail */
};

void kin_test_alloc_install(void);

/* Allocations that exist now. */
size_t kin_test_alloc_live(void);
/* Their bytes, as the C library rounds them. */
size_t kin_test_alloc_bytes(void);
/* Allocations and reallocations asked for since the last kin_test_alloc_arm(). */
size_t kin_test_alloc_count(void);

/* Count from 0 again; the n-th (from 1) is to fail, 0 for none. */
void kin_test_alloc_arm(size_t n, enum kin_test_alloc_mode mode);
/* Let all succeed again; whether one was failed since it was armed. */
bool kin_test_alloc_disarm(void);
/* Whether one was failed since it was armed. */
bool kin_test_alloc_has_failed(void);

/*
 * From now on, count blocks that hold this text when they are given back: secrets that were not
 * wiped. NULL to stop; BORROWED until then.
 */
void kin_test_alloc_look_for(const char *text);
size_t kin_test_alloc_found(void);

#endif
