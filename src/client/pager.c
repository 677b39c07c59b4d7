/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists in pages, as client-go's pager asks for them: the version is said with the first page only,
 * since the token of the others has it. A token that is too old cannot be used; what was handed over
 * is then taken back, and the list asked for whole, in the version of the beginning. The same
 * happens, with pages and in JSON, if a page has protobuf that cannot be read after its first objects. A token that leads
 * to itself would lead nowhere else for ever.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "client/client.h"
#include "kinform/metadata.h"

enum { PAGE = 500 };

/* The token for the next page; NULL if this was the last. OWNED. 0 or KIN_ENOMEM. */
static int token_of(char **ret, const kin_object *list)
{
    kin_scratch scratch;
    kin_str token;

    *ret = NULL;
    token = kin_object_continue_token(list, &scratch);
    if (token.len == 0)
        return 0;
    *ret = kin__memdup_str(token);
    return *ret ? 0 : KIN_ENOMEM;
}

struct pages {
    kin_client *client;
    kin_resource *resource;
    const char *namespace_;
    kin_list_item_fn *item;
    void *arg;
    bool needs_json; /* the last page has failed for that */
};

/* One page; its options become those of the next, but for the token. */
static int list_page(struct pages *pages, const kin_object **ret, kin_request_options *options,
                     kin_error *err)
{
    kin__page page = {0, false};
    int code = kin__client_list_page(pages->client, ret, pages->resource, pages->namespace_,
                                     pages->item, pages->arg, options, &page, err);

    pages->needs_json = code == KIN_EPROTOCOL && page.needs_json;
    options->listed_bytes = page.listed;
    options->resource_version = NULL;
    options->resource_version_match = NULL;
    return code;
}

/* All pages; *ret_n is how many have begun. */
static int list_pages(struct pages *pages, const kin_object **ret, size_t *ret_n,
                      kin_request_options options, kin_error *err)
{
    const kin_object *list = NULL;
    char *token = NULL;
    int code;

    do {
        const kin_object *page = NULL;
        char *next = NULL;

        ++*ret_n;
        code = list_page(pages, &page, &options, err);
        if (code < 0)
            break;
        kin_object_unref(list);
        list = page;
        if (token_of(&next, page) < 0)
            code = kin__error_no_memory(err);
        else if (next && token && strcmp(next, token) == 0)
            code = kin_error_set(err, KIN_EPROTOCOL, "a page of a list continues with itself");
        kin__free(token);
        token = next;
        options.continue_token = token;
    } while (code == 0 && token);
    kin__free(token);
    if (code == 0)
        *ret = list;
    else
        kin_object_unref(list);
    return code;
}

static int take_back(const struct pages *pages, kin_list_restart_fn *restart, kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    kin__assert_no_locks();
    code = restart(pages->arg, &said);
    return code == 0 ? 0 : kin__error_pass(err, code < 0 ? code : KIN_EINVAL, &said);
}

/* Protobuf turned out to be of no use after objects had been handed over. */
static int list_in_json(struct pages *pages, const kin_object **ret, size_t *ret_n,
                        kin_list_restart_fn *restart, kin_request_options options, kin_error *err)
{
    int code = take_back(pages, restart, err);

    if (code < 0)
        return code;
    *ret_n = 0;
    options.encoding = KIN_ENCODING_JSON;
    return list_pages(pages, ret, ret_n, options, err);
}

/* The version is gone. */
static int start_again(struct pages *pages, const kin_object **ret, size_t *ret_n,
                       kin_list_restart_fn *restart, kin_request_options options, kin_error *err)
{
    int code = take_back(pages, restart, err);

    if (code < 0)
        return code;
    options.limit = 0;
    options.continue_token = NULL;
    *ret_n = 0;
    code = list_pages(pages, ret, ret_n, options, err);
    if (code == KIN_EPROTOCOL && pages->needs_json)
        code = list_in_json(pages, ret, ret_n, restart, options, err);
    return code;
}

int kin_client_list_all(kin_client *client, const kin_object **ret, kin_resource *resource,
                        const char *namespace_, kin_list_item_fn *item,
                        kin_list_restart_fn *restart, void *arg, const kin_request_options *options,
                        kin_error *err)
{
    struct pages pages = {client, resource, namespace_, item, arg, false};
    kin_request_options all = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *list = NULL;
    size_t n = 0;
    int code = kin__client_check(client, err);

    if (code == 0)
        code = kin__options_take(&all, sizeof(all), options, "KIN_REQUEST_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    /* Between two pages no call keeps it, and somebody may free it. */
    pages.client = kin__client_ref(client);
    if (all.limit == 0)
        all.limit = PAGE;
    code = list_pages(&pages, &list, &n, all, err);
    if (code == KIN_EPROTOCOL && pages.needs_json && restart)
        code = list_in_json(&pages, &list, &n, restart, all, err);
    if (code == KIN_EEXPIRED && n > 1 && restart)
        code = start_again(&pages, &list, &n, restart, all, err);
    kin__client_unref(client);
    if (code == 0 && ret)
        *ret = list;
    else
        kin_object_unref(list);
    return code;
}
