import { expect, it } from 'vitest'
import { Pulse } from './pulse.ts'

const LONG_MS = 60_000
const { signal } = new AbortController()

it('wakes all who wait, and at once who has missed a beat', async () => {
  const pulse = new Pulse()
  const { beats } = pulse
  const waiting = [pulse.after(beats, LONG_MS, signal), pulse.after(beats, LONG_MS, signal)]
  pulse.beat()
  await Promise.all(waiting)
  await pulse.after(beats, LONG_MS, signal)
  expect(pulse.beats).toBe(beats + 1)
})

it('waits no longer than it is told, nor beyond an abort', async () => {
  const pulse = new Pulse()
  await pulse.after(pulse.beats, 1, signal)
  const stop = new AbortController()
  const waiting = pulse.after(pulse.beats, LONG_MS, stop.signal)
  stop.abort()
  await waiting
  expect(pulse.beats).toBe(0)
})
