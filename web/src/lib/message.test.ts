import { describe, expect, it } from 'vitest'
import { type Message, withMessage } from './message.ts'

const bad = (text: string): Message => ({ kind: 'bad', text })
const good = (text: string): Message => ({ kind: 'good', text })
const shown = (...all: readonly Message[]) => all.reduce<readonly Message[]>(withMessage, []).map(({ text }) => text)

describe('a message', () => {
  it('of a failure stays, however much goes well after it', () => {
    expect(shown(bad('refused'), ...['1', '2', '3', '4', '5'].map(good))).toEqual(['refused', '2', '3', '4', '5'])
  })

  it('of a failure pushes out neither another one nor what went well', () => {
    const failures = Array.from({ length: 6 }, (_, nth) => `refused ${nth}`)
    expect(shown(good('done'), ...failures.map(bad))).toEqual(['done', ...failures])
  })
})
