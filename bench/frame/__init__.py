# SPDX-License-Identifier: Apache-2.0
"""The runner behind bench/run. Data flows suite -> inputs -> runner -> stats -> report."""
