/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whatever bytes a record holds, its line is valid UTF-8 without control characters, so
 * that nothing can forge a second line; and a short buffer holds a prefix of it.
 */
#include <string.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "kinform/log.h"

#define MAX_FIELDS 8
#define LINE_SIZE 16384

/* Terminated copies: keys and messages are C strings. */
static const char *c_string(fuzz_input *in, char *buf, size_t size)
{
    kin_str s = fuzz_str(in);
    size_t len = s.len < size - 1 ? s.len : size - 1;

    memcpy(buf, s.data, len);
    buf[len] = '\0';
    return buf;
}

static void take_field(fuzz_input *in, kin_log_field *field, char *key, size_t key_size)
{
    field->key = c_string(in, key, key_size);
    field->type = (kin_log_type)(fuzz_byte(in) % 7); /* two of which don't exist */
    uint64_t bits = 0;
    switch (field->type) {
    case KIN_LOG_STR:
        field->value.str = fuzz_str(in);
        break;
    case KIN_LOG_BOOL:
        field->value.boolean = fuzz_byte(in) & 1;
        break;
    case KIN_LOG_DOUBLE:
        bits = fuzz_number(in);
        memcpy(&field->value.dbl, &bits, sizeof(bits));
        break;
    default:
        field->value.u64 = fuzz_number(in);
        break;
    }
}

static void check_line(const char *line, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = kin__utf8_char_len(line + i, len - i);
        unsigned char c = (unsigned char)line[i];

        FUZZ_CHECK(n > 0);
        FUZZ_CHECK(n > 1 || (c >= 0x20 && c != 0x7f));
        FUZZ_CHECK(n != 2 || c != 0xc2 || (unsigned char)line[i + 1] >= 0xa0);
        i += n;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[LINE_SIZE];
    static char shorter[LINE_SIZE];
    fuzz_input in = {data, size};
    kin_log_field fields[MAX_FIELDS];
    char keys[MAX_FIELDS][64];
    char component[300];
    char message[300];
    size_t n_fields = fuzz_byte(&in) % (MAX_FIELDS + 1);
    kin_log_record record = {.size = sizeof(record)};

    record.level = (kin_log_level)(fuzz_byte(&in) % 8);
    record.unix_ns = (int64_t)fuzz_number(&in);
    record.component = c_string(&in, component, sizeof(component));
    record.message = c_string(&in, message, sizeof(message));
    for (size_t i = 0; i < n_fields; i++)
        take_field(&in, &fields[i], keys[i], sizeof(keys[i]));
    record.fields = fields;
    record.n_fields = n_fields;

    size_t len = kin_log_format(&record, line, sizeof(line));
    FUZZ_CHECK(len < sizeof(line) && strlen(line) == len);
    check_line(line, len);

    size_t room = size % (len + 2);
    memset(shorter, 0x55, sizeof(shorter));
    FUZZ_CHECK(kin_log_format(&record, shorter, room) == len);
    if (room > 0) {
        FUZZ_CHECK(strlen(shorter) < room && strncmp(shorter, line, strlen(shorter)) == 0);
        check_line(shorter, strlen(shorter));
    }
    FUZZ_CHECK(shorter[room] == 0x55);
    return 0;
}
