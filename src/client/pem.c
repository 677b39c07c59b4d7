/* SPDX-License-Identifier: Apache-2.0 */
#include "client/pem.h"

#include "base/str.h"

static const kin_str begin_mark = KIN__STR("-----BEGIN ");
static const kin_str end_mark = KIN__STR("-----END ");
static const kin_str dashes = KIN__STR("-----");
static const kin_str key_label = KIN__STR("PRIVATE KEY");

static bool is_base64(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
}

/* The label of a line that begins or ends a block. */
static bool read_mark(kin_str line, kin_str mark, kin_str *ret_label)
{
    if (line.len < mark.len + dashes.len || !kin__str_starts_with(line, mark) ||
        !kin__str_ends_with(line, dashes))
        return false;
    *ret_label = kin_str_make(line.data + mark.len, line.len - mark.len - dashes.len);
    return true;
}

/* The base64 of one block, as far as it was seen. */
struct body {
    size_t letters;
    size_t padding;
    bool is_encrypted;
};

/* One line of a block that is neither its first nor its last. */
static const char *look_at_line(struct body *body, kin_str line)
{
    if (kin__str_find(line, ':') < line.len) {
        /* Headers, which old keys have, stand before the base64. */
        if (body->letters > 0)
            return "holds a block that is not base64";
        if (kin__str_starts_with(line, kin_str_of("Proc-Type:")) &&
            kin__str_ends_with(line, kin_str_of("ENCRYPTED")))
            body->is_encrypted = true;
        return NULL;
    }
    for (size_t i = 0; i < line.len; i++) {
        if (line.data[i] == '=' && body->padding < 2)
            body->padding++;
        else if (is_base64(line.data[i]) && body->padding == 0)
            body->letters++;
        else
            return "holds a block that is not base64";
    }
    return NULL;
}

/* From behind the BEGIN line to behind the END line. */
static const char *read_block(kin_str *rest, kin_str label, struct body *ret_body)
{
    struct body body = {0, 0, false};
    kin_str line;

    while (kin__str_cut(rest, '\n', &line)) {
        kin_str end;

        line = kin__str_trim(line);
        if (read_mark(line, end_mark, &end)) {
            if (!kin_str_equal(end, label))
                return "holds a block whose end names another kind";
            if (body.letters == 0)
                return "holds an empty block";
            if ((body.letters + body.padding) % 4 != 0)
                return "holds a block that is not base64";
            *ret_body = body;
            return NULL;
        }
        const char *defect = look_at_line(&body, line);
        if (defect)
            return defect;
    }
    return "holds a block without an end";
}

static bool is_wanted(kin_str label, enum kin__pem_kind kind)
{
    if (kind == KIN__PEM_KEY)
        return kin__str_ends_with(label, key_label);
    return kin_str_equal(label, kin_str_of("CERTIFICATE"));
}

const char *kin__pem_defect(kin_str text, enum kin__pem_kind kind)
{
    kin_str rest = text.len > 0 ? text : kin_str_of("");
    size_t found = 0;
    kin_str line;

    while (kin__str_cut(&rest, '\n', &line)) {
        struct body body;
        kin_str label;

        if (!read_mark(kin__str_trim(line), begin_mark, &label))
            continue;
        const char *defect = read_block(&rest, label, &body);
        if (defect)
            return defect;
        if (!is_wanted(label, kind))
            continue;
        if (kind == KIN__PEM_KEY &&
            (body.is_encrypted || kin__str_starts_with(label, kin_str_of("ENCRYPTED "))))
            return "holds an encrypted key, and nobody can be asked for its pass phrase";
        found++;
    }
    if (found > 0)
        return NULL;
    return kind == KIN__PEM_KEY ? "holds no private key in PEM" : "holds no certificate in PEM";
}
