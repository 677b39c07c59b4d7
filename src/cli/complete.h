/* SPDX-License-Identifier: Apache-2.0 */
/* What can stand where a user has pressed Tab: the same for all shells, whose scripts ask for it. */
#ifndef KIN_CLI_COMPLETE_H
#define KIN_CLI_COMPLETE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Print what `words`, those behind "kinform", may end with; the last of them is the one that is being written, and
 * may be empty. The first line says what is meant:
 *
 *     words               the lines that follow, each a word, and a tab and what it means if that is known
 *     nospace             the same, and the word goes on
 *     files PREFIX        a file, whose name stands behind this part of the word; a tab, and that name so far
 *     program N           the words from this one on, from 1, are a command of their own
 *
 * `is_raw`: the words are as they were typed, with quotes. Clusters are asked, for two seconds at most; whatever
 * goes wrong is silence.
 */
void complete_words(const char *const *words, size_t n, bool is_raw);

#endif
