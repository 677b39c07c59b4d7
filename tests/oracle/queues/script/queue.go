// SPDX-License-Identifier: Apache-2.0

package script

import "strconv"

// A Queue is what all queues of all versions of client-go can do.
type Queue interface {
	Add(object any) error
	Update(object any) error
	Delete(object any) error
	Resync() error
	HasSynced() bool
	Close()
	IsClosed() bool
}

// StepQueue does the operations that are the same for every queue; false if it is none of them.
func StepQueue(queue Queue, op string, args []string) (string, bool) {
	switch op {
	case "add":
		return Outcome(queue.Add(ParseObject(args[0]))), true
	case "update":
		return Outcome(queue.Update(ParseObject(args[0]))), true
	case "delete":
		return Outcome(queue.Delete(ParseObject(args[0]))), true
	case "batch":
		return batch(queue, args), true
	case "resync":
		return Outcome(queue.Resync()), true
	case "close":
		queue.Close()
		return "ok", true
	case "closed":
		return strconv.FormatBool(queue.IsClosed()), true
	}
	return "", false
}

// batch puts in one after the other what our queues put in at once, which has to come to the same.
func batch(queue Queue, args []string) string {
	puts := map[byte]func(any) error{'+': queue.Add, '*': queue.Update, '-': queue.Delete}
	for _, text := range args {
		if err := puts[text[0]](ParseObject(text[1:])); err != nil {
			return Outcome(err)
		}
	}
	return "ok"
}

// Empty is what a Pop of an empty queue comes to: client-go's would wait.
func Empty(queue Queue) string {
	if queue.IsClosed() {
		return "closed"
	}
	return "empty"
}

// Synced is the state of a queue, at the end of each line.
func Synced(queue Queue) string {
	if queue.HasSynced() {
		return "synced"
	}
	return "unsynced"
}

// Initial says whether what was popped is of the first list.
func Initial(is bool) string {
	if is {
		return "initial"
	}
	return "later"
}

// Processed is what a process function returns, by the last word of the step.
func Processed(mode string) error {
	switch mode {
	case "ok":
		return nil
	case "fail":
		return ErrProcess
	}
	Fail("no such mode", mode)
	return nil
}
