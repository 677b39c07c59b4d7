/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catalogs of any documents, and any names asked of them: what is found has a name that can stand
 * in a path, is named in the document, and is found again under its full name.
 */
#include <string.h>

#include "client/catalog.h"
#include "client/url.h"
#include "fuzz.h"

static void check_found(const kin__catalog *catalog, const kin_resource *found)
{
    char name[2048];
    kin_resource *again = NULL;
    int len = snprintf(name, sizeof(name), "%s.%s.%s", kin_resource_name(found),
                       kin_resource_version(found), kin_resource_group(found));

    FUZZ_CHECK(kin__url_check_segment(kin_str_of(kin_resource_name(found)), "name", NULL) == 0);
    FUZZ_CHECK(kin__url_check_segment(kin_str_of(kin_resource_version(found)), "name", NULL) == 0);
    /* Dots in the wrong part and capitals have no full name; nor have short names in their way. */
    bool plain = len < (int)sizeof(name);
    for (const char *at = kin_resource_name(found); *at; at++)
        plain = plain && ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9'));
    if (strchr(kin_resource_version(found), '.'))
        plain = false;
    if (!plain)
        return;
    FUZZ_CHECK(kin__catalog_resolve(catalog, &again, name, NULL) == 0);
    kin_resource_unref(again);
}

static void ask(const kin__catalog *catalog, kin_str name)
{
    char text[256];
    kin_resource *found = NULL;
    kin_error err = KIN_ERROR_INIT;

    memcpy(text, name.data ? name.data : "", name.len);
    text[name.len] = '\0';
    int code = kin__catalog_resolve(catalog, &found, text, &err);
    FUZZ_CHECK(code == 0 || (code == err.code && !found));
    FUZZ_CHECK(code == 0 || code == KIN_ENOTFOUND || code == KIN_EINVAL);
    if (found)
        check_found(catalog, found);
    kin_resource_unref(found);
}

/* The rest of the input are documents, with a line end behind each. */
static kin_str next_document(fuzz_input *in)
{
    size_t len = 0;

    while (len < in->len && in->data[len] != '\n')
        len++;
    kin_str text = kin_str_make((const char *)in->data, len);
    size_t skip = len < in->len ? len + 1 : len;
    in->data += skip;
    in->len -= skip;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin__catalog_limits limits = {4096, 8, 16};
    fuzz_input in = {data, size};
    kin__catalog *catalog = NULL;
    kin_str names[2] = {fuzz_str(&in), fuzz_str(&in)};

    FUZZ_CHECK(kin__catalog_new(&catalog, &limits, NULL) == 0);
    while (in.len > 0) {
        kin_str text = next_document(&in);
        size_t n = kin__catalog_n_versions(catalog);
        int code = kin__catalog_add(catalog, text, NULL);

        FUZZ_CHECK(code == 0 || code == KIN_EPROTOCOL || code == KIN_ELIMIT);
        FUZZ_CHECK(kin__catalog_n_versions(catalog) <= limits.max_versions);
        for (size_t i = 0; i < n && code == KIN_EPROTOCOL; i++) {
            if (kin__catalog_missing(catalog, i)) {
                kin__catalog_add_resources(catalog, i, text, NULL);
                break;
            }
        }
    }
    for (size_t i = 0; i < 2; i++)
        ask(catalog, names[i]);
    if (kin__catalog_n_versions(catalog) > 0)
        kin__catalog_give_up(catalog, 0);
    ask(catalog, names[0]);
    kin__catalog_unref(catalog);
    return 0;
}
