// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"kinform/tests/oracle/queues/script/scripttest"
)

// What client-go answers is its own business; here each operation only has to
// arrive where it belongs.
var scripts = []scripttest.Script{
	{Name: "delta-fifo", Lines: [][2]string{
		{"script delta-fifo known replaced transform", "script"},
		{"pop ok", "empty unsynced"},
		{"replace a:1 b:2 a:3", "ok unsynced"},
		{"keys", "ok a,b unsynced"},
		{"pop-batch 9 requeue-fail", "failed a[Replaced=a:1000001,Replaced=a:1000003] " +
			"b[Replaced=b:1000002] initial synced"},
		{"pop ok", "ok a[Replaced=a:1000001,Replaced=a:1000003] later synced"},
		{"batch -a:4 *b:5 +c:6", "ok synced"},
		{"get a", "ok Deleted=a:1000004 synced"},
		{"delete ~b:7", "ok synced"},
		{"list", "ok a:1000004,c:1000006,~b:7 synced"},
		{"again Sync=a:8", "ok synced"},
		{"again", "no-deltas synced"},
		{"get-object a:9", "ok Deleted=a:1000004 synced"},
		{"store", "ok a:1000003 synced"},
		{"pop-batch 9 ok", "ok b[Replaced=b:1000002,Updated=b:1000005,Deleted=~b:7] " +
			"a[Deleted=a:1000004] c[Added=c:1000006] later synced"},
		{"resync", "ok synced"},
		{"pop fail", "failed c[Sync=c:1000006] later synced"},
		{"add !k:1", "bad-key synced"},
		{"update a:1:!t", "bad-object synced"},
		{"key-of ~z", "ok z synced"},
		{"key-of-deltas Added=a:1 Deleted=~b:2", "ok b synced"},
		{"close", "ok synced"},
		{"closed", "true synced"},
		{"pop ok", "closed synced"},
	}},
	{Name: "fifo", Lines: [][2]string{
		{"script fifo", "script"},
		{"replace c:1 a:2 c:3 b:4", "ok unsynced"},
		{"keys", "ok a,b,c unsynced"},
		{"update a:5", "ok unsynced"},
		{"again a:6", "ok unsynced"},
		{"get a", "ok a:5 unsynced"},
		{"get-object b:9", "ok b:4 unsynced"},
		{"pop requeue", "ok c:3 initial unsynced"},
		{"delete a:7", "ok unsynced"},
		{"list", "ok b:4,c:3 unsynced"},
		{"pop ok", "ok b:4 initial synced"},
		{"resync", "ok synced"},
		{"pop fail", "failed c:3 later synced"},
		{"pop ok", "empty synced"},
		{"add a:8", "ok synced"},
		{"close", "ok synced"},
		{"closed", "true synced"},
		{"delete a:9", "ok synced"},
		{"pop ok", "closed synced"},
		{"script fifo", "script"},
		{"replace a:1", "ok unsynced"},
		{"delete ~a", "ok unsynced"},
		{"pop ok", "empty synced"},
		{"list", "ok synced"},
	}},
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, kinds, scripts)
}
