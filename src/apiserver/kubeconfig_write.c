/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/kubeconfig_write.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "object/json.h"

static void write_ca(kin__buf *out, const char *ca)
{
    const gnutls_datum_t pem = {kin__unconst(ca), (unsigned)strlen(ca)};
    gnutls_datum_t text = {NULL, 0};

    if (gnutls_base64_encode2(&pem, &text) < 0) {
        out->failed = KIN_ENOMEM;
        return;
    }
    kin__buf_append(out, kin_str_of("    certificate-authority-data: "));
    kin__buf_append(out, kin_str_make((const char *)text.data, text.size));
    kin__buf_append_char(out, '\n');
    gnutls_free(text.data);
}

static void write_all(kin__buf *out, const char *url, const char *ca, kin_str token)
{
    /* With TLS and no credential kubectl asks for a name and a password. Nobody looks at this one. */
    if (ca && token.len == 0)
        token = kin_str_of("anonymous");
    kin__buf_appendf(out,
                     "apiVersion: v1\n"
                     "kind: Config\n"
                     "clusters:\n"
                     "- name: kinform\n"
                     "  cluster:\n"
                     "    server: %s\n",
                     url);
    if (ca)
        write_ca(out, ca);
    else /* the JavaScript client refuses plain HTTP without it */
        kin__buf_append(out, kin_str_of("    insecure-skip-tls-verify: true\n"));
    kin__buf_append(out, kin_str_of("users:\n"
                                    "- name: kinform\n"
                                    "  user:"));
    if (token.len > 0) {
        kin__buf_append(out, kin_str_of("\n    token: "));
        kin__json_write_string(out, token); /* JSON's strings are YAML's, too */
        kin__buf_append_char(out, '\n');
    } else {
        kin__buf_append(out, kin_str_of(" {}\n"));
    }
    kin__buf_append(out, kin_str_of("contexts:\n"
                                    "- name: kinform\n"
                                    "  context:\n"
                                    "    cluster: kinform\n"
                                    "    user: kinform\n"
                                    "current-context: kinform\n"));
}

int kin__kubeconfig_make(char **ret, const char *url, const char *ca, kin_str token, kin_error *err)
{
    kin__buf buf;
    size_t len = 0;

    kin__buf_init(&buf, SIZE_MAX - 1);
    write_all(&buf, url, ca, token);
    if (kin__buf_take(&buf, ret, &len) < 0) {
        kin__buf_done(&buf);
        return kin__error_no_memory(err);
    }
    return 0;
}

static int write_and_sync(int fd, kin_str text)
{
    while (text.len > 0) {
        ssize_t n = write(fd, text.data, text.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text = kin_str_make(text.data + n, text.len - (size_t)n);
    }
    return fsync(fd) == 0 ? 0 : errno;
}

/*
 * A device, /dev/null for one, must not become a file for everybody on the machine, and another user does not lose a
 * file.
 */
static int check_replaceable(const char *path, kin_error *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        return 0;
    if (!S_ISREG(info.st_mode))
        return kin__error_system(err, S_ISDIR(info.st_mode) ? EISDIR : EINVAL, path);
    if (info.st_uid != geteuid())
        return kin_error_set(err, KIN_EDENIED, "%s belongs to another user", path);
    return 0;
}

int kin__file_replace(const char *path, kin_str text, kin_error *err)
{
    size_t size = strlen(path) + sizeof(".XXXXXX");
    int code = check_replaceable(path, err);

    if (code < 0)
        return code;
    char *beside = kin__malloc(size);

    if (!beside)
        return kin__error_no_memory(err);
    snprintf(beside, size, "%s.XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC); /* with mode 0600 */
    int os_error = fd < 0 ? errno : write_and_sync(fd, text);
    if (fd >= 0 && close(fd) != 0 && os_error == 0)
        os_error = errno;
    if (os_error == 0 && rename(beside, path) != 0)
        os_error = errno;
    if (fd >= 0 && os_error != 0)
        unlink(beside);
    kin__free(beside);
    return os_error ? kin__error_system(err, os_error, path) : 0;
}
