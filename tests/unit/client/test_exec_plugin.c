/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running plugins, most of them a line of shell: what they get, what is taken from them, and every
 * way in which they end.
 */
#include "kin_test.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "child.h"
#include "client/exec_credential.h"
#include "client/exec_plugin.h"
#include "credentials_support.h"
#include "oom.h"

struct fixture {
    shell_plugin plugin;
    kin__exec_run run;
    kin__wakeup wakeup;
    atomic_bool stop;
    remembering log;
    kin__secret output;
    kin_error err;
};

static void fixture_init(struct fixture *f, const char *script)
{
    memset(f, 0, sizeof(*f));
    f->err = (kin_error)KIN_ERROR_INIT;
    shell_plugin_init(&f->plugin, script);
    assert_code(kin__wakeup_init(&f->wakeup, NULL), 0);
    remembering_init(&f->log);
    f->run.config = &f->plugin.exec;
    f->run.info = kin_str_of("INFO");
    f->run.clock = kin_clock_system();
    f->run.deadline = kin__clock_deadline(kin_clock_system(), 60 * KIN__SECOND);
    f->run.logger = f->log.logger;
    f->run.wakeup = &f->wakeup;
    f->run.stop = &f->stop;
}

static void fixture_done(struct fixture *f)
{
    kin__secret_done(&f->output);
    remembering_done(&f->log);
    kin__wakeup_done(&f->wakeup);
}

static int run(struct fixture *f)
{
    return kin__exec_plugin_run(&f->output, &f->run, &f->err);
}

static void assert_writes(const char *script, const char *expected)
{
    struct fixture f;

    fixture_init(&f, script);
    assert_code(run(&f), 0);
    assert_string_equal(f.output.data, expected);
    assert_int_equal(f.output.len, strlen(expected));
    fixture_done(&f);
}

static void assert_fails(const char *script, const char *message)
{
    struct fixture f;

    fixture_init(&f, script);
    f.plugin.exec.install_hint = text("get it from the shelf");
    assert_code(run(&f), KIN_EDENIED);
    if (!strstr(f.err.message, message))
        fail_msg("\"%s\" instead of \"%s\"", f.err.message, message);
    assert_null(f.output.data);
    fixture_done(&f);
}

static void gives_what_it_wrote(void **state)
{
    (void)state;
    assert_writes("printf hello", "hello");
    assert_writes("true", "");
    assert_writes("printf 'a\\nb'; sleep 0; printf c", "a\nbc");
    /* Closed early, and it goes on for a while. */
    assert_writes("printf x; exec >&-; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done", "x");
}

/* A name is looked for in $PATH; what lies in the working directory is not meant by it. */
static void is_found_in_absolute_folders(void **state)
{
    const char *before = getenv("PATH");
    char *old = strdup(before ? before : "");
    char here[512];
    struct fixture f;

    (void)state;
    assert_non_null(old);
    assert_non_null(getcwd(here, sizeof(here)));
    write_file("tool", "#!/bin/sh\nprintf \"$0\"\n");
    assert_int_equal(chmod(in_folder("tool"), 0700), 0);
    assert_int_equal(chdir(in_folder("")), 0);
    for (int absolute = 0; absolute < 2; absolute++) {
        char path[1024];

        snprintf(path, sizeof(path), ":.:/bin:%s", absolute ? in_folder("") : "");
        setenv("PATH", path, 1);
        fixture_init(&f, "");
        f.plugin.exec.command = text("tool");
        f.plugin.exec.n_args = 0;
        if (absolute) {
            assert_code(run(&f), 0);
            assert_non_null(strstr(f.output.data, "tool"));
        } else {
            assert_code(run(&f), KIN_EDENIED);
            assert_non_null(strstr(f.err.message, "tool was not found"));
        }
        fixture_done(&f);
    }
    assert_int_equal(chdir(here), 0);
    setenv("PATH", old, 1);
    free(old);
}

static void runs_in_a_clean_place(void **state)
{
    struct fixture f;
    char signals[64] = "";
    sigset_t blocked;
    sigset_t before;
    int leaked = open("/dev/null", O_RDONLY);

    (void)state;
    assert_true(leaked >= 3);
    /* Blocked and ignored here, neither there. */
    sigfillset(&blocked);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    void (*old)(int) = signal(SIGPIPE, SIG_IGN);
    fixture_init(&f, "grep -E '^Sig(Blk|Ign)' /proc/self/status | tr -s '\\t\\n' '  '; "
                     "ls /proc/self/fd | wc -l; cat; echo end");
    assert_code(run(&f), 0);
    signal(SIGPIPE, old);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(leaked);
    unsigned long long block = 1;
    unsigned long long ignored = 1ull << (SIGPIPE - 1);
    unsigned descriptors = 0;
    assert_int_equal(sscanf(f.output.data, "SigBlk: %llx SigIgn: %llx %u %60s", &block, &ignored,
                            &descriptors, signals),
                     4);
    assert_true(block == 0);
    assert_true((ignored & 1ull << (SIGPIPE - 1)) == 0);
#ifdef __GLIBC__
    /* The three standard ones, and the one that ls reads the folder by. */
    assert_int_equal(descriptors, 4);
#endif
    assert_string_equal(signals, "end"); /* cat had nothing to read */
    fixture_done(&f);
}

static void gets_arguments_and_environment(void **state)
{
    kin__exec_env env[] = {
        {text("KIN_A"), KIN__SECRET_INIT}, {text("KIN_B"), KIN__SECRET_INIT},
        {text("KIN_A"), KIN__SECRET_INIT}, {text("KUBERNETES_EXEC_INFO"), KIN__SECRET_INIT},
        {text("KIN_E"), KIN__SECRET_INIT},
    };
    char *args[] = {
        text("-c"),
        text("echo \"$0|$1|$KIN_A|$KIN_B|$KIN_C|$KUBERNETES_EXEC_INFO|$KIN_E|\"; env "
             "| grep -c '^KIN_[A-E]=\\|^KUBERNETES_EXEC_INFO'"),
        text("zero"),
        text("o n e"),
    };
    struct fixture f;

    (void)state;
    setenv("KIN_B", "ours", 1);
    setenv("KIN_C", "ours", 1);
    setenv("KUBERNETES_EXEC_INFO", "ours", 1);
    fixture_init(&f, "");
    set_secret(&env[0].value, "first");
    set_secret(&env[1].value, "hush b");
    set_secret(&env[2].value, "last");
    set_secret(&env[3].value, "lie");
    f.plugin.exec.args = args;
    f.plugin.exec.n_args = 4;
    f.plugin.exec.env = env;
    f.plugin.exec.n_env = 5;
    kin_test_alloc_look_for("hush");
    assert_code(run(&f), 0);
    assert_string_equal(f.output.data, "zero|o n e|last|hush b|ours|INFO||\n5\n");
    fixture_done(&f);
    for (size_t i = 0; i < 5; i++)
        kin__secret_done(&env[i].value);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
    unsetenv("KIN_B");
    unsetenv("KIN_C");
    unsetenv("KUBERNETES_EXEC_INFO");
}

/* Whether it is one line of the text. */
static bool has_line(const char *lines, const char *line)
{
    const char *at = strstr(lines, line);

    return at && (at == lines || at[-1] == '\n') && at[strlen(line)] == '\n' &&
           !strstr(at + 1, line);
}

/* A shell would not show that: what programs do that find a name twice is up to them. */
static void gets_no_variable_twice(void **state)
{
    kin__exec_env env[] = {
        {text("KIN_A"), KIN__SECRET_INIT},
        {text("KIN_A"), KIN__SECRET_INIT},
        {text("KUBERNETES_EXEC_INFO"), KIN__SECRET_INIT},
    };
    struct fixture f;

    (void)state;
    setenv("KIN_A", "ours", 1);
    setenv("KIN_AA", "ours", 1);
    setenv("KUBERNETES_EXEC_INFO", "ours", 1);
    fixture_init(&f, "");
    set_secret(&env[0].value, "first");
    set_secret(&env[1].value, "last");
    f.plugin.exec.command = text("env");
    f.plugin.exec.n_args = 0;
    f.plugin.exec.env = env;
    f.plugin.exec.n_env = 3;
    assert_code(run(&f), 0);
    assert_true(has_line(f.output.data, "KIN_A=last"));
    assert_true(has_line(f.output.data, "KIN_AA=ours"));
    assert_true(has_line(f.output.data, "KUBERNETES_EXEC_INFO=INFO"));
    assert_null(strstr(f.output.data, "KIN_A=ours"));
    assert_null(strstr(f.output.data, "KIN_A=first"));
    assert_null(strstr(f.output.data, "KUBERNETES_EXEC_INFO=\n"));
    assert_null(strstr(f.output.data, "KUBERNETES_EXEC_INFO=ours"));
    fixture_done(&f);
    kin__secret_done(&env[0].value);
    kin__secret_done(&env[1].value);
    unsetenv("KIN_A");
    unsetenv("KIN_AA");
    unsetenv("KUBERNETES_EXEC_INFO");
}

static void is_found_in_the_path(void **state)
{
    char *args[] = {text("found")};
    struct fixture f;

    (void)state;
    fixture_init(&f, "");
    f.plugin.exec.command = text("printf");
    f.plugin.exec.args = args;
    f.plugin.exec.n_args = 1;
    assert_code(run(&f), 0);
    assert_string_equal(f.output.data, "found");
    fixture_done(&f);
}

static void says_that_it_is_not_there(void **state)
{
    static const char *const commands[] = {"kin-no-such-plugin", "/nowhere/kin-no-such-plugin"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;

        fixture_init(&f, "");
        f.plugin.exec.command = text(commands[i]);
        assert_code(run(&f), KIN_EDENIED);
        assert_non_null(strstr(f.err.message, "kin-no-such-plugin was not found"));
        f.plugin.exec.install_hint = text("get it from the shelf");
        assert_code(run(&f), KIN_EDENIED);
        assert_non_null(strstr(f.err.message, "was not found: get it from the shelf"));
        fixture_done(&f);
    }
    /* There, and no program. */
    struct fixture f;
    write_file("text", "just text");
    fixture_init(&f, "");
    f.plugin.exec.command = in_folder("text");
    assert_code(run(&f), KIN_EDENIED);
    assert_non_null(strstr(f.err.message, "Permission denied"));
    fixture_done(&f);
}

static void says_how_it_failed(void **state)
{
    (void)state;
    assert_fails("printf hush; exit 3", "/bin/sh failed with exit status 3: get it from the shelf");
    assert_fails("kill -TERM $$", "ended by signal 15");
    assert_fails("kill -SEGV $$", "ended by signal 11");
    assert_fails("head -c 2000000 /dev/zero", "wrote more than 1048576 bytes");
    assert_fails("exec cat /dev/zero", "wrote more than 1048576 bytes");
}

static void takes_as_much_as_the_limit(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "head -c 1048576 /dev/zero");
    assert_code(run(&f), 0);
    assert_int_equal(f.output.len, KIN__EXEC_OUTPUT_MAX);
    fixture_done(&f);
    assert_fails("head -c 1048577 /dev/zero", "wrote more");
}

static void logs_what_it_complains_of(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "echo one >&2; printf hush; printf 'two\\n\\nthree' >&2");
    assert_code(run(&f), 0);
    assert_string_equal(f.output.data, "hush");
    assert_true(has_logged(&f.log, "text=one"));
    assert_true(has_logged(&f.log, "text=two"));
    assert_true(has_logged(&f.log, "text=three"));
    assert_false(has_logged(&f.log, "hush"));
    assert_int_equal(f.log.n, 3);
    fixture_done(&f);

    /* No more than so many lines, and none is longer than so. */
    fixture_init(&f, "i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); done >&2");
    assert_code(run(&f), 0);
    assert_int_equal(f.log.n, 201);
    assert_true(has_logged(&f.log, "dropped"));
    fixture_done(&f);
    fixture_init(&f, "head -c 3000 /dev/zero | tr '\\0' x >&2");
    assert_code(run(&f), 0);
    assert_int_equal(f.log.n, 3);
    fixture_done(&f);
}

/* Its children do not keep us waiting, and are left alone. */
static void does_not_wait_for_what_it_leaves_behind(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "sleep 1000 & echo $!");
    assert_code(run(&f), 0);
    pid_t left = (pid_t)strtol(f.output.data, NULL, 10);
    assert_true(left > 0);
    assert_int_equal(kill(left, 0), 0);
    assert_int_equal(kill(left, SIGKILL), 0);
    fixture_done(&f);
}

/* --- ended by us --- */

/* Whether nobody holds the other end of a named pipe any more, within the test's time. */
static void assert_all_have_let_go(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    char bytes[64];
    ssize_t n;

    do {
        assert_int_equal(poll(&poll_fd, 1, KIN_TEST_TIMEOUT_MS), 1);
        n = read(fd, bytes, sizeof(bytes));
    } while (n > 0);
    assert_int_equal(n, 0);
}

struct stopper {
    struct fixture *f;
    kin_clock *clock; /* NULL: stop it */
    int fd;           /* something is written here when it runs */
};

/* Once it and its child run, end it by the clock or by hand. */
static void stop_it(void *arg)
{
    struct stopper *stopper = arg;
    struct pollfd poll_fd = {.fd = stopper->fd, .events = POLLIN};
    char byte[1];

    assert_int_equal(poll(&poll_fd, 1, KIN_TEST_TIMEOUT_MS), 1);
    assert_true(read(stopper->fd, byte, 1) == 1);
    if (stopper->clock) {
        kin_clock_await_waiters(stopper->clock, 1, KIN_TEST_TIMEOUT_MS, NULL);
        kin_clock_advance(stopper->clock, 5 * KIN__SECOND, NULL);
    } else {
        atomic_store(&stopper->f->stop, true);
        kin__wakeup_signal(&stopper->f->wakeup);
    }
}

static void end_a_plugin_that_hangs(kin_clock *clock, int code, const char *message)
{
    char script[512];
    struct fixture f;
    kin__thread thread = KIN__THREAD_INIT;

    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    int fd = open(in_folder("pipe"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    /* It and its child hold the pipe until they end; the child deaf to what is polite. */
    snprintf(script, sizeof(script),
             "exec 3>%s; (trap '' TERM HUP INT; sleep 1000) & printf x >&3; sleep 1000",
             in_folder("pipe"));
    fixture_init(&f, script);
    if (clock) {
        f.run.clock = clock;
        f.run.deadline = kin_clock_now(clock) + 5 * KIN__SECOND;
    }
    struct stopper stopper = {&f, clock, fd};
    assert_code(kin__thread_start(&thread, "stopper", stop_it, &stopper, NULL), 0);
    assert_code(run(&f), code);
    assert_non_null(strstr(f.err.message, message));
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_all_have_let_go(fd);
    close(fd);
    fixture_done(&f);
}

static void ends_with_its_children_when_it_is_stopped(void **state)
{
    (void)state;
    end_a_plugin_that_hangs(NULL, KIN_ECANCELED, "was ended");
}

static void ends_with_its_children_when_time_is_over(void **state)
{
    kin_clock *clock;

    (void)state;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    end_a_plugin_that_hangs(clock, KIN_EDENIED, "took too long");
    kin_clock_unref(clock);
}

static void is_not_started_for_long_when_time_is_over_already(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "sleep 1000");
    f.run.deadline = 0;
    assert_code(run(&f), KIN_EDENIED);
    fixture_done(&f);
}

/* --- the program we are in --- */

static void knows_its_end_though_children_are_not_waited_for(void **state)
{
    struct fixture f;
    void (*old)(int) = signal(SIGCHLD, SIG_IGN);

    (void)state;
    fixture_init(&f, "printf hello");
    assert_code(run(&f), 0);
    assert_string_equal(f.output.data, "hello");
    fixture_done(&f);
    signal(SIGCHLD, old);
}

static void waits_for_nobody_else(void **state)
{
    struct fixture f;
    siginfo_t info;
    pid_t other = fork();

    (void)state;
    if (other == 0)
        _exit(7);
    fixture_init(&f, "printf hello");
    assert_code(run(&f), 0);
    fixture_done(&f);
    assert_int_equal(waitid(P_PID, (id_t)other, &info, WEXITED), 0);
    assert_int_equal(info.si_status, 7);
}

static int run_without_standard_descriptors(void *arg)
{
    struct fixture f;

    (void)arg;
    fixture_init(&f, "printf hello; read x; printf '<%s>' \"$x\"; printf complaint >&2");
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    int code = run(&f);
    bool is_good = code == 0 && strcmp(f.output.data, "hello<>") == 0 && f.log.n == 1;
    fixture_done(&f);
    return is_good ? 0 : 1;
}

static void works_where_standard_descriptors_are_closed(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, run_without_standard_descriptors, NULL);
    assert_int_equal(child.exit_code, 0);
}

/* With room for more and more descriptors, until there is enough. */
static int run_with_few_descriptors(void *arg)
{
    struct fixture f;
    struct rlimit limit;
    int refused = 0;
    int code = KIN_ESYSTEM;

    (void)arg;
    fixture_init(&f, "printf hello");
    int next = dup(0);
    close(next);
    if (next < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return 1;
    for (rlim_t room = 0; code == KIN_ESYSTEM && room < 20; room++) {
        limit.rlim_cur = (rlim_t)next + room;
        if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
            return 2;
        code = run(&f);
        refused += code == KIN_ESYSTEM && f.err.os_error == EMFILE;
        /* Nothing is left open. */
        int now = dup(0);
        if (room > 0 && now != next)
            return 3;
        if (now >= 0)
            close(now);
    }
    bool is_good = code == 0 && refused >= 6 && strcmp(f.output.data, "hello") == 0;
    fixture_done(&f);
    return is_good ? 0 : 4;
}

static void survives_without_descriptors(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, run_with_few_descriptors, NULL);
    assert_int_equal(child.exit_code, 0);
}

static bool is_without_pidfds;

/* Linked in the place of syscall(); the names are the linker's. */
long look_at_syscall(long number, ...) __asm__("__wrap_syscall");
long real_syscall(long number, ...) __asm__("__real_syscall");

/* The library calls it for pidfds only. */
long look_at_syscall(long number, ...)
{
    va_list ap;

    assert_int_equal(number, SYS_pidfd_open);
    va_start(ap, number);
    pid_t pid = va_arg(ap, pid_t);
    va_end(ap);
    if (!is_without_pidfds)
        return real_syscall(number, pid, 0);
    errno = ENOSYS;
    return -1;
}

static void knows_its_end_on_old_kernels(void **state)
{
    (void)state;
    is_without_pidfds = true;
    assert_writes("printf hello", "hello");
    assert_writes("printf x; exec >&- 2>&-; i=0; while [ $i -lt 1000 ]; do i=$((i+1)); done", "x");
    assert_fails("exit 3", "exit status 3");
    end_a_plugin_that_hangs(NULL, KIN_ECANCELED, "was ended");
    is_without_pidfds = false;
}

/* --- interaction --- */

static int ask_on_a_terminal(void *arg)
{
    static const struct {
        enum kin__interactive mode;
        bool expected;
    } cases[] = {
        {KIN__INTERACTIVE_IF_AVAILABLE, true},
        {KIN__INTERACTIVE_NEVER, false},
        {KIN__INTERACTIVE_ALWAYS, true},
    };
    int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    int side = -1;

    (void)arg;
    if (terminal < 0 || grantpt(terminal) < 0 || unlockpt(terminal) < 0)
        return 1;
    side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    if (side < 0 || dup2(side, 0) < 0)
        return 2;
    for (size_t i = 0; i < 3; i++) {
        kin__exec_config config = {.command = text("c"), .interactive = cases[i].mode};
        bool interactive = !cases[i].expected;

        if (kin__exec_plugin_interactive(&config, &interactive, NULL) != 0 ||
            interactive != cases[i].expected)
            return 3;
    }
    /* It gets the terminal to read from, and our standard error; and stays in our group. */
    struct fixture f;
    fixture_init(&f, "read answer; echo \"$answer\"; [ -t 0 ] && echo question >&2; "
                     "cut -d ' ' -f 5 /proc/$$/stat");
    f.run.interactive = true;
    if (write(terminal, "forty-two\n", 10) != 10 || run(&f) != 0)
        return 4;
    char expected[64];
    snprintf(expected, sizeof(expected), "forty-two\n%d\n", (int)getpgrp());
    bool is_good = strcmp(f.output.data, expected) == 0 && f.log.n == 0;
    fixture_done(&f);
    return is_good ? 0 : 5;
}

static void talks_to_the_person_at_the_terminal(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, ask_on_a_terminal, NULL);
    assert_int_equal(child.exit_code, 0);
    assert_non_null(strstr(child.output, "question"));
}

static int ask_without_a_terminal(void *arg)
{
    kin__exec_config config = {.command = text("c"), .interactive = KIN__INTERACTIVE_ALWAYS};
    kin_error err = KIN_ERROR_INIT;
    bool interactive = true;
    int fd = open("/dev/null", O_RDONLY);

    (void)arg;
    if (dup2(fd, 0) < 0)
        return 1;
    if (kin__exec_plugin_interactive(&config, &interactive, &err) != KIN_EDENIED ||
        !strstr(err.message, "no terminal"))
        return 2;
    config.interactive = KIN__INTERACTIVE_IF_AVAILABLE;
    if (kin__exec_plugin_interactive(&config, &interactive, NULL) != 0 || interactive)
        return 3;
    return 0;
}

static void cannot_talk_where_there_is_no_terminal(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, ask_without_a_terminal, NULL);
    assert_int_equal(child.exit_code, 0);
}

/* --- memory --- */

static int run_once(void *arg, kin_error *err)
{
    struct fixture *f = arg;
    int code = kin__exec_plugin_run(&f->output, &f->run, err);

    kin__secret_done(&f->output);
    return code;
}

static void survives_without_memory_and_leaves_nothing(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "printf 'h%s' ush; exit $KIN_STATUS");
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(run_once, &f);
    setenv("KIN_STATUS", "1", 1);
    assert_code(run_once(&f, NULL), KIN_EDENIED);
    unsetenv("KIN_STATUS");
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
    fixture_done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_what_it_wrote),
        cmocka_unit_test_setup_teardown(is_found_in_absolute_folders, folder_setup,
                                        folder_teardown),
        cmocka_unit_test(runs_in_a_clean_place),
        cmocka_unit_test(gets_arguments_and_environment),
        cmocka_unit_test(gets_no_variable_twice),
        cmocka_unit_test(is_found_in_the_path),
        cmocka_unit_test_setup_teardown(says_that_it_is_not_there, folder_setup, folder_teardown),
        cmocka_unit_test(says_how_it_failed),
        cmocka_unit_test(takes_as_much_as_the_limit),
        cmocka_unit_test(logs_what_it_complains_of),
        cmocka_unit_test(does_not_wait_for_what_it_leaves_behind),
        cmocka_unit_test_setup_teardown(ends_with_its_children_when_it_is_stopped, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(ends_with_its_children_when_time_is_over, folder_setup,
                                        folder_teardown),
        cmocka_unit_test(is_not_started_for_long_when_time_is_over_already),
        cmocka_unit_test(knows_its_end_though_children_are_not_waited_for),
        cmocka_unit_test(waits_for_nobody_else),
        cmocka_unit_test(works_where_standard_descriptors_are_closed),
        cmocka_unit_test(survives_without_descriptors),
        cmocka_unit_test_setup_teardown(knows_its_end_on_old_kernels, folder_setup,
                                        folder_teardown),
        cmocka_unit_test(talks_to_the_person_at_the_terminal),
        cmocka_unit_test(cannot_talk_where_there_is_no_terminal),
        cmocka_unit_test(survives_without_memory_and_leaves_nothing),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
