// SPDX-License-Identifier: Apache-2.0

package main

// The generator and the shuffle are those of the C side, so that both visit the
// same keys in the same order.

const splitmixStep = 0x9e3779b97f4a7c15

// orderSeed is where the sequence for shuffles starts.
const orderSeed = 42

func mix64(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// splitmix64 hashes one number.
func splitmix64(i uint64) uint64 {
	return mix64(i + splitmixStep)
}

// splitmix is the sequence of draws.
type splitmix struct {
	state uint64
}

func (s *splitmix) draw() uint64 {
	s.state += splitmixStep
	return mix64(s.state)
}

// shuffled returns 0 to n-1 in a random order that is always the same.
func shuffled(n int) []int32 {
	return shuffledFrom(n, orderSeed)
}

// shuffledFrom is shuffled with another seed, for a second order.
func shuffledFrom(n int, seed uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	rng := splitmix{state: seed}
	for i := n - 1; i >= 1; i-- {
		j := int(rng.draw() % uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}
