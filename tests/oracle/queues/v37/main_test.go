// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"kinform/tests/oracle/queues/script/scripttest"
)

// What client-go answers is its own business; here each operation only has to
// arrive where it belongs.
var scripts = []scripttest.Script{
	{Name: "store", Lines: [][2]string{
		{"script store tags", "script"},
		{"add a:1:x+y", "ok @1"},
		{"update b:2:x", "ok @2"},
		{"add !k:1", "bad-key @2"},
		{"get a", "ok a:1 @2"},
		{"get-object c:1", "ok none @2"},
		{"list", "ok a:1,b:2 @2"},
		{"keys", "ok a,b @2"},
		{"index tags z:1:x+y", "ok a:1,b:2 @2"},
		{"index tags z:1:!i", "bad-tag @2"},
		{"by-index tags y", "ok a:1 @2"},
		{"by-index none y", "no-index @2"},
		{"index-keys tags x", "ok a,b @2"},
		{"index-values tags", "ok x,y @2"},
		{"add-indexes prefix more-tags", "ok @2"},
		{"add-indexes tags", "conflict @2"},
		{"index-names", "ok more-tags,prefix,tags @2"},
		{"by-index prefix b", "ok b:2 @2"},
		{"transaction +c:3 -a:4 +!k:1", "bad-key did 0,1 @4"},
		{"delete ~b:9", "ok @4"},
		{"bookmark @17", "ok @17"},
		{"replace @18 d:5:z", "ok @18"},
		{"resync", "ok @18"},
		{"list", "ok d:5 @18"},
		{"add e:6:!i", "panic"},
		{"list", "over"},
	}},
	{Name: "ordered-fifo", Lines: [][2]string{
		{"script ordered-fifo transform", "script"},
		{"replace @1 a:1 b:2", "ok unsynced"},
		{"pop ok", "ok Replaced=a:1000001 initial unsynced"},
		{"pop-batch ok", "ok Replaced=b:1000002 initial synced"},
		{"store", "ok a:1000001,b:1000002 synced"},
		{"batch +c:3", "ok synced"},
		{"replace @2 b:4", "ok synced"},
		{"length", "4 synced"},
		{"pop-batch fail", "failed Added=c:1000003 later synced"},
		{"pop-batch ok", "ok Deleted=~c:1000003 Deleted=~a:1000001 Replaced=b:1000004 later synced"},
		{"resync", "ok synced"},
		{"pop ok", "ok Sync=b:1000004 later synced"},
		{"pop ok", "empty synced"},
		{"close", "ok synced"},
		{"closed", "true synced"},
		{"pop-batch ok", "closed synced"},
		{"script ordered-fifo atomic bookmarks", "script"},
		{"replace @1 a:1 b:2", "ok unsynced"},
		{"bookmark @2", "ok unsynced"},
		{"resync", "ok unsynced"},
		{"delete a:3", "ok unsynced"},
		{"pop ok", "ok ReplacedAll=@1(a:1,b:2) initial synced"},
		{"pop ok", "ok Bookmark=@2 later synced"},
		{"pop ok", "ok SyncAll=all later synced"},
		{"pop ok", "ok Deleted=a:3 later synced"},
		{"store", "ok b:2 synced"},
		{"update !k:1", "bad-key synced"},
	}},
}

func TestScripts(t *testing.T) {
	scripttest.Run(t, kinds, scripts)
}
