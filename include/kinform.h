/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * kinform: Kubernetes' informer machinery. This header includes all others.
 */
#ifndef KINFORM_H
#define KINFORM_H

#include <kinform/call.h>
#include <kinform/client.h>
#include <kinform/clock.h>
#include <kinform/common.h>
#include <kinform/config.h>
#include <kinform/controller.h>
#include <kinform/delta.h>
#include <kinform/delta_fifo.h>
#include <kinform/diff.h>
#include <kinform/editor.h>
#include <kinform/encoding.h>
#include <kinform/error.h>
#include <kinform/expiring_store.h>
#include <kinform/factory.h>
#include <kinform/fake_source.h>
#include <kinform/fifo.h>
#include <kinform/handler.h>
#include <kinform/heap.h>
#include <kinform/index.h>
#include <kinform/informer.h>
#include <kinform/json.h>
#include <kinform/key.h>
#include <kinform/known_objects.h>
#include <kinform/list_watch.h>
#include <kinform/lister.h>
#include <kinform/log.h>
#include <kinform/make.h>
#include <kinform/memory.h>
#include <kinform/metadata.h>
#include <kinform/mutation_cache.h>
#include <kinform/mutation_detector.h>
#include <kinform/object.h>
#include <kinform/object_list.h>
#include <kinform/ordered_fifo.h>
#include <kinform/owner.h>
#include <kinform/patch.h>
#include <kinform/path.h>
#include <kinform/process.h>
#include <kinform/projection.h>
#include <kinform/quantity.h>
#include <kinform/queue.h>
#include <kinform/rate_limiter.h>
#include <kinform/reconciler.h>
#include <kinform/reflector.h>
#include <kinform/replace.h>
#include <kinform/resource.h>
#include <kinform/resource_version.h>
#include <kinform/retry.h>
#include <kinform/retry_watch.h>
#include <kinform/selector.h>
#include <kinform/snapshot.h>
#include <kinform/status.h>
#include <kinform/store.h>
#include <kinform/stream.h>
#include <kinform/time.h>
#include <kinform/undelta_store.h>
#include <kinform/value.h>
#include <kinform/version.h>
#include <kinform/view.h>
#include <kinform/work_queue.h>
#include <kinform/yaml.h>

#endif
