/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protobuf files of a data set, as the Go peer makes them: for tests on machines without Go.
 */
#ifndef KIN_BENCH_TEST_PROTOBUF_FIXTURE_H
#define KIN_BENCH_TEST_PROTOBUF_FIXTURE_H

/* Write pods.pb, stream.pbs and events.pbs for those of the JSON files that are in the directory. */
void make_protobuf_files(const char *dir);

#endif
