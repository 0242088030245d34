import { describe, expect, it } from 'vitest'
import { type Bar, changeOf, extremesOf, inOrder, withLive } from './bars.ts'
import { secondsOf } from './time.ts'

const bar = (time: number, close = '2', more: Partial<Bar> = {}): Bar => ({
  time,
  open: '1',
  high: '3',
  low: '0.5',
  close,
  ...more,
})

describe('changeOf', () => {
  it('updates the newest bar and adds those after it, and never one that is older', () => {
    const change = changeOf([bar(60), bar(120)], [bar(60), bar(120, '2.5'), bar(180)])
    expect(change).toEqual({ kind: 'update', bars: [bar(120, '2.5'), bar(180)] })
  })

  it('has nothing to do when nothing changed', () => {
    expect(changeOf([bar(60), bar(120)], [bar(60), bar(120)])).toEqual({ kind: 'update', bars: [] })
  })

  it('takes a window that has moved on as an update', () => {
    expect(changeOf([bar(60), bar(120)], [bar(120), bar(180)])).toEqual({ kind: 'update', bars: [bar(180)] })
  })

  it('draws all anew where an older bar was corrected, came after all, or there is a hole', () => {
    const anew = { kind: 'replace' }
    expect(changeOf([bar(60), bar(120)], [bar(60, '9'), bar(120)])).toEqual(anew)
    expect(changeOf([bar(60), bar(180)], [bar(60), bar(120), bar(180)])).toEqual(anew)
    expect(changeOf([bar(60)], [bar(180)])).toEqual(anew)
    expect(changeOf([], [bar(60)])).toEqual(anew)
  })
})

describe('the bar of the moment', () => {
  it('takes the place of the one of its time, or follows', () => {
    expect(withLive([bar(60)], bar(60, '7'))).toEqual([bar(60, '7')])
    expect(withLive([bar(60)], bar(120))).toEqual([bar(60), bar(120)])
  })

  it('is left out when it is older than what is known', () => {
    expect(withLive([bar(120)], bar(60, '7'))).toEqual([bar(120)])
    expect(withLive([bar(120)], null)).toEqual([bar(120)])
  })
})

it('puts bars in order, the later of two of a time', () => {
  expect(inOrder([bar(120), bar(60), bar(120, '5')])).toEqual([bar(60), bar(120, '5')])
})

it('finds the extremes by number, not by text', () => {
  const bars = [bar(60, '9', { high: '9', low: '9' }), bar(120, '10', { high: '10', low: '8' })]
  expect(extremesOf(bars)).toEqual({ open: '1', last: '10', low: '8', high: '10' })
  expect(extremesOf([])).toBeNull()
})

it('knows how long an interval is', () => {
  expect([secondsOf('1m'), secondsOf('15m'), secondsOf('4h'), secondsOf('1d'), secondsOf('1w')]).toEqual([
    60, 900, 14_400, 86_400, 604_800,
  ])
})
