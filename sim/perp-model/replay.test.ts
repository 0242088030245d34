import { describe, expect, test } from 'vitest'
import { generate } from './generate.ts'
import { type Json, toJson } from './image.ts'
import { DEFAULT_CAST } from './markets.ts'
import { replay, type Scenario, type Step } from './replay.ts'

const LENGTH = 400

function play(scenario: Scenario): Step[] {
  return [...replay(scenario)]
}

function countBy(steps: readonly Step[], isWanted: (step: Step) => boolean): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { action } of steps.filter(isWanted)) counts.set(action.type, (counts.get(action.type) ?? 0) + 1)
  return counts
}

describe('a generated scenario', () => {
  const scenario = generate(2024, LENGTH)
  const steps = play(scenario)

  test('is the same for the same seed and another for another', () => {
    expect(generate(2024, LENGTH)).toEqual(scenario)
    expect(generate(2025, LENGTH).actions).not.toEqual(scenario.actions)
  })

  test('survives JSON and replays to the same steps', () => {
    const copy = JSON.parse(JSON.stringify(scenario)) as Scenario
    expect(play(copy)).toEqual(steps)
    expect(JSON.parse(JSON.stringify(steps))).toEqual(steps)
  })

  test('has one step an action, most of them successful, every kind among them', () => {
    expect(steps.length).toBe(LENGTH + scenario.setup.instruments.length)
    const done = countBy(steps, (step) => step.error === null)
    const kinds = [
      'add',
      'adjust',
      'batchPlace',
      'cancel',
      'deposit',
      'fill',
      'place',
      'price',
      'remove',
      'trade',
      'update',
      'withdraw',
    ]
    expect([...done.keys()].toSorted()).toEqual(kinds)
    const successes = [...done.values()].reduce((sum, count) => sum + count, 0)
    expect(successes / steps.length).toBeGreaterThan(0.85)
    expect(steps.filter((step) => step.error !== null).length).toBeGreaterThan(5)
  })

  test('time never goes back and many accounts on all instruments act', () => {
    const times = scenario.actions.map((action) => action.timeSec)
    expect(times.every((time, i) => i === 0 || time >= (times[i - 1] ?? 0))).toBe(true)
    const actors = new Set(scenario.actions.flatMap((action) => ('account' in action ? [action.account] : [])))
    expect(actors.size).toBeGreaterThanOrEqual(8)
    expect(
      new Set(scenario.actions.flatMap((action) => ('instrument' in action ? [action.instrument] : []))).size,
    ).toBe(3)
  })

  test('a failed step keeps the image but for the time', () => {
    const failed = steps.findIndex((step) => step.error !== null)
    const without = (step: Step | undefined) => ({ ...(step?.image as { [key: string]: Json }), nowSec: 0 })
    expect(without(steps[failed])).toEqual(without(steps[failed - 1]))
    expect(steps[failed]?.result).toBeNull()
  })
})

test('accounts may be the caller’s own', () => {
  const accounts = Array.from({ length: 8 }, (_, i) => `0x${`${i + 1}`.repeat(40)}`)
  const { setup, actions } = generate(3, 30, { ...DEFAULT_CAST, traders: accounts })
  expect(Object.keys(setup.wallets)).toEqual(accounts)
  expect(actions.every((action) => !('account' in action) || accounts.includes(action.account))).toBe(true)
})

test('JSON form: wide integers in digits, maps as objects', () => {
  expect(toJson({ a: 2n ** 70n, b: [1, undefined], c: new Map([[-5, 1n]]) })).toEqual({
    a: '1180591620717411303424',
    b: [1, null],
    c: { '-5': '1' },
  })
})
