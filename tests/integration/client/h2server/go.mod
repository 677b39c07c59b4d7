// SPDX-License-Identifier: Apache-2.0

module kinform/tests/integration/client/h2server

go 1.26.0
