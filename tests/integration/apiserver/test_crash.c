/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGKILL under load. A child writes into a database from several threads, and says through a pipe
 * which writes were acknowledged. It is killed after some of them, in the middle of whatever it
 * does. Then the database is opened here:
 *
 * - each acknowledged write is there, with its version;
 * - versions go on without a gap, and what was written can be watched from where the round began;
 * - what was watched, replayed onto the list of the round before, gives the list of now.
 *
 * The next round goes on with the same database. KIN_CRASH_ROUNDS says how many there are,
 * KIN_TEST_SEED which.
 */
#include "kin_test.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apiserver/state/state.h"
#include "base/compiler.h"
#include "base/str.h"
#include "rng.h"
#include "state_support.h"

enum {
    N_KEYS = 60,
    N_THREADS = 3,
    PER_ROUND = 1200, /* at most */
    WINDOW = 2000,    /* more than that, and less than two rounds: it is compacted meanwhile */
};

/* One write. Small enough for a pipe to take as a whole. */
struct written {
    uint64_t version;
    uint32_t key;
    uint32_t value; /* 0: deleted */
};

/* --- the child --- */

static kin__state *state;
static kin__collection *pods;
static int pipe_fd;

struct pending {
    kin__write_done base;
    struct written written;
};

static void key_of(char *key, unsigned k)
{
    snprintf(key, 16, "ns%u/k%u", k % 3, k);
}

static void on_done(kin__write_done *base, int code)
{
    struct pending *pending = kin__container_of(base, struct pending, base);

    if (code < 0 || write(pipe_fd, &pending->written, sizeof(pending->written)) !=
                        (ssize_t)sizeof(pending->written))
        _exit(3);
    free(pending);
}

static void write_one(kin_test_rng *rng)
{
    struct pending *pending = calloc(1, sizeof(*pending));
    unsigned k = (unsigned)kin_test_below(rng, N_KEYS);
    const kin_object *object = NULL;
    kin__write write;
    bool is_deletion;
    char key[16];

    if (!pending)
        _exit(4);
    key_of(key, k);
    kin__state_begin(state, &write, pods, kin_str_of(key));
    is_deletion = write.current && kin_test_below(rng, 4) == 0;
    pending->base.fn = on_done;
    pending->written = (struct written){
        write.version, k, is_deletion ? 0 : 1 + (uint32_t)kin_test_below(rng, 1000000)};
    if (kin_test_document(&object, write.key, write.version, pending->written.value,
                          kin_test_below(rng, 12000), NULL) < 0 ||
        kin__state_commit(state, &write, object, is_deletion, &pending->base, NULL) < 0)
        _exit(5);
    kin_object_unref(object);
}

static void *write_many(void *arg)
{
    for (unsigned i = 0; i < PER_ROUND / N_THREADS; i++)
        write_one(arg);
    return NULL;
}

static _Noreturn void run_child(const char *path, uint64_t seed, int fd)
{
    kin_test_rng rngs[N_THREADS];
    pthread_t threads[N_THREADS];

    pipe_fd = fd;
    state = kin_test_open_state(path, WINDOW, 0);
    pods = kin_test_collection(state, "pods");
    for (unsigned i = 0; i < N_THREADS; i++) {
        rngs[i].state = seed + i;
        pthread_create(&threads[i], NULL, write_many, &rngs[i]);
    }
    for (unsigned i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (;;)
        pause(); /* the end comes from outside */
}

/* --- the parent --- */

static struct written acknowledged[PER_ROUND];
static size_t n_acknowledged;
static uint64_t model[N_KEYS];  /* version of each key, 0: not there */
static uint32_t values[N_KEYS]; /* and its value */
static uint64_t model_version;  /* of which that is the state */
static uint64_t unacknowledged; /* writes that were there although nobody was told */

/* Read until the end, and kill the child after some. */
static void read_and_kill(int fd, pid_t child, size_t after)
{
    struct written written;
    ssize_t got;
    bool is_killed = after == 0 && kill(child, SIGKILL) == 0; /* while it opens the database */

    n_acknowledged = 0;
    while ((got = read(fd, &written, sizeof(written))) > 0) {
        assert_int_equal(got, sizeof(written));
        assert_true(n_acknowledged < PER_ROUND);
        acknowledged[n_acknowledged++] = written;
        if (n_acknowledged >= after && !is_killed)
            is_killed = kill(child, SIGKILL) == 0;
    }
    assert_true(is_killed);
}

static void on_notify(kin__watcher *watcher)
{
    (void)watcher;
}

static unsigned key_index(const kin_object *object)
{
    kin_str name = kin_object_name(object);
    uint64_t k = N_KEYS;

    assert_code(kin__str_to_u64(&k, kin_str_make(name.data + 1, name.len - 1)), 0);
    assert_true(k < N_KEYS);
    return (unsigned)k;
}

static void replay(const kin__change *change, size_t *next)
{
    unsigned k = key_index(change->object);
    uint32_t value = change->is_deletion ? 0 : kin_test_document_value(change->object);

    assert_int_equal(change->version, model_version + 1);
    assert_int_equal(change->version, kin_test_document_version(change->object));
    assert_int_equal(change->old ? kin_test_document_version(change->old) : 0, model[k]);
    if (*next < n_acknowledged) {
        const struct written *written = &acknowledged[(*next)++];

        assert_int_equal(written->version, change->version);
        assert_int_equal(written->key, k);
        assert_int_equal(written->value, value);
    } else {
        unacknowledged++;
    }
    model[k] = change->is_deletion ? 0 : change->version;
    values[k] = value;
    model_version = change->version;
}

static void check_history(void)
{
    kin__watcher watcher = {.notify = on_notify};
    kin__change *changes[64];
    uint64_t version;
    size_t next = 0;
    size_t n;

    assert_code(kin__watcher_open(&watcher, state, pods, model_version, NULL), 0);
    do {
        assert_code(kin__watcher_read(&watcher, changes, 64, &n, &version), 0);
        for (size_t i = 0; i < n; i++) {
            replay(changes[i], &next);
            kin__change_unref(changes[i]);
        }
    } while (n > 0);
    kin__watcher_close(&watcher);
    assert_int_equal(next, n_acknowledged);
    assert_int_equal(kin__state_version(state), model_version);
}

static void check_list(void)
{
    kin__state_query query = {.version = 0};
    kin__state_page page;
    size_t n = 0;

    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    for (size_t i = 0; i < page.objects.len; i++) {
        unsigned k = key_index(page.objects.items[i]);

        assert_int_equal(kin_test_document_version(page.objects.items[i]), model[k]);
        assert_int_equal(kin_test_document_value(page.objects.items[i]), values[k]);
    }
    for (unsigned k = 0; k < N_KEYS; k++)
        n += model[k] > 0;
    assert_int_equal(page.objects.len, n);
    kin_object_list_done(&page.objects);
}

static void run_round(const char *path, kin_test_rng *rng)
{
    uint64_t seed = kin_test_random(rng);
    size_t after = kin_test_below(rng, 8) == 0 ? 0 : 1 + kin_test_below(rng, PER_ROUND);
    int fds[2];
    int status;
    pid_t child;

    assert_int_equal(pipe(fds), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(fds[0]);
        run_child(path, seed, fds[1]);
    }
    close(fds[1]);
    read_and_kill(fds[0], child, after);
    close(fds[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

    state = kin_test_open_state(path, WINDOW, 0);
    pods = kin_test_collection(state, "pods");
    check_history();
    check_list();
    kin__state_free(state);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value ? strtoull(value, NULL, 10) : otherwise;
}

static void what_was_acknowledged_survives(void **unused)
{
    const char *path = kin_test_database("crash.db");
    uint64_t rounds = setting("KIN_CRASH_ROUNDS", 10);
    kin_test_rng rng = {setting("KIN_TEST_SEED", 1)};

    (void)unused;
    model_version = 1;
    for (uint64_t i = 0; i < rounds; i++)
        run_round(path, &rng);
    print_message("%llu rounds, %llu versions, %llu of them not acknowledged\n",
                  (unsigned long long)rounds, (unsigned long long)model_version,
                  (unsigned long long)unacknowledged);
    kin_test_remove_database(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_acknowledged_survives),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
