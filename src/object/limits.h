/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bounds that hold for every document, wherever it comes from. Options can only narrow them.
 * Walks over documents rely on them: an explicit stack of KIN__DEPTH_MAX small frames
 * fits any thread's stack, so nothing recurses, and reading needs no memory.
 */
#ifndef KIN_OBJECT_LIMITS_H
#define KIN_OBJECT_LIMITS_H

/* Maps and arrays inside each other; the root map is 1. */
#define KIN__DEPTH_MAX 512
/* While one is made: a value that is no map is put into one (kin__json_read_value()). */
#define KIN__FRAMES_MAX (KIN__DEPTH_MAX + 1)
/* Bytes of text of one document: keeps every length and offset inside it in 32 bits. */
#define KIN__TEXT_MAX 1073741824u

#endif
