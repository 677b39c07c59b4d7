/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Resource quantities: `100m` of a CPU, `1536Mi` of memory, `12e6` of something.
 *
 * They mean what they mean to Kubernetes (resource.Quantity of k8s.io/apimachinery): the
 * same texts are accepted, give the same value, compare, add up and are written the same.
 * A value is exact. It is a multiple of 1n (finer ones are rounded up, away from zero),
 * has up to 38 significant digits, enough to add up the largest binary quantity ten billion
 * times, and an exponent of up to 2147483647. What needs more digits, which Kubernetes' own
 * type can hold, is KIN_ERANGE here.
 *
 * Where the original's answer depends on how it happens to store a value, or is one that
 * has overflowed, this one goes by the value and reports the overflow; docs of each
 * function say so.
 */
#ifndef KINFORM_QUANTITY_H
#define KINFORM_QUANTITY_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** A buffer of this many bytes holds whatever kin_quantity_format() writes. */
#define KIN_QUANTITY_TEXT_SIZE 64

/** How a quantity was written and is to be written; never changes its value. */
enum kin_quantity_notation {
    KIN_QUANTITY_DECIMAL_SI = 0,       /**< 12M: n u m, none, k M G T P E */
    KIN_QUANTITY_BINARY_SI = 1,        /**< 12Mi: Ki Mi Gi Ti Pi Ei */
    KIN_QUANTITY_DECIMAL_EXPONENT = 2, /**< 12e6 */
};

/** Powers of ten for kin_quantity_scaled(); any other number will do too. */
enum kin_quantity_scale {
    KIN_QUANTITY_NANO = -9,  /**< 10^-9 */
    KIN_QUANTITY_MICRO = -6, /**< 10^-6 */
    KIN_QUANTITY_MILLI = -3, /**< 10^-3 */
    KIN_QUANTITY_ONE = 0,    /**< 1 */
    KIN_QUANTITY_KILO = 3,   /**< 10^3 */
    KIN_QUANTITY_MEGA = 6,   /**< 10^6 */
    KIN_QUANTITY_GIGA = 9,   /**< 10^9 */
    KIN_QUANTITY_TERA = 12,  /**< 10^12 */
    KIN_QUANTITY_PETA = 15,  /**< 10^15 */
    KIN_QUANTITY_EXA = 18,   /**< 10^18 */
};

/**
 * A quantity. Passed by value, nothing to release; its layout never changes.
 *
 * All bytes zero is the quantity 0. The members are for the functions below; equal values
 * of the same notation have equal members.
 */
typedef struct kin_quantity {
    uint64_t low;     /**< the digits as one number, its low half */
    uint64_t high;    /**< and its high half */
    int32_t scale;    /**< the power of ten that the digits are multiplied with */
    uint8_t negative; /**< 1 for values below zero */
    uint8_t notation; /**< a kin_quantity_notation */
    uint8_t zero[2];  /**< always 0 */
} kin_quantity;

/**
 * Make a quantity of value * 10^scale.
 *
 * @param[out] ret  untouched on failure.
 * @param scale     KIN_QUANTITY_NANO or more.
 * @param notation  how to write it.
 * @return 0, KIN_EINVAL (NULL, a scale below KIN_QUANTITY_NANO, an unknown notation), KIN_ERANGE
 *         (an exponent beyond the limit).
 * @thread any
 */
KIN_API int kin_quantity_make(kin_quantity *ret, int64_t value, int32_t scale,
                              enum kin_quantity_notation notation, kin_error *err);

/**
 * Read a quantity: a sign, digits with a decimal point, and one of the suffixes n u m k M G T
 * P E, Ki Mi Gi Ti Pi Ei, or e or E with an exponent. All but one digit may be missing.
 *
 * What is finer than 1n is rounded up to it, away from zero. Values with a binary suffix are
 * capped at ±(2^63 - 1); others are not. A binary suffix on a value between -1 and 1 (0.5Ki is
 * not one) gives decimal notation, as the original does. Like the original it even takes a
 * sign, a decimal point or most suffixes without any digit for 0. Spaces are not skipped.
 *
 * @param[out] ret  untouched on failure.
 * @param text      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset is the byte at which it went wrong),
 *         KIN_ERANGE (more than 38 digits, or an exponent beyond the limit, which the original
 *         takes modulo 2^32).
 * @thread any
 */
KIN_API int kin_quantity_parse(kin_quantity *ret, kin_str text, kin_error *err);

/**
 * Write a quantity in its canonical form: no fraction, and the largest suffix that allows for
 * that. In binary notation only integers from 1024 to 10^38, and their negatives, are written;
 * others are as in decimal SI.
 *
 * kin_quantity_parse() reads it back as the same value, except that it caps what has a binary
 * suffix: 4Ei and 4Ei make `8Ei`. (The original's String() repeats the text
 * that was parsed where it takes that for canonical, `1.500` for one; this is its
 * CanonicalizeBytes(), `1500m`. That one leaves out the suffix, and so writes another value,
 * where there is none so large; here 10^21 is `1e21` and 2^70 is `1024Ei`.)
 *
 * Like snprintf(): writes as much as fits and terminates it, and returns the length of the
 * whole text, which was cut if that is not less than `size`.
 *
 * @param buf  BORROWED for the call; may be NULL if `size` is 0.
 * @return the length without terminator, at least 1.
 * @thread any
 */
KIN_API size_t kin_quantity_format(char *buf, size_t size, kin_quantity q);

/**
 * Order two quantities by value, whatever their notations: -1 if `a` is less than `b`, 0 if they are
 * equal, 1 if greater.
 *
 * @return 0, or `a` compared with `b` as above.
 * @thread any
 */
KIN_API int kin_quantity_compare(kin_quantity a, kin_quantity b);

/**
 * -1 for a quantity less than zero, 0 for zero, 1 for a greater one.
 *
 * @return 0, or the sign of `q`.
 * @thread any
 */
KIN_API int kin_quantity_sign(kin_quantity q);

/**
 * a + b. The notation is that of `a`; that of `b` if `a` is zero.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (the sum has more than 38 significant digits).
 * @thread any
 */
KIN_API int kin_quantity_add(kin_quantity *ret, kin_quantity a, kin_quantity b, kin_error *err);

/**
 * a - b. The notation is that of `a`; that of `b` if `a` is zero.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (the difference has more than 38 significant digits).
 * @thread any
 */
KIN_API int kin_quantity_sub(kin_quantity *ret, kin_quantity a, kin_quantity b, kin_error *err);

/**
 * -q, in the same notation.
 *
 * @thread any
 */
KIN_API kin_quantity kin_quantity_neg(kin_quantity q);

/**
 * The value as an integer, a fraction rounded up, away from zero: 1 for `100m`, -2 for `-1.5`.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (it does not fit; the original gives any number then).
 * @thread any
 */
KIN_API int kin_quantity_value(int64_t *ret, kin_quantity q, kin_error *err);

/**
 * 1000 times the value, rounded as kin_quantity_value() does: 100 for `100m`, as CPUs are
 * counted.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (it does not fit).
 * @thread any
 */
KIN_API int kin_quantity_milli_value(int64_t *ret, kin_quantity q, kin_error *err);

/**
 * The value divided by 10^scale, rounded as kin_quantity_value() does.
 *
 * (The original rounds some negative fractions towards zero, those that do not fit its
 * short form.)
 *
 * @param[out] ret  untouched on failure.
 * @param scale     a kin_quantity_scale or any other power of ten.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (it does not fit).
 * @thread any
 */
KIN_API int kin_quantity_scaled(int64_t *ret, kin_quantity q, int32_t scale, kin_error *err);

/**
 * The value as an integer, if it is one: the original's AsInt64(), without the cases where it
 * gives up on an integer.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ERANGE (it has a fraction, or does not fit).
 * @thread any
 */
KIN_API int kin_quantity_int64(int64_t *ret, kin_quantity q, kin_error *err);

/**
 * The double nearest to the value; an infinity where it is beyond all of them. (Closer than
 * the original's AsApproximateFloat64(), which rounds twice.)
 *
 * @thread any
 */
KIN_API double kin_quantity_double(kin_quantity q);

KIN_END_DECLS

#endif
