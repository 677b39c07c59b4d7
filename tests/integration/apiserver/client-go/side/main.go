// SPDX-License-Identifier: Apache-2.0

// Side has client-go's shared informers and says what they see, in the lines of
// tests/e2e/informer_side.c:
//
//	side KUBECONFIG CONTEXT NAME=RESOURCE/MODE...
//
// RESOURCE is "pods" or "deployments.v1.apps". How lists are made is of the whole process, by client-go's
// own KUBE_FEATURE_WatchListClient; MODE is of no meaning.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"log"
	"os"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

type line struct {
	Informer  string `json:"informer,omitempty"`
	Event     string `json:"event,omitempty"`
	Key       string `json:"key,omitempty"`
	Initial   bool   `json:"initial,omitempty"`
	Tombstone bool   `json:"tombstone,omitempty"`
	Old       string `json:"old,omitempty"`
	Object    any    `json:"object,omitempty"`
	Cached    any    `json:"cached,omitempty"`
	Synced    *bool  `json:"synced,omitempty"`
	Done      string `json:"done,omitempty"`
}

var out struct {
	lock    sync.Mutex
	encoder *json.Encoder
}

func say(lines ...line) {
	out.lock.Lock()
	defer out.lock.Unlock()
	for _, one := range lines {
		if err := out.encoder.Encode(one); err != nil {
			log.Fatal(err)
		}
	}
}

func keyOf(object *unstructured.Unstructured) string {
	key, err := cache.MetaNamespaceKeyFunc(object)
	if err != nil {
		log.Fatal(err)
	}
	return key
}

// handler says what it is told.
type handler string

func (name handler) OnAdd(object any, initial bool) {
	one := object.(*unstructured.Unstructured)
	say(line{Informer: string(name), Event: "add", Key: keyOf(one), Initial: initial, Object: one.Object})
}

func (name handler) OnUpdate(old, object any) {
	one := object.(*unstructured.Unstructured)
	say(line{Informer: string(name), Event: "update", Key: keyOf(one), Object: one.Object,
		Old: old.(*unstructured.Unstructured).GetResourceVersion()})
}

func (name handler) OnDelete(object any) {
	told := line{Informer: string(name), Event: "delete"}
	if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
		told.Tombstone, object = true, last.Obj
	}
	one := object.(*unstructured.Unstructured)
	told.Key, told.Object = keyOf(one), one.Object
	say(told)
}

func resourceOf(text string) schema.GroupVersionResource {
	if full, _ := schema.ParseResourceArg(text); full != nil {
		return *full
	}
	return schema.GroupVersionResource{Version: "v1", Resource: text}
}

type side struct {
	name     string
	informer cache.SharedIndexInformer
}

func start(client dynamic.Interface, what string, stop <-chan struct{}) side {
	name, rest, found := strings.Cut(what, "=")
	resource, _, full := strings.Cut(rest, "/")
	if !found || !full {
		log.Fatalf("not NAME=RESOURCE/MODE: %s", what)
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(client, resourceOf(resource), "", 0,
		cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(handler(name)); err != nil {
		log.Fatal(err)
	}
	go informer.Run(stop)
	return side{name, informer}
}

func (s side) dump() {
	for _, object := range s.informer.GetStore().List() {
		say(line{Informer: s.name, Cached: object.(*unstructured.Unstructured).Object})
	}
}

func main() {
	// What it logs of each fault is of no use to who reads the lines.
	klog.InitFlags(nil)
	flag.Set("logtostderr", "false")
	flag.Set("stderrthreshold", "FATAL")
	flag.Parse()
	if len(os.Args) < 4 {
		log.Fatal("usage: side KUBECONFIG CONTEXT NAME=RESOURCE/MODE...")
	}
	out.encoder = json.NewEncoder(os.Stdout)
	out.encoder.SetEscapeHTML(false)
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: os.Args[1]},
		&clientcmd.ConfigOverrides{CurrentContext: os.Args[2]}).ClientConfig()
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	stop := make(chan struct{})
	var sides []side
	for _, what := range os.Args[3:] {
		sides = append(sides, start(client, what, stop))
	}
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		what, names, _ := strings.Cut(orders.Text(), " ")
		for _, one := range sides {
			switch {
			case !strings.HasPrefix(one.name, names):
			case what == "dump":
				one.dump()
			default:
				synced := one.informer.HasSynced()
				say(line{Informer: one.name, Synced: &synced})
			}
		}
		say(line{Done: orders.Text()})
	}
	close(stop)
}
