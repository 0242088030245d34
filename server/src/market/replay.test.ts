import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDailyBars } from './replay.ts'

const SP500 = join(import.meta.dirname, '../../../node_modules/vega-datasets/data/sp500-2000.csv')

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bars-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function read(content: string) {
  const path = join(folder, 'bars.csv')
  await writeFile(path, content)
  return readDailyBars(path)
}

/** The message's lines, each without the folder. */
async function problems(content: string): Promise<string[]> {
  const error = await read(content).then(
    () => new Error('the file was accepted'),
    (rejected: Error) => rejected,
  )
  return error.message.replaceAll(`${folder}/`, '').split('\n')
}

const HEADER = 'date,open,high,low,close,volume'
const GOOD = '2020-01-02,10,12,9,11,1000'

describe('readDailyBars', () => {
  it('reads the real S&P 500 record of 2000 to 2020, every digit', async () => {
    const bars = await readDailyBars(SP500)
    expect(bars).toHaveLength(5105)
    expect(bars[0]).toEqual({
      date: '2000-01-03',
      open8: 146_925_000_000n,
      high8: 147_800_000_000n,
      low8: 143_835_998_500n,
      close8: 145_521_997_100n,
      volumeWad: 931_800_000n * 10n ** 18n,
    })
    expect(bars.at(-1)).toEqual({
      date: '2020-04-17',
      open8: 284_242_993_200n,
      high8: 287_921_997_100n,
      low8: 283_087_988_300n,
      close8: 287_456_005_900n,
      volumeWad: 5_792_140_000n * 10n ** 18n,
    })
    expect(bars.reduce((sum, bar) => sum + bar.close8, 0n)).toBe(814_574_972_648_100n)
    expect(bars.reduce((sum, bar) => sum + (bar.volumeWad ?? 0n), 0n)).toBe(15_950_099_260_000n * 10n ** 18n)
  })

  it('reads a file without volumes, with a byte order mark, with CRLF, and up to 8 decimals', async () => {
    const bars = await read('\uFEFFdate,open,high,low,close\r\n2020-01-02,1.12345678,2,1,1.5000000000\r\n')
    expect(bars).toEqual([
      {
        date: '2020-01-02',
        open8: 112_345_678n,
        high8: 200_000_000n,
        low8: 100_000_000n,
        close8: 150_000_000n,
        volumeWad: null,
      },
    ])
  })

  it.each([
    ['a missing column', '2020-01-03,10,12,9,11', 'missing volume: 5 of 6 columns'],
    ['several missing columns', '2020-01-03,10', 'missing high, low, close, volume: 2 of 6 columns'],
    ['an empty line', '', 'missing open, high, low, close, volume: 1 of 6 columns'],
    ['a column too many', '2020-01-03,10,12,9,11,1,1', '7 columns where the header has 6'],
    ['a word for a number', '2020-01-03,ten,12,9,11,1', 'open is not a plain decimal number: "ten"'],
    ['a negative price', '2020-01-03,-10,12,9,11,1', 'open is not a plain decimal number: "-10"'],
    ['an exponent', '2020-01-03,1e1,12,9,11,1', 'open is not a plain decimal number: "1e1"'],
    ['a space', '2020-01-03, 10,12,9,11,1', 'open is not a plain decimal number: " 10"'],
    ['an empty field', '2020-01-03,10,12,9,,1', 'close is empty'],
    ['a zero price', '2020-01-03,10,12,9,0,1', 'close is zero'],
    [
      'too many decimals',
      '2020-01-03,10,12,9,11.000000001,1',
      'close has 9 decimals, at most 8 are kept: 11.000000001',
    ],
    ['a bad volume', '2020-01-03,10,12,9,11,many', 'volume is not a plain decimal number: "many"'],
    ['high below low', '2020-01-03,10,8,9,9,1', 'high 8 is below low 9'],
    ['an open outside the range', '2020-01-03,8,12,9,11,1', 'open 8 is not between low 9 and high 12'],
    ['a close outside the range', '2020-01-03,10,12,9,13,1', 'close 13 is not between low 9 and high 12'],
    ['an impossible date', '2020-02-30,10,12,9,11,1', 'date is not a date of the form YYYY-MM-DD: "2020-02-30"'],
    ['another date form', '01/03/2020,10,12,9,11,1', 'date is not a date of the form YYYY-MM-DD: "01/03/2020"'],
    ['a duplicate date', '2020-01-02,10,12,9,11,1', 'duplicate date 2020-01-02, first on line 2'],
    ['an earlier date', '2020-01-01,10,12,9,11,1', 'out of order: 2020-01-01 comes after 2020-01-02 of line 2'],
    [
      'an open quote',
      '2020-01-03,"10,12,9,11,1',
      'Quote Not Closed: the parsing is finished with an opening quote at line 3',
    ],
  ])('names file, line and fault of %s', async (_, row, fault) => {
    expect(await problems(`${HEADER}\n${GOOD}\n${row}\n`)).toEqual([`bars.csv:3: ${fault}`])
  })

  it.each([
    ['date,open,high,low', 'missing column close'],
    ['date,open,low,high,close', 'unknown header date,open,low,high,close'],
    ['date,open,high,low,close,vol', 'unknown header date,open,high,low,close,vol'],
    ['Date,Open,High,Low,Close', 'missing column date, open, high, low, close'],
  ])('refuses the header %s', async (header, fault) => {
    const wanted =
      'date,open,high,low,close or date,open,high,low,close,volume or date,open,high,low,close,adjclose,volume'
    expect(await problems(`${header}\n${GOOD}\n`)).toEqual([`bars.csv:1: ${fault}; it must be ${wanted}`])
  })

  it('lists every fault of a row and of the file, the first twenty', async () => {
    expect(await problems(`${HEADER}\n2020-01-02,x,12,9,y,1\n2020-01-01,10,12,9,11,1000\n`)).toEqual([
      'bars.csv:2: open is not a plain decimal number: "x"',
      'bars.csv:2: close is not a plain decimal number: "y"',
      'bars.csv:3: out of order: 2020-01-01 comes after 2020-01-02 of line 2',
    ])
    const listed = await problems(`${HEADER}\n${'junk\n'.repeat(25)}`)
    expect(listed).toHaveLength(21)
    expect(listed[19]).toBe('bars.csv:21: missing open, high, low, close, volume: 1 of 6 columns')
    expect(listed[20]).toBe('and 5 more')
  })

  it('refuses an empty file, one with a header only, and one that is not there', async () => {
    expect(await problems('')).toEqual(['bars.csv:1: the file holds no bars'])
    expect(await problems(`${HEADER}\n`)).toEqual(['bars.csv:1: the file holds no bars'])
    await expect(readDailyBars(join(folder, 'absent.csv'))).rejects.toThrow('absent.csv cannot be read')
  })
})
