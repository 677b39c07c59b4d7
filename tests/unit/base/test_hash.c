/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashing and the process's seed. The seed is made once per process, so what happens
 * when it is made is tested in forked children: as long as the parent never asks for
 * the seed, every child makes its own. The last test is the parent's.
 *
 * getrandom() below takes the place of the C library's, so that it can fail.
 */
#include "kin_test.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "child.h"

enum random_source { RANDOM_REAL, RANDOM_MISSING, RANDOM_SHORT, RANDOM_ZERO, RANDOM_FIXED };

#define FIXED_BYTE 0x5b

static enum random_source random_source; /* set before threads are made */
static unsigned n_asked;                 /* of the fixed source */

ssize_t getrandom(void *buf, size_t len, unsigned flags)
{
    switch (random_source) {
    case RANDOM_MISSING:
        errno = ENOSYS;
        return -1;
    case RANDOM_SHORT:
        memset(buf, 0, len);
        return (ssize_t)(len / 2);
    case RANDOM_ZERO:
        memset(buf, 0, len);
        return (ssize_t)len;
    case RANDOM_FIXED:
        n_asked++;
        memset(buf, FIXED_BYTE, len);
        return (ssize_t)len;
    default:
        return syscall(SYS_getrandom, buf, len, flags);
    }
}

/* --- the hash --- */

/* Our function only passes on: this is about which argument goes where. */
static void hash_is_xxh3_with_a_seed(void **state)
{
    static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX, UINT64_C(1) << 63};
    char data[2048];

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 31 + 7);
    /* All lengths up to and around the borders between XXH3's algorithms. */
    for (size_t len = 0; len <= sizeof(data); len += len < 300 ? 1 : 61) {
        for (size_t s = 0; s < kin__array_len(seeds); s++)
            assert_true(kin__hash(seeds[s], data, len) ==
                        XXH3_64bits_withSeed(data, len, seeds[s]));
    }
}

/* Values of the reference implementation, so that not both sides change together. */
static void hash_has_the_published_values(void **state)
{
    (void)state;
    assert_true(kin__hash(0, "", 0) == UINT64_C(0x2d06800538d394c2));
    assert_true(kin__hash(0, "a", 1) == UINT64_C(0xe6c632b61e964e1f));
    assert_true(kin__hash(0, "abc", 3) == UINT64_C(0x78af5f94892f3950));
}

static void nothing_can_be_hashed(void **state)
{
    (void)state;
    assert_true(kin__hash(7, NULL, 0) == kin__hash(7, "", 0));
    assert_true(kin__hash(7, NULL, 0) != kin__hash(8, NULL, 0));
}

static void another_seed_gives_another_hash(void **state)
{
    static const char *const keys[] = {"", "a", "default/web-7", "kube-system/coredns-5d78c9869d"};
    uint64_t hashes[kin__array_len(keys)][100];

    (void)state;
    for (size_t k = 0; k < kin__array_len(keys); k++) {
        for (uint64_t seed = 0; seed < 100; seed++) {
            hashes[k][seed] = kin__hash(seed, keys[k], strlen(keys[k]));
            for (uint64_t other = 0; other < seed; other++)
                assert_true(hashes[k][seed] != hashes[k][other]);
        }
    }
}

static void every_byte_counts(void **state)
{
    char data[64] = "namespaces/default/pods/web-5d78c9869d-xk2p8";
    uint64_t before = kin__hash(1, data, sizeof(data));

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++) {
        data[i] ^= 1;
        assert_true(kin__hash(1, data, sizeof(data)) != before);
        data[i] ^= 1;
    }
    assert_true(kin__hash(1, data, sizeof(data)) == before);
    assert_true(kin__hash(1, data, sizeof(data) - 1) != before);
}

/* --- the seed, in children --- */

/* Writes its seed to standard error, which the parent reads. */
static int tell_seed(void *arg)
{
    random_source = *(enum random_source *)arg;
    uint64_t seed = kin__hash_seed();
    if (seed == 0 || kin__hash_seed() != seed)
        return 1;
    if (random_source == RANDOM_FIXED && n_asked != 1)
        return 2;
    random_source = RANDOM_MISSING;
    if (kin__hash_seed() != seed)
        return 3;
    fprintf(stderr, "%llx", (unsigned long long)seed);
    return 0;
}

static uint64_t seed_of_child(enum random_source source)
{
    kin_test_child child;

    kin_test_run_child(&child, tell_seed, &source);
    assert_int_equal(child.exit_code, 0);
    uint64_t seed = strtoull(child.output, NULL, 16);
    assert_true(seed != 0);
    return seed;
}

static void seed_is_stable_and_random_per_process(void **state)
{
    (void)state;
    assert_true(seed_of_child(RANDOM_REAL) != seed_of_child(RANDOM_REAL));
}

/* Asked for once; but for the lowest bit, which keeps it from being 0, it is what was given. */
static void seed_is_the_system_s_randomness(void **state)
{
    uint64_t fixed;

    (void)state;
    memset(&fixed, FIXED_BYTE, sizeof(fixed));
    assert_true(seed_of_child(RANDOM_FIXED) >> 1 == fixed >> 1);
}

static void seed_is_never_0_even_if_chance_wants_it(void **state)
{
    (void)state;
    assert_true(seed_of_child(RANDOM_ZERO) != 0);
}

/* By time and process id: not constant, and more than a few bits of it differ. */
static void seed_is_hard_to_guess_without_getrandom(void **state)
{
    (void)state;
    for (int source = RANDOM_MISSING; source <= RANDOM_SHORT; source++) {
        uint64_t a = seed_of_child((enum random_source)source);
        uint64_t b = seed_of_child((enum random_source)source);

        assert_true(__builtin_popcountll(a ^ b) > 5);
        assert_true((a | b) >> 32 != 0);
    }
}

#define N_THREADS 8

static pthread_barrier_t start;
static uint64_t seeds[N_THREADS];

static void *ask_for_seed(void *arg)
{
    uint64_t *ret = arg;

    pthread_barrier_wait(&start);
    *ret = kin__hash_seed();
    return NULL;
}

/* All threads ask at once: whoever loses must take the winner's seed. */
static int race_for_the_seed(void *arg)
{
    pthread_t threads[N_THREADS];

    (void)arg;
    if (pthread_barrier_init(&start, NULL, N_THREADS) != 0)
        return 1;
    for (int i = 0; i < N_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, ask_for_seed, &seeds[i]) != 0)
            return 2;
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++) {
        if (seeds[i] == 0 || seeds[i] != seeds[0] || seeds[i] != kin__hash_seed())
            return 3;
    }
    return 0;
}

static void threads_that_race_for_the_seed_get_the_same(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        kin_test_child child;

        kin_test_run_child(&child, race_for_the_seed, NULL);
        if (child.exit_code != 0)
            fail_msg("exit code %d: %s", child.exit_code, child.output);
    }
}

static void children_of_a_process_with_a_seed_share_it(void **state)
{
    uint64_t seed = kin__hash_seed();

    (void)state;
    assert_true(seed != 0);
    assert_true(kin__hash_seed() == seed);
    assert_true(seed_of_child(RANDOM_REAL) == seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_is_xxh3_with_a_seed),
        cmocka_unit_test(hash_has_the_published_values),
        cmocka_unit_test(nothing_can_be_hashed),
        cmocka_unit_test(another_seed_gives_another_hash),
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(seed_is_stable_and_random_per_process),
        cmocka_unit_test(seed_is_the_system_s_randomness),
        cmocka_unit_test(seed_is_never_0_even_if_chance_wants_it),
        cmocka_unit_test(seed_is_hard_to_guess_without_getrandom),
        cmocka_unit_test(threads_that_race_for_the_seed_get_the_same),
        cmocka_unit_test(children_of_a_process_with_a_seed_share_it), /* last: makes the seed */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
