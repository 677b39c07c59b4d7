/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/http/tokens.h"

#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

struct token {
    char *text; /* wiped when freed */
    size_t len;
    char *user;
    bool read_only;
};

struct kin__tokens {
    size_t n;
    struct token tokens[];
};

static void token_done(struct token *token)
{
    if (token->text)
        explicit_bzero(token->text, token->len);
    kin__free(token->text);
    kin__free(token->user);
}

void kin__tokens_free(kin__tokens *tokens)
{
    if (!tokens)
        return;
    for (size_t i = 0; i < tokens->n; i++)
        token_done(&tokens->tokens[i]);
    kin__free(tokens);
}

static bool is_sendable(const char *text)
{
    for (; *text; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

/* Two users with one token would be one of them, and maybe not the one that was meant. */
static bool is_known(const kin__tokens *tokens, const char *text)
{
    for (size_t i = 0; i < tokens->n; i++) {
        if (strcmp(tokens->tokens[i].text, text) == 0)
            return true;
    }
    return false;
}

static int copy_token(struct token *ret, const kin_apiserver_token *given, kin_error *err)
{
    if (!given->token || !*given->token)
        return kin_error_set(err, KIN_EINVAL, "a token is empty");
    if (!is_sendable(given->token))
        return kin_error_set(err, KIN_EINVAL, "a token has bytes that no header can hold");
    ret->len = strlen(given->token);
    ret->text = kin__memdup_str(kin_str_of(given->token));
    ret->user = kin__memdup_str(kin_str_of(given->user ? given->user : "admin"));
    ret->read_only = given->read_only;
    return ret->text && ret->user ? 0 : kin__error_no_memory(err);
}

int kin__tokens_new(kin__tokens **ret, const kin_apiserver_token *tokens, size_t n, kin_error *err)
{
    if (n > 0 && !tokens)
        return kin__error_null(err, "tokens");
    if (n > 10000)
        return kin_error_set(err, KIN_EINVAL, "%zu tokens are too many", n);
    kin__tokens *made = kin__calloc(1, sizeof(*made) + n * sizeof(made->tokens[0]));
    if (!made)
        return kin__error_no_memory(err);
    for (; made->n < n; made->n++) {
        int code = copy_token(&made->tokens[made->n], &tokens[made->n], err);

        if (code == 0 && is_known(made, tokens[made->n].token))
            code = kin_error_set(err, KIN_EINVAL, "a token is given twice");
        if (code < 0) {
            token_done(&made->tokens[made->n]);
            kin__tokens_free(made);
            return code;
        }
    }
    *ret = made;
    return 0;
}

size_t kin__tokens_count(const kin__tokens *tokens)
{
    return tokens->n;
}

kin_str kin__tokens_first(const kin__tokens *tokens)
{
    return tokens->n > 0 ? kin_str_make(tokens->tokens[0].text, tokens->tokens[0].len)
                         : kin_str_make("", 0);
}

/* Looks at every byte of the guess, whatever the token is. */
static bool is_equal(const struct token *token, kin_str guess)
{
    unsigned different = token->len != guess.len;

    for (size_t i = 0; i < guess.len; i++)
        different |= (unsigned char)token->text[i % token->len] ^ (unsigned char)guess.data[i];
    return different == 0;
}

/* What stands behind "Bearer", in any case, as HTTP has it; empty if that is not there. */
static kin_str bearer_of(kin_str authorization)
{
    static const char scheme[] = "bearer ";

    for (size_t i = 0; i < sizeof(scheme) - 1; i++) {
        if (i >= authorization.len || (authorization.data[i] | 0x20) != scheme[i])
            return kin_str_make("", 0);
    }
    return kin__str_trim(kin_str_make(authorization.data + sizeof(scheme) - 1,
                                      authorization.len - sizeof(scheme) + 1));
}

bool kin__tokens_check(const kin__tokens *tokens, kin_str authorization, kin__caller *ret,
                       kin__failure *failure)
{
    const struct token *found = NULL;
    kin_str guess = bearer_of(authorization);

    if (tokens->n == 0) {
        *ret = (kin__caller){.name = "system:anonymous", .read_only = false};
        return true;
    }
    /* All of them, so that the time does not tell which. */
    for (size_t i = 0; i < tokens->n; i++) {
        if (is_equal(&tokens->tokens[i], guess))
            found = &tokens->tokens[i];
    }
    if (!found)
        return kin__fail(failure, 401, "Unauthorized", "Unauthorized");
    *ret = (kin__caller){.name = found->user, .read_only = found->read_only};
    return true;
}

static bool is_read(const char *verb)
{
    static const char *const verbs[] = {"get", "list", "watch", "head", "options"};

    for (size_t i = 0; i < kin__array_len(verbs); i++) {
        if (strcmp(verb, verbs[i]) == 0)
            return true;
    }
    return false;
}

static void copy_cut(char *buf, size_t size, kin_str text)
{
    size_t len = text.len < size ? text.len : size - 1;

    memcpy(buf, text.len ? text.data : "", len);
    buf[len] = '\0';
}

static bool forbid_resource(const kin__caller *caller, const kin__target *target,
                            kin__failure *failure)
{
    char what[512];   /* pods "a", deployments.apps "b" */
    char called[288]; /* pods/status */
    char scope[320] = " at the cluster scope";

    snprintf(what, sizeof(what), "%" KIN_STR_FMT "%s%" KIN_STR_FMT, KIN_STR_ARG(target->resource),
             target->group.len ? "." : "", KIN_STR_ARG(target->group));
    snprintf(called, sizeof(called), "%" KIN_STR_FMT "%s%" KIN_STR_FMT,
             KIN_STR_ARG(target->resource), target->subresource.len ? "/" : "",
             KIN_STR_ARG(target->subresource));
    if (target->namespace_.len > 0)
        snprintf(scope, sizeof(scope), " in the namespace \"%" KIN_STR_FMT "\"",
                 KIN_STR_ARG(target->namespace_));
    kin__fail(failure, 403, "Forbidden",
              "%s%s%" KIN_STR_FMT "%s is forbidden: User \"%s\" cannot %s resource \"%s\" in API "
              "group \"%" KIN_STR_FMT "\"%s",
              what, target->name.len ? " \"" : "", KIN_STR_ARG(target->name),
              target->name.len ? "\"" : "", caller->name, target->verb, called,
              KIN_STR_ARG(target->group), scope);
    copy_cut(failure->name, sizeof(failure->name), target->name);
    copy_cut(failure->group, sizeof(failure->group), target->group);
    copy_cut(failure->kind, sizeof(failure->kind), target->resource);
    failure->has_details = true;
    return false;
}

bool kin__caller_may(const kin__caller *caller, const kin__target *target, kin_str path,
                     kin__failure *failure)
{
    if (!caller->read_only || is_read(target->verb))
        return true;
    if (target->is_resource)
        return forbid_resource(caller, target, failure);
    kin__fail(failure, 403, "Forbidden",
              "forbidden: User \"%s\" cannot %s path \"%" KIN_STR_FMT "\"", caller->name,
              target->verb, KIN_STR_ARG(path));
    failure->has_details = true;
    return false;
}
