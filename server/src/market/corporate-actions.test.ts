import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { insertAppliedSplit } from './applied-splits.ts'
import { listCorporateActions } from './corporate-action-store.ts'
import { readCorporateActions } from './corporate-actions.ts'
import { openEmbeddedMarket } from './embedded.ts'
import { embeddedInstruments } from './instruments.ts'

const HEADER = 'symbol,type,exDate,recordDate,payableDate,ratioFrom,ratioTo,cashAmount'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'actions-'))
  path = join(folder, 'actions.csv')
})
afterEach(() => rm(folder, { recursive: true }))

const read = async (...lines: string[]) => {
  await writeFile(path, `${lines.join('\n')}\n`)
  return readCorporateActions(path, new Set(['AAPL', 'MSFT']))
}

describe('readCorporateActions', () => {
  it('reads every type exactly', async () => {
    const actions = await read(
      HEADER,
      'AAPL,split,2020-08-31,2020-08-24,2020-08-28,1,4,',
      'MSFT,dividend,2020-08-19,2020-08-20,2020-09-10,,,0.51',
      'MSFT,dividend,2020-11-18,,,,,0.56000001',
      'AAPL,spin-off,2021-01-04,,,1,0.25,12.5',
      'MSFT,split,2021-01-04,,,20,21,',
    )
    expect(actions[0]).toEqual({
      symbol: 'AAPL',
      type: 'split',
      exDate: '2020-08-31',
      recordDate: '2020-08-24',
      payableDate: '2020-08-28',
      ratioFrom8: 100_000_000n,
      ratioTo8: 400_000_000n,
      cashAmount8: null,
    })
    expect(actions.slice(1)).toMatchObject([
      { type: 'dividend', cashAmount8: 51_000_000n, ratioFrom8: null, payableDate: '2020-09-10' },
      { cashAmount8: 56_000_001n, recordDate: null },
      { type: 'spin-off', ratioTo8: 25_000_000n, cashAmount8: 1_250_000_000n },
      { ratioFrom8: 2_000_000_000n, ratioTo8: 2_100_000_000n },
    ])
    expect(await read(HEADER)).toEqual([])
  })

  it.each([
    ['TSLA,split,2020-08-31,,,1,4,', 'there is no instrument "TSLA"'],
    ['aapl,split,2020-08-31,,,1,4,', 'there is no instrument "aapl"'],
    ['AAPL,merger,2020-08-31,,,1,4,', 'type is not one of split, dividend, spin-off: "merger"'],
    ['AAPL,split,2020-02-30,,,1,4,', 'exDate is not a date of the form YYYY-MM-DD: "2020-02-30"'],
    ['AAPL,split,,,,1,4,', 'exDate is not a date'],
    ['AAPL,split,2020-08-31,31.8.2020,,1,4,', 'recordDate is not a date'],
    ['AAPL,split,2020-08-31,,soon,1,4,', 'payableDate is not a date'],
    ['AAPL,split,2020-08-31,,,,,', 'a split needs ratioFrom and ratioTo'],
    ['AAPL,split,2020-08-31,,,1,,', 'ratioFrom and ratioTo go together'],
    ['AAPL,split,2020-08-31,,,0,4,', 'ratioFrom is zero'],
    ['AAPL,split,2020-08-31,,,1,-4,', 'ratioTo is not a plain decimal number: "-4"'],
    ['AAPL,split,2020-08-31,,,1,4e1,', 'ratioTo is not a plain decimal number'],
    ['AAPL,split,2020-08-31,,,1,4,2', 'a split has no cashAmount'],
    ['AAPL,dividend,2020-08-31,,,,,', 'a dividend needs a cashAmount'],
    ['AAPL,dividend,2020-08-31,,,20,21,0.5', 'a dividend has no ratio: write a stock dividend as a split'],
    ['AAPL,dividend,2020-08-31,,,,,0.000000001', 'cashAmount has 9 decimals, at most 8 are kept'],
    ['AAPL,spin-off,2020-08-31,,,1,4,', 'a spin-off needs a cashAmount'],
    ['AAPL,split,2020-08-31,,,1,4', '7 columns where the header has 8'],
    ['', '1 columns where the header has 8'],
  ])('refuses %s by file and line', async (line, problem) => {
    await expect(read(HEADER, 'MSFT,dividend,2020-08-19,,,,,0.51', line)).rejects.toThrow(`${path}:3: ${problem}`)
  })

  it('refuses an action that is there twice, another header, an empty file and a missing one', async () => {
    const line = 'AAPL,dividend,2020-08-31,,,,,0.51'
    await expect(read(HEADER, line, line)).rejects.toThrow(
      ':3: a second dividend of AAPL on 2020-08-31, first on line 2',
    )
    await expect(read('symbol,type,date', line)).rejects.toThrow(':1: unknown header symbol,type,date')
    await writeFile(path, '')
    await expect(readCorporateActions(path, new Set())).rejects.toThrow(':1: the header symbol,type,')
    await expect(readCorporateActions(join(folder, 'none.csv'), new Set())).rejects.toMatchObject({
      reason: { name: 'corporate_actions_file_invalid' },
    })
  })
})

describe('the stored corporate actions', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await testDatabase()
  })
  afterEach(() => database.drop())

  const open = (corporateActionsFile?: string) =>
    openEmbeddedMarket(database.sql, {
      seed: 'test',
      marketClock: { nowMs: () => Date.UTC(2026, 7, 3, 15) },
      instruments: embeddedInstruments,
      recordedFiles: [],
      corporateActionsFile,
      maxOrderNotionalWad: 1n,
      maxFillDelaySteps: 0,
    })
  const stored = async (over: Partial<Parameters<typeof listCorporateActions>[1]> = {}) => {
    const actions = await listCorporateActions(database.sql, { symbol: null, fromSec: null, toSec: null, ...over })
    return actions.map(({ symbol, exDate }) => `${symbol} ${exDate}`)
  }

  it('are those of the file as it was last read; without a file they stay', async () => {
    await writeFile(path, `${HEADER}\nAAPL,split,2020-08-31,,,1,4,\nMSFT,dividend,2020-08-19,,,,,0.51\n`)
    await open(path)
    await open()
    expect(await stored()).toEqual(['MSFT 2020-08-19', 'AAPL 2020-08-31'])
    const [before] = await database.sql`select xmin::text from market_corporate_actions where symbol = 'AAPL'`
    await writeFile(path, `${HEADER}\nAAPL,split,2020-08-31,,,1,4,\nMSFT,dividend,2020-08-20,,,,,0.51\n`)
    await open(path)
    expect(await stored()).toEqual(['MSFT 2020-08-20', 'AAPL 2020-08-31'])
    expect(await database.sql`select xmin::text from market_corporate_actions where symbol = 'AAPL'`).toEqual([before])
    await writeFile(path, `${HEADER}\nAAPL,split,2020-08-31,,,1,0,\n`)
    await expect(open(path)).rejects.toThrow('ratioTo is zero')
    expect(await stored()).toHaveLength(2)
    await writeFile(path, `${HEADER}\n`)
    await open(path)
    expect(await stored()).toEqual([])
  })

  it('keep a split that was applied, with its ratio, and take over when its shares are paid', async () => {
    const split = { symbol: 'AAPL', exDate: '2020-08-31', effectiveMs: 1, from8: 1n, to8: 4n }
    await open()
    await insertAppliedSplit(database.sql, split)
    const row = async (line?: string) => {
      await writeFile(path, line === undefined ? `${HEADER}\n` : `${HEADER}\n${line}\n`)
      await open(path)
      const [action] = await listCorporateActions(database.sql, { symbol: null, fromSec: null, toSec: null })
      return [action?.recordDate, action?.payableDate, action?.ratioFrom8, action?.ratioTo8]
    }
    expect(await row('AAPL,split,2020-08-31,2020-08-24,,1,4,')).toEqual(['2020-08-24', null, 1n, 4n])
    expect(await row('AAPL,split,2020-08-31,2020-08-24,2020-08-28,1,5,')).toEqual(['2020-08-24', '2020-08-28', 1n, 4n])
    expect(await row('AAPL,split,2020-08-31,2020-08-24,2020-09-04,1,4,')).toEqual(['2020-08-24', '2020-09-04', 1n, 4n])
    expect(await row()).toEqual(['2020-08-24', '2020-09-04', 1n, 4n])
  })

  it('are found by symbol and by the midnight of their ex-date in New York', async () => {
    await writeFile(
      path,
      `${HEADER}\nAAPL,split,2020-08-31,,,1,4,\nMSFT,dividend,2020-08-31,,,,,1\nAAPL,dividend,2020-11-02,,,,,0.2\n`,
    )
    await open(path)
    const [august, november] = [Date.parse('2020-08-31T04:00Z') / 1000, Date.parse('2020-11-02T05:00Z') / 1000]
    expect(await stored({ symbol: 'AAPL' })).toEqual(['AAPL 2020-08-31', 'AAPL 2020-11-02'])
    expect(await stored({ fromSec: august, toSec: august })).toEqual(['AAPL 2020-08-31', 'MSFT 2020-08-31'])
    expect(await stored({ fromSec: august + 1 })).toEqual(['AAPL 2020-11-02'])
    expect(await stored({ toSec: november - 1, symbol: 'MSFT' })).toEqual(['MSFT 2020-08-31'])
    expect(await stored({ fromSec: november + 1 })).toEqual([])
  })
})
