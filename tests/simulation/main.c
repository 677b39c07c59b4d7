/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs simulations: one process per seed, so that each begins with the same memory, and a crash is a finding.
 *
 *     kin-simulate [--seeds N] [--first S] [--jobs N]     many; with --seconds N as many as fit, and at least these
 *     kin-simulate --seed S                               one; a failure is shrunk and told as a story
 *     kin-simulate --defects                              lists the planted defects
 *     kin-simulate --prove [--seeds N]                    finds each of them
 *     kin-simulate --defect NAME ...                      any of the others, with a defect
 *
 * Exit status: 0; 1: a guarantee was broken; 2: wrong usage.
 */
#include <dirent.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/defect.h"
#include "run.h"

kin__defect kin__planted;

static const struct {
    const char *name;
    const char *text;
} defects[] = {{"", ""},
#define DEFECT(name, text) {#name, text},
               KIN__DEFECT_LIST(DEFECT)
#undef DEFECT
};
enum { N_DEFECTS = sizeof(defects) / sizeof(defects[0]) };

/* Real seconds that a simulation may take. */
enum { MAX_SECONDS = 120 };

static struct {
    uint64_t first;
    uint64_t seeds;
    unsigned seconds; /* more seeds until then; 0: not */
    unsigned jobs;
    enum { MANY, SINGLE, LIST_DEFECTS, PROVE } what;
    bool twice;
} options = {1, 0, 0, 0, MANY, false};
enum { SEEDS = 500, SEEDS_PER_DEFECT = 10000 };

/* --- one simulation --- */

/* The world outlives the process that simulates in it. */
static sim_world *world;
static char snapshot_path[64];
static char parent[] = "/dev/shm/kin-simulate.XXXXXX";
static char directory[48]; /* of this job */

static void choose_directory(unsigned job)
{
    snprintf(directory, sizeof(directory), "%s/%u", parent, job);
    snprintf(snapshot_path, sizeof(snapshot_path), "%s/snapshot", directory);
}

/* Also of files that a process left behind when it died. */
static void empty_directory(void)
{
    DIR *dir = opendir(directory);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
}

/* The last line that the process has written to standard error, such as an assertion. */
static void read_last_words(int log, char *ret, size_t size)
{
    off_t end = lseek(log, 0, SEEK_END);
    off_t from = end > (off_t)size - 1 ? end - ((off_t)size - 1) : 0;
    ssize_t len = pread(log, ret, size - 1, from);

    ret[len > 0 ? len : 0] = '\0';
    while (len > 0 && ret[len - 1] == '\n')
        ret[--len] = '\0';
    const char *line = strrchr(ret, '\n');
    if (line)
        memmove(ret, line + 1, strlen(line));
}

static void simulate_plan(const sim_plan *plan)
{
    static int log = -1;
    char words[256];
    int status = 0;

    if (log < 0)
        log = memfd_create("standard error", MFD_CLOEXEC);
    if (log < 0 || ftruncate(log, 0) < 0)
        exit(2);

    /* The history is large, and the part that was not used is still empty. */
    size_t used = offsetof(sim_world, history.at) + world->history.n * sizeof(sim_record);
    memset(world, 0, used);
    memset(&world->verdict, 0, sizeof(*world) - offsetof(sim_world, verdict));
    world->plan = *plan;
    snprintf(world->snapshot, sizeof(world->snapshot), "%s", snapshot_path);
    if (plan->config.snapshot)
        empty_directory();
    fflush(stdout);
    do {
        pid_t pid = fork();

        if (pid == 0) {
            alarm(MAX_SECONDS);
            lseek(log, 0, SEEK_SET);
            dup2(log, STDERR_FILENO);
            sim_run(world);
            _exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid) {
            perror("kin-simulate");
            exit(2);
        }
    } while (status == 0 && world->has_died);
    sim_verdict *verdict = &world->verdict;
    if (status != 0 && !verdict->is_bad) {
        verdict->is_bad = true;
        verdict->at = world->history.n;
        verdict->key = SIM_NONE;
        snprintf(verdict->guarantee, sizeof(verdict->guarantee), "Live");
        read_last_words(log, words, sizeof(words));
        if (WIFSIGNALED(status))
            snprintf(verdict->text, sizeof(verdict->text), "the process ended with signal %d: %s",
                     WTERMSIG(status), words[0] ? words : strsignal(WTERMSIG(status)));
        else
            snprintf(verdict->text, sizeof(verdict->text), "the process ended with status %d: %s",
                     WEXITSTATUS(status), words);
    }
    if (!verdict->is_bad)
        sim_check(&world->history, &world->plan.config, verdict);
}

/* Of everything that was recorded. */
static uint64_t fingerprint(void)
{
    const unsigned char *bytes = (const unsigned char *)world->history.at;
    uint64_t hash = UINT64_C(14695981039346656037);

    for (size_t i = 0; i < world->history.n * sizeof(sim_record); i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

/* --- shrinking --- */

/* Other schedules that are tried for a smaller plan. */
enum { SCHEDULES = 12 };

/* Whether the plan still breaks the guarantee, with its schedule or with another, which then is the plan's. */
static bool still_fails(sim_plan *plan, const char *guarantee)
{
    for (unsigned i = 0; i < SCHEDULES; i++) {
        simulate_plan(plan);
        if (world->verdict.is_bad && strcmp(world->verdict.guarantee, guarantee) == 0)
            return true;
        plan->schedule.seed++;
    }
    return false;
}

/* Without actions [from, from + n). If it keeps time, their pauses go to the next action of the same actor. */
static void leave_out(sim_plan *to, const sim_plan *plan, unsigned from, unsigned n,
                      bool keeps_time)
{
    *to = *plan;
    for (unsigned i = from; i < from + n && keeps_time; i++) {
        sim_actor actor = sim_actor_of(plan->actions[i].what);

        for (unsigned k = from + n; k < plan->n; k++) {
            if (sim_actor_of(plan->actions[k].what) == actor) {
                to->actions[k].after_ns += plan->actions[i].after_ns;
                break;
            }
        }
    }
    memmove(&to->actions[from], &to->actions[from + n], (plan->n - from - n) * sizeof(sim_action));
    to->n = plan->n - n;
}

static bool shrink_actions(sim_plan *plan, unsigned n, const char *guarantee)
{
    static sim_plan less;
    bool is_less = false;

    for (unsigned from = 0; from + n <= plan->n;) {
        bool fails = false;

        for (int keeps_time = 1; keeps_time >= 0 && !fails; keeps_time--) {
            leave_out(&less, plan, from, n, keeps_time);
            fails = still_fails(&less, guarantee);
        }
        if (fails)
            *plan = less;
        else
            from += n;
        is_less |= fails;
    }
    return is_less;
}

static void shrink_pauses(sim_plan *plan, const char *guarantee)
{
    static sim_plan less;

    for (unsigned i = 0; i < plan->n; i++) {
        less = *plan;
        less.actions[i].after_ns = 1000;
        if (still_fails(&less, guarantee))
            *plan = less;
    }
}

/* A simpler program and a simpler network. */
static void shrink_config(sim_plan *plan, const char *guarantee)
{
    static const sim_config plain;
    static sim_plan less;
#define TRY(member)                                                                                \
    do {                                                                                           \
        less = *plan;                                                                              \
        memcpy(&less.config.member, &plain.member, sizeof(plain.member));                          \
        if (memcmp(&plan->config.member, &plain.member, sizeof(plain.member)) != 0 &&              \
            still_fails(&less, guarantee))                                                         \
            *plan = less;                                                                          \
    } while (0)

    TRY(dies_at);
    TRY(dies_at_end);
    TRY(snapshot);
    TRY(scopes);
    TRY(unversioned);
    TRY(controller);
    TRY(own_key);
    TRY(relist_ms);
    TRY(reconciler);
    TRY(rejects);
    TRY(slow_index);
    TRY(max_queued);
    TRY(resync_ms);
    TRY(latency_ns);
    TRY(page_size);
    TRY(streaming);
    TRY(ordered);
#undef TRY
}

static void shrink_switches(sim_plan *plan, const char *guarantee)
{
    static sim_plan less;

    for (uint64_t most = 1024; most > 0; most /= 2) {
        less = *plan;
        less.schedule.max_switches = most - 1;
        if (!still_fails(&less, guarantee))
            return;
        *plan = less;
    }
}

/* Fewer actions, a simpler configuration, shorter pauses, fewer switches between threads. */
static void shrink(sim_plan *plan, const char *guarantee)
{
    for (unsigned n = plan->n / 2; n > 1; n = n / 2 < plan->n ? n / 2 : plan->n / 2)
        shrink_actions(plan, n, guarantee);
    shrink_config(plan, guarantee);
    while (shrink_actions(plan, 1, guarantee))
        ;
    shrink_pauses(plan, guarantee);
    shrink_switches(plan, guarantee);
}

/* Whether a line about the record would only distract: reads of other objects, the routine after the last action. */
static bool is_noise(const sim_record *r, bool is_quiet)
{
    const sim_verdict *verdict = &world->verdict;
    bool is_other = verdict->key != SIM_NONE && r->key != verdict->key;

    switch (r->what) {
    case SIM_VIEW_ITEM:
    case SIM_INDEX_READ:
    case SIM_INDEX_HAS:
    case SIM_STORE_HAS:
    case SIM_SYNC_HAS:
        return is_other;
    case SIM_AGREED:
    case SIM_ENDED:
    case SIM_LISTED:
        return is_quiet && strcmp(verdict->guarantee, "Honest") != 0;
    default:
        return false;
    }
}

static void tell_story(void)
{
    const sim_history *history = &world->history;
    bool is_quiet = false;
    char line[256];

    for (size_t i = 0; i < history->n && i <= world->verdict.at; i++) {
        const sim_record *r = &history->at[i];

        sim_record_text(r, &world->plan, line, sizeof(line));
        if (line[0] && !is_noise(r, is_quiet))
            puts(line);
        is_quiet |= r->what == SIM_QUIET;
    }
    printf("\n%s is broken: %s\n", world->verdict.guarantee, world->verdict.text);
}

/* --- many --- */

struct totals {
    uint64_t seeds;
    uint64_t broken;
    uint64_t steps;
    int64_t simulated_ns;
};

static void run_job(unsigned job, struct totals *totals)
{
    static sim_plan plan;

    time_t end = time(NULL) + options.seconds;

    for (uint64_t i = job; i < options.seeds || time(NULL) < end; i += options.jobs) {
        uint64_t seed = options.first + i;

        sim_plan_make(&plan, seed);
        simulate_plan(&plan);
        totals->seeds++;
        totals->steps += world->steps;
        totals->simulated_ns += world->simulated_ns;
        if (world->verdict.is_bad) {
            totals->broken++;
            printf("seed %llu: %s is broken: %s\n", (unsigned long long)seed,
                   world->verdict.guarantee, world->verdict.text);
        } else if (options.twice) {
            uint64_t before = fingerprint();

            simulate_plan(&plan);
            if (fingerprint() != before) {
                totals->broken++;
                printf("seed %llu: two runs differ\n", (unsigned long long)seed);
            }
        }
    }
}

static void *map_shared(size_t size)
{
    int file = memfd_create("kin-simulate", MFD_CLOEXEC);
    void *at = MAP_FAILED;

    if (file >= 0 && ftruncate(file, (off_t)size) == 0)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (at == MAP_FAILED) {
        perror("kin-simulate");
        exit(2);
    }
    return at;
}

/* Batons pass faster between threads of one core. */
static void stay_on_core(unsigned job)
{
    cpu_set_t all;
    cpu_set_t one;
    unsigned n = 0;

    CPU_ZERO(&all);
    if (sched_getaffinity(0, sizeof(all), &all) < 0)
        return;
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (CPU_ISSET(core, &all) && n++ == job % (unsigned)CPU_COUNT(&all)) {
            CPU_ZERO(&one);
            CPU_SET(core, &one);
            sched_setaffinity(0, sizeof(one), &one);
            return;
        }
    }
}

static void make_world(unsigned job)
{
    world = map_shared(sizeof(*world));
    choose_directory(job);
    mkdir(directory, 0700);
    stay_on_core(job);
}

static int run_many(void)
{
    struct totals *totals = map_shared(options.jobs * sizeof(*totals));
    struct totals sum = {0};
    struct timespec began;
    struct timespec ended;
    int status;

    clock_gettime(CLOCK_MONOTONIC, &began);
    for (unsigned job = 0; job < options.jobs; job++) {
        fflush(stdout);
        if (fork() == 0) {
            make_world(job);
            run_job(job, &totals[job]);
            fflush(stdout);
            _exit(0);
        }
    }
    while (wait(&status) > 0)
        ;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    for (unsigned job = 0; job < options.jobs; job++) {
        sum.seeds += totals[job].seeds;
        sum.broken += totals[job].broken;
        sum.steps += totals[job].steps;
        sum.simulated_ns += totals[job].simulated_ns;
    }
    double seconds =
        (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
    printf(
        "%llu seeds, %llu broken; %.0f simulated hours, %llu steps in %.1f s, %.0f steps per second\n",
        (unsigned long long)sum.seeds, (unsigned long long)sum.broken,
        (double)sum.simulated_ns / 3600e9, (unsigned long long)sum.steps, seconds,
        (double)sum.steps / seconds);
    return sum.broken || sum.seeds < options.seeds;
}

/* --- one --- */

static int run_one(void)
{
    static sim_plan plan;
    uint64_t seed = options.first;
    char config[256];
    char guarantee[sizeof(world->verdict.guarantee)];

    make_world(0);
    sim_plan_make(&plan, seed);
    simulate_plan(&plan);
    printf(
        "seed %llu: %u actions, %zu records, %llu steps, %.0f simulated seconds, history %016llx\n",
        (unsigned long long)seed, plan.n, world->history.n, (unsigned long long)world->steps,
        (double)world->simulated_ns / 1e9, (unsigned long long)fingerprint());
    if (!world->verdict.is_bad)
        return 0;
    printf("%s is broken: %s\nshrinking ...\n", world->verdict.guarantee, world->verdict.text);
    memcpy(guarantee, world->verdict.guarantee, sizeof(guarantee));
    shrink(&plan, guarantee);
    simulate_plan(&plan);
    sim_config_text(&plan.config, config, sizeof(config));
    printf("%u actions are left; %s\n\n", plan.n, config);
    tell_story();
    return 1;
}

/* --- planted defects --- */

static void list_defects(void)
{
    for (unsigned i = 1; i < N_DEFECTS; i++)
        printf("%-32s %s\n", defects[i].name, defects[i].text);
}

struct finding {
    uint64_t seed; /* 0: none */
    char guarantee[sizeof(((sim_verdict *)NULL)->guarantee)];
};

static void find_defect(unsigned defect, struct finding *ret)
{
    static sim_plan plan;

    for (uint64_t seed = options.first; seed < options.first + options.seeds; seed++) {
        kin__planted = (kin__defect)defect;
        sim_plan_make(&plan, seed);
        simulate_plan(&plan);
        if (!world->verdict.is_bad)
            continue;
        memcpy(ret->guarantee, world->verdict.guarantee, sizeof(ret->guarantee));
        /* Else the seed has found something else. */
        kin__planted = KIN__DEFECT_none;
        simulate_plan(&plan);
        if (world->verdict.is_bad)
            continue;
        ret->seed = seed;
        return;
    }
}

/* Whether the simulation finds each defect. */
static int prove(void)
{
    struct finding *findings = map_shared(N_DEFECTS * sizeof(*findings));
    _Atomic unsigned *next = map_shared(sizeof(*next));
    unsigned n_missing = 0;
    unsigned defect;

    *next = 1;
    for (unsigned job = 0; job < options.jobs; job++) {
        if (fork() != 0)
            continue;
        make_world(job);
        while ((defect = atomic_fetch_add(next, 1)) < N_DEFECTS)
            find_defect(defect, &findings[defect]);
        _exit(0);
    }
    while (wait(NULL) > 0)
        ;
    for (unsigned i = 1; i < N_DEFECTS; i++) {
        if (findings[i].seed)
            printf("%-32s seed %5llu  %s\n", defects[i].name, (unsigned long long)findings[i].seed,
                   findings[i].guarantee);
        else
            printf("%-32s not found\n", defects[i].name);
        n_missing += findings[i].seed == 0;
    }
    printf("%u of %d defects found\n", N_DEFECTS - 1 - n_missing, N_DEFECTS - 1);
    return n_missing > 0;
}

/* --- the command line --- */

static int usage(void)
{
    fputs(
        "usage: kin-simulate [--seeds N] [--seconds N] [--first S] [--jobs N] [--twice] [--defect NAME]\n"
        "       kin-simulate --seed S [--defect NAME]\n"
        "       kin-simulate --prove [--seeds N] [--jobs N] | --defects\n",
        stderr);
    return 2;
}

static bool plant(const char *name)
{
    for (unsigned i = 1; i < N_DEFECTS; i++) {
        if (strcmp(name, defects[i].name) == 0)
            kin__planted = (kin__defect)i;
    }
    return kin__planted != KIN__DEFECT_none;
}

static bool read_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--twice") == 0) {
            options.twice = true;
            continue;
        }
        if (strcmp(argv[i], "--defects") == 0 || strcmp(argv[i], "--prove") == 0) {
            options.what = argv[i][2] == 'd' ? LIST_DEFECTS : PROVE;
            continue;
        }
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--defect") == 0) {
            if (!plant(argv[++i]))
                return false;
            continue;
        }
        uint64_t value = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seeds") == 0)
            options.seeds = value;
        else if (strcmp(argv[i], "--seconds") == 0)
            options.seconds = (unsigned)value;
        else if (strcmp(argv[i], "--first") == 0 || strcmp(argv[i], "--seed") == 0)
            options.first = value;
        else if (strcmp(argv[i], "--jobs") == 0)
            options.jobs = (unsigned)value;
        else
            return false;
        if (strcmp(argv[i], "--seed") == 0)
            options.what = SINGLE;
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    /* The same addresses each time. */
    if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE) && personality(ADDR_NO_RANDOMIZE) >= 0)
        execv("/proc/self/exe", argv);
    if (!read_options(argc, argv))
        return usage();
    mallopt(M_ARENA_MAX, 1);
    if (options.jobs == 0)
        options.jobs = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    if (options.seeds == 0)
        options.seeds = options.what == PROVE ? SEEDS_PER_DEFECT : SEEDS;
    if (options.what == LIST_DEFECTS) {
        list_defects();
        return 0;
    }
    if (!mkdtemp(parent)) {
        perror(parent);
        return 2;
    }
    int result = options.what == MANY ? run_many() : options.what == PROVE ? prove() : run_one();
    for (unsigned job = 0; job < options.jobs; job++) {
        choose_directory(job);
        empty_directory();
        rmdir(directory);
    }
    rmdir(parent);
    return result;
}
