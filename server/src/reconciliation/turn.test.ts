import { expect, it } from 'vitest'
import { FIRST_TURN, nextTurn } from './turn.ts'

const size = 2

it('goes from part to part, and begins anew after the last', () => {
  const first = nextTurn<string>(FIRST_TURN, { part: ['a', 'b'], size, differing: [] })
  expect(first).toEqual({ turn: { after: 'b', again: [] }, isRoundOver: false, isWaiting: false })
  const last = nextTurn(first.turn, { part: ['c'], size, differing: [] })
  expect(last).toEqual({ turn: { after: null, again: [] }, isRoundOver: true, isWaiting: false })
})

it('takes along what differed until it agrees, and waits where there is no room for more', () => {
  const one = nextTurn<string>(FIRST_TURN, { part: ['a', 'b'], size, differing: ['a'] })
  expect(one.turn).toEqual({ after: 'b', again: ['a'] })
  const more = nextTurn(one.turn, { part: ['c', 'd'], size, differing: ['d', 'a'] })
  expect(more).toEqual({ turn: { after: 'b', again: ['d', 'a'] }, isRoundOver: false, isWaiting: true })
  expect(nextTurn(more.turn, { part: ['c', 'd'], size, differing: ['d'] }).turn).toEqual({ after: 'd', again: ['d'] })
})
