/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timestamps of Kubernetes' two forms, UUIDs, IPv4 addresses, and texts that end in many hex
 * digits, as container and image ids do.
 */
#include "object/pack.h"

#include <string.h>

#include "base/assert.h"
#include "object/calendar.h"

#define TIME_LEN 20u      /* 2026-01-31T12:00:00Z */
#define MICROTIME_LEN 27u /* 2026-01-31T12:00:00.000000Z */
#define UUID_LEN 36u
#define UUID_BYTES 16u
/* Fewer digits are not worth their header, and shorter texts may be label values. */
#define HEX_DIGITS_MIN 32u
#define HEX_TEXT_MIN 64u
#define HEX_TEXT_MAX 255u

static const char digits[] = "0123456789abcdef";

static bool two(const char *p, unsigned *ret)
{
    unsigned tens = (unsigned)(unsigned char)p[0] - '0';
    unsigned ones = (unsigned)(unsigned char)p[1] - '0';

    *ret = tens * 10 + ones;
    return tens <= 9 && ones <= 9;
}

/* "2026-01-31T12:00:00": a real date that fits 32 bits of seconds. */
static bool pack_seconds(const char *p, uint32_t *ret)
{
    unsigned century;
    unsigned year;
    unsigned month;
    unsigned day;
    unsigned hour;
    unsigned minute;
    unsigned second;

    if (p[4] != '-' || p[7] != '-' || p[10] != 'T' || p[13] != ':' || p[16] != ':')
        return false;
    if (!two(p, &century) || !two(p + 2, &year) || !two(p + 5, &month) || !two(p + 8, &day) ||
        !two(p + 11, &hour) || !two(p + 14, &minute) || !two(p + 17, &second))
        return false;
    year += century * 100;
    /* The end of 32 bits is in February 2106. */
    if (year < 1970 || year > 2105 || month < 1 || month > 12 || day < 1 ||
        day > kin__date_days_in(year, month) || hour > 23 || minute > 59 || second > 59)
        return false;
    *ret = (uint32_t)kin__date_to_days((kin__date){year, month, day}) * KIN__SECONDS_PER_DAY +
           hour * 3600 + minute * 60 + second;
    return true;
}

static void put_two(char *p, unsigned value)
{
    p[0] = (char)('0' + value / 10);
    p[1] = (char)('0' + value % 10);
}

static void unpack_seconds(char *p, uint32_t seconds)
{
    kin__date date = kin__date_from_days((int32_t)(seconds / KIN__SECONDS_PER_DAY));
    uint32_t rest = seconds % KIN__SECONDS_PER_DAY;

    put_two(p, date.year / 100);
    put_two(p + 2, date.year % 100);
    p[4] = '-';
    put_two(p + 5, date.month);
    p[7] = '-';
    put_two(p + 8, date.day);
    p[10] = 'T';
    put_two(p + 11, rest / 3600);
    p[13] = ':';
    put_two(p + 14, rest / 60 % 60);
    p[16] = ':';
    put_two(p + 17, rest % 60);
}

static void put_u32(uint8_t *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static size_t pack_time(uint8_t *out, const char *text)
{
    uint32_t seconds;

    if (text[TIME_LEN - 1] != 'Z' || !pack_seconds(text, &seconds))
        return 0;
    out[0] = KIN__TAG_TIME;
    put_u32(out + 1, seconds);
    return 5;
}

static size_t pack_microtime(uint8_t *out, const char *text)
{
    uint32_t seconds;
    uint32_t micros = 0;

    if (text[MICROTIME_LEN - 1] != 'Z' || text[TIME_LEN - 1] != '.' ||
        !pack_seconds(text, &seconds))
        return 0;
    for (unsigned i = TIME_LEN; i < MICROTIME_LEN - 1; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9)
            return 0;
        micros = micros * 10 + digit;
    }
    out[0] = KIN__TAG_MICROTIME;
    put_u32(out + 1, seconds);
    out[5] = (uint8_t)micros;
    out[6] = (uint8_t)(micros >> 8);
    out[7] = (uint8_t)(micros >> 16);
    return 8;
}

/* The value of a lower-case hex digit plus one, 0 for anything else. */
static const uint8_t hex_values[256] = {
    ['0'] = 1, ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9, ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

static bool is_hex(char c)
{
    return hex_values[(unsigned char)c] > 0;
}

static bool pack_hex_byte(uint8_t *out, const char *p)
{
    unsigned high = hex_values[(unsigned char)p[0]];
    unsigned low = hex_values[(unsigned char)p[1]];

    *out = (uint8_t)((high - 1) << 4 | ((low - 1) & 15));
    return high > 0 && low > 0;
}

/* Where the digits of each byte of a UUID stand; between them are dashes. */
static const uint8_t uuid_digits[UUID_BYTES] = {0,  2,  4,  6,  9,  11, 14, 16,
                                                19, 21, 24, 26, 28, 30, 32, 34};

static size_t pack_uuid(uint8_t *out, const char *text)
{
    bool good = text[8] == '-' && text[13] == '-' && text[18] == '-' && text[23] == '-';

    out[0] = KIN__TAG_UUID;
    for (unsigned i = 0; good && i < UUID_BYTES; i++)
        good = pack_hex_byte(out + 1 + i, text + uuid_digits[i]);
    return good ? 1 + UUID_BYTES : 0;
}

static size_t pack_hex(uint8_t *out, const char *text, size_t len)
{
    size_t hex = 0;

    while (hex < len && is_hex(text[len - 1 - hex]))
        hex++;
    hex &= ~(size_t)1;
    if (hex < HEX_DIGITS_MIN)
        return 0;

    size_t prefix = len - hex;
    uint16_t word = prefix > 1 ? kin__keys_find(kin_str_make(text, prefix)) : KIN__KEY_TEXT;
    uint8_t *bytes;

    if (word != KIN__KEY_TEXT) {
        out[0] = KIN__TAG_HEX_WORD;
        out[1] = (uint8_t)word;
        out[2] = (uint8_t)(word >> 8);
        out[3] = (uint8_t)(hex / 2);
        bytes = out + 4;
    } else {
        out[0] = KIN__TAG_HEX;
        out[1] = (uint8_t)prefix;
        out[2] = (uint8_t)(hex / 2);
        memcpy(out + 3, text, prefix);
        bytes = out + 3 + prefix;
    }
    for (size_t i = 0; i < hex / 2; i++)
        pack_hex_byte(bytes + i, text + prefix + 2 * i);
    return (size_t)(bytes - out) + hex / 2;
}

/* Four numbers up to 255 without leading zeros. */
static size_t pack_ipv4(uint8_t *out, const char *text, size_t len)
{
    const char *end = text + len;

    out[0] = KIN__TAG_IPV4;
    for (unsigned i = 0; i < 4; i++) {
        unsigned value = 0;
        unsigned n = 0;

        for (; text < end && *text != '.'; text++, n++) {
            unsigned digit = (unsigned)(unsigned char)*text - '0';

            if (digit > 9 || n == 3 || (n > 0 && value == 0))
                return 0;
            value = value * 10 + digit;
        }
        if (n == 0 || value > 255 || (text == end) != (i == 3))
            return 0;
        out[1 + i] = (uint8_t)value;
        text++; /* the dot, or beyond the end, where nothing is read any more */
    }
    return 5;
}

size_t kin__pack(uint8_t out[KIN__PACKED_MAX], const char *text, size_t len)
{
    if (len == TIME_LEN)
        return pack_time(out, text);
    if (len == MICROTIME_LEN)
        return pack_microtime(out, text);
    if (len == UUID_LEN)
        return pack_uuid(out, text);
    if (len >= HEX_TEXT_MIN && len <= HEX_TEXT_MAX)
        return pack_hex(out, text, len);
    if (len >= 7 && len <= 15 && (unsigned char)(text[0] - '0') <= 9)
        return pack_ipv4(out, text, len);
    return 0;
}

static size_t unpack_hex_bytes(char *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    return 2 * n;
}

static size_t unpack_uuid(char *out, const uint8_t *bytes)
{
    for (unsigned i = 0; i < UUID_BYTES; i++) {
        out[uuid_digits[i]] = digits[bytes[i] >> 4];
        out[uuid_digits[i] + 1] = digits[bytes[i] & 15];
    }
    out[8] = out[13] = out[18] = out[23] = '-';
    return UUID_LEN;
}

static size_t unpack_microtime(char *out, const uint8_t *p)
{
    uint32_t micros = p[4] | (uint32_t)p[5] << 8 | (uint32_t)p[6] << 16;

    unpack_seconds(out, get_u32(p));
    out[TIME_LEN - 1] = '.';
    for (unsigned i = MICROTIME_LEN - 1; i-- > TIME_LEN; micros /= 10)
        out[i] = (char)('0' + micros % 10);
    out[MICROTIME_LEN - 1] = 'Z';
    return MICROTIME_LEN;
}

static size_t unpack_ipv4(char *out, const uint8_t *bytes)
{
    const char *begin = out;

    for (unsigned i = 0; i < 4; i++) {
        unsigned value = bytes[i];

        if (value >= 100)
            *out++ = (char)('0' + value / 100);
        if (value >= 10)
            *out++ = (char)('0' + value / 10 % 10);
        *out++ = (char)('0' + value % 10);
        *out++ = '.';
    }
    return (size_t)(out - begin) - 1;
}

static size_t unpack_hex_word(char *out, const uint8_t *p)
{
    kin_str prefix = kin__keys_text((uint16_t)(p[0] | p[1] << 8));

    memcpy(out, prefix.data, prefix.len);
    return prefix.len + unpack_hex_bytes(out + prefix.len, p + 3, p[2]);
}

kin_str kin__unpack(const uint8_t *at, kin_scratch *scratch)
{
    char *out = scratch->bytes;
    size_t len = 0;

    switch (*at) {
    case KIN__TAG_TIME:
        unpack_seconds(out, get_u32(at + 1));
        out[TIME_LEN - 1] = 'Z';
        len = TIME_LEN;
        break;
    case KIN__TAG_MICROTIME:
        len = unpack_microtime(out, at + 1);
        break;
    case KIN__TAG_UUID:
        len = unpack_uuid(out, at + 1);
        break;
    case KIN__TAG_IPV4:
        len = unpack_ipv4(out, at + 1);
        break;
    case KIN__TAG_HEX_WORD:
        len = unpack_hex_word(out, at + 1);
        break;
    default:
        kin__assert(*at == KIN__TAG_HEX);
        memcpy(out, at + 3, at[1]);
        len = at[1] + unpack_hex_bytes(out + at[1], at + 3 + at[1], at[2]);
        break;
    }
    return kin_str_make(out, len);
}

const uint8_t *kin__pack_skip(const uint8_t *at)
{
    switch (*at) {
    case KIN__TAG_TIME:
        return at + 5;
    case KIN__TAG_MICROTIME:
        return at + 8;
    case KIN__TAG_UUID:
        return at + 1 + UUID_BYTES;
    case KIN__TAG_IPV4:
        return at + 5;
    case KIN__TAG_HEX_WORD:
        return at + 4 + at[3];
    default:
        kin__assert(*at == KIN__TAG_HEX);
        return at + 3 + at[1] + at[2];
    }
}
