/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set-user-ID program ignores what the user's environment says about proxies and about a file for the
 * keys of TLS connections. The program runs itself again: as it is, as if it were privileged, and, if
 * root runs the test, as a real set-user-ID program of another user.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "certificates.h"
#include "client_support.h"
#include "folder.h"
#include "kinform/memory.h"

#define NOBODY 65534
/* Addresses for documentation (RFC 5737): nobody answers there. */
#define ELSEWHERE "http://198.51.100.7:1"

static bool pretend;

unsigned long real_getauxval(unsigned long type) __asm__("__real_getauxval");
unsigned long pretended_getauxval(unsigned long type) __asm__("__wrap_getauxval");

unsigned long pretended_getauxval(unsigned long type)
{
    return pretend && type == AT_SECURE ? 1 : real_getauxval(type);
}

/* One GET, whatever becomes of it. */
static int get(const char *server, const char *ca, kin_error *err)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client *client = NULL;
    char *text = NULL;
    int code;

    config.server = server;
    config.ca_data = ca;
    options.timeout_ms = ca ? KIN_TEST_TIMEOUT_MS : 2000;
    options.max_retries = -1;
    code = kin_config_new(&options.config, &config, err);
    if (code == 0)
        code = kin_client_new(&client, &options, err);
    if (code == 0)
        code = kin_client_get_text(client, &text, NULL, "/version", err);
    kin_free(text);
    kin_client_free(client);
    kin_config_unref(options.config);
    return code;
}

/* MODE SERVER CA: what the other process does. */
static int run_as_child(char **argv)
{
    kin_error err = KIN_ERROR_INIT;

    pretend = strcmp(argv[1], "pretend") == 0;
    if (strcmp(argv[1], "real") == 0 && !real_getauxval(AT_SECURE))
        return 3;
    (void)get(ELSEWHERE, NULL, &err);
    if (get(argv[2], argv[3], &err) != 0) {
        fprintf(stderr, "%s\n", err.message);
        return 2;
    }
    return 0;
}

struct place {
    kin_test_http *server, *proxy;
    char folder[64], keys[128], program[128];
};

static void open_place(struct place *p)
{
    const kin_test_certificate *certificate = &kin_test_group_pki->server;

    kin_test_http_start(&p->server,
                        &(kin_test_http_options){.tls = {.certificate = certificate->certificate,
                                                         .key = certificate->key}});
    kin_test_http_start(&p->proxy, &(kin_test_http_options){0});
    kin_test_http_add_route(p->server, &(kin_test_http_route){.body = "{}"});
    kin_test_http_add_route(p->proxy, &(kin_test_http_route){.body = "{}"});
    strcpy(p->folder, "/tmp/kin-test-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    /* Whoever the other process is, it may write there. */
    assert_int_equal(chmod(p->folder, 0777), 0);
    snprintf(p->keys, sizeof(p->keys), "%s/keys", p->folder);
    snprintf(p->program, sizeof(p->program), "%s/program", p->folder);
}

static void close_place(struct place *p)
{
    kin_test_http_stop(p->server);
    kin_test_http_stop(p->proxy);
    assert_int_equal(kin_test_folder_remove(p->folder), 0);
}

/* How the program ended. */
static int run(struct place *p, const char *program, const char *mode)
{
    char proxy[256], keys[256];
    char *environment[] = {proxy, keys, NULL};
    char *arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)mode,
                         (char *)(uintptr_t)kin_test_http_url(p->server),
                         kin_test_group_pki->ca.certificate, NULL};
    int status = 0;

    snprintf(proxy, sizeof(proxy), "http_proxy=%s", kin_test_http_url(p->proxy));
    snprintf(keys, sizeof(keys), "SSLKEYLOGFILE=%s", p->keys);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        execve(program, arguments, environment);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_user_decides_for_himself(void **state)
{
    struct place p = {0};

    (void)state;
    open_place(&p);
    assert_int_equal(run(&p, "/proc/self/exe", "plain"), 0);
    assert_int_equal(kin_test_http_count(p.proxy).requests, 1);
    assert_int_equal(access(p.keys, F_OK), 0);
    close_place(&p);
}

static void assert_ignored(struct place *p)
{
    assert_int_equal(kin_test_http_count(p->proxy).connections, 0);
    assert_int_equal(access(p->keys, F_OK), -1);
    assert_int_equal(kin_test_http_count(p->server).requests, 1);
}

static void a_privileged_program_ignores_the_environment(void **state)
{
    struct place p = {0};

    (void)state;
    open_place(&p);
    assert_int_equal(run(&p, "/proc/self/exe", "pretend"), 0);
    assert_ignored(&p);
    close_place(&p);
}

static void copy_program(const char *to)
{
    char block[65536];
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
    ssize_t n;

    assert_true(from >= 0 && fd >= 0);
    while ((n = read(from, block, sizeof(block))) > 0)
        assert_int_equal(write(fd, block, (size_t)n), n);
    assert_int_equal(n, 0);
    /* The owner first: changing it takes the bit away. */
    assert_int_equal(fchown(fd, NOBODY, NOBODY), 0);
    assert_int_equal(fchmod(fd, 04755), 0);
    close(from);
    close(fd);
}

static bool has_set_user_id(const char *folder)
{
    struct statvfs fs;

    if (geteuid() != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
        return false;
    return statvfs(folder, &fs) == 0 && !(fs.f_flag & ST_NOSUID);
}

static void a_set_user_id_program_ignores_the_environment(void **state)
{
    struct place p = {0};

    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* sanitizers do not work in such a program */
#endif
    open_place(&p);
    if (!has_set_user_id(p.folder)) {
        close_place(&p);
        skip();
    }
    copy_program(p.program);
    int status = run(&p, p.program, "real");
    if (status == 3) { /* the system does not honour the bit here */
        close_place(&p);
        skip();
    }
    assert_int_equal(status, 0);
    assert_ignored(&p);
    close_place(&p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_decides_for_himself),
        cmocka_unit_test(a_privileged_program_ignores_the_environment),
        cmocka_unit_test(a_set_user_id_program_ignores_the_environment),
    };

    if (argc == 4)
        return run_as_child(argv);
    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
