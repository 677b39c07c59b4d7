// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// conversions are the protobuf files made from the files of kin-bench-pods.
var conversions = []struct {
	from, to string
	convert  func(in io.Reader, out *bufio.Writer, dir string) (int64, error)
}{
	{"pods.json", "pods.pb", convertList},
	{"stream.jsonl", "stream.pbs", convertStream},
	{"events.jsonl", "events.pbs", convertEvents},
}

// runConvert makes the protobuf files of a data directory, also where they are
// there already: whoever calls it knows whether the data or this program changed.
func runConvert(_ context.Context, args []string, r *report) error {
	dirs, err := parseFlags(newFlags("convert"), args, 1)
	if err != nil {
		return err
	}
	s := startSection()
	found := false
	for _, c := range conversions {
		from, to := filepath.Join(dirs[0], c.from), filepath.Join(dirs[0], c.to)
		if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
			r.note("%s is not there", c.from)
			continue
		}
		found = true
		objects, err := convertFile(from, to, c.convert)
		if err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		r.note("%s made of %d objects", c.to, objects)
	}
	if !found {
		return fmt.Errorf("%s has no data", dirs[0])
	}
	r.usage(s.stop())
	return nil
}

// convertFile writes under a temporary name and renames at the end, so that a
// file that is there is whole.
func convertFile(from, to string, convert func(io.Reader, *bufio.Writer, string) (int64, error)) (objects int64, err error) {
	in, err := os.Open(from)
	if err != nil {
		return 0, err
	}
	defer in.Close()
	tmp, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".tmp-*")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			tmp.Close() // harmless when it is closed already
			os.Remove(tmp.Name())
		}
	}()
	out := bufio.NewWriterSize(tmp, 1<<20)
	if objects, err = convert(in, out, filepath.Dir(to)); err != nil {
		return 0, err
	}
	if err = errors.Join(out.Flush(), tmp.Chmod(0o644), tmp.Close()); err != nil {
		return 0, err
	}
	return objects, os.Rename(tmp.Name(), to)
}

// convertList writes a PodList. Its length stands before its items, so the items
// go to a file of their own first.
func convertList(in io.Reader, out *bufio.Writer, dir string) (int64, error) {
	list, err := newListReader(in)
	if err != nil {
		return 0, err
	}
	body, err := os.CreateTemp(dir, "items.tmp-*")
	if err != nil {
		return 0, err
	}
	defer os.Remove(body.Name())
	defer body.Close()
	items := bufio.NewWriterSize(body, 1<<20)

	var objects, bodyBytes int64
	encode := func(raw []byte) ([]byte, error) {
		pod, err := decodePodStrict(raw)
		if err != nil {
			return nil, err
		}
		return listItem(pod)
	}
	err = orderedMap(list.next, encode, func(item []byte) error {
		objects++
		bodyBytes += int64(len(item))
		_, err := items.Write(item)
		return err
	})
	if err = errors.Join(err, items.Flush()); err != nil {
		return 0, err
	}
	if list.typeMeta.Kind != "PodList" || list.typeMeta.APIVersion != "v1" {
		return 0, fmt.Errorf("a %s %s, not a v1 PodList", list.typeMeta.APIVersion, list.typeMeta.Kind)
	}
	head, err := listHead(list.typeMeta, list.listMeta, bodyBytes)
	if err != nil {
		return 0, err
	}
	if _, err := body.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	_, err = io.Copy(out, io.MultiReader(bytes.NewReader(head), body, bytes.NewReader(listTail)))
	return objects, err
}

// convertStream writes the events of a streaming list.
func convertStream(in io.Reader, out *bufio.Writer, _ string) (int64, error) {
	return convertFrames(in, out, func([]byte) error { return nil })
}

// convertEvents writes watch events, each with digits that can be overwritten.
func convertEvents(in io.Reader, out *bufio.Writer, _ string) (int64, error) {
	return convertFrames(in, out, func(frame []byte) error {
		if stampOffset(frame) < 0 {
			return fmt.Errorf("an event without %d digits in the annotation %s", stampDigits, stampAnnotation)
		}
		return nil
	})
}

func convertFrames(in io.Reader, out *bufio.Writer, check func(frame []byte) error) (int64, error) {
	var objects int64
	encode := func(line []byte) ([]byte, error) {
		eventType, pod, err := decodeEventStrict(line)
		if err != nil {
			return nil, err
		}
		frame, err := eventFrame(eventType, pod)
		if err != nil {
			return nil, err
		}
		return frame, check(frame)
	}
	err := orderedMap(lineReader(in), encode, func(frame []byte) error {
		objects++
		_, err := out.Write(frame)
		return err
	})
	return objects, err
}
