import { decodeFunctionData } from 'viem/utils'
import { describe, expect, it } from 'vitest'
import { stockRouterAbi } from '../../../server/src/chain/abi/stock-router.ts'
import {
  type Calldata,
  cancelCalldata,
  depositCalldata,
  depositStockCalldata,
  orderCalldata,
  withdrawCalldata,
  withdrawStockCalldata,
} from '../../../server/src/stock/calldata/calldata.ts'
import { formatTime } from '../lib/format.ts'
import { words } from './strings.ts'
import { wordsOfCall } from './words-of-calls.ts'

const ROUTER = `0x${'1'.repeat(40)}` as const
const USDC = `0x${'2'.repeat(40)}` as const
const AAPL = `0x${'3'.repeat(40)}` as const
const WAD = 10n ** 18n
const UNTIL = 1_900_000_000

const listed = { [USDC]: { symbol: 'USDC', decimals: 6 }, [AAPL]: { symbol: 'aAAPL', decimals: 18 } }
const unitsOf = (address: string) => listed[address.toLowerCase() as keyof typeof listed] ?? null

function read({ data }: Calldata, units: typeof unitsOf = unitsOf) {
  const { functionName, args } = decodeFunctionData({ abi: stockRouterAbi, data })
  return wordsOfCall(functionName, args ?? [], units)
}

const until = [words.callUntil, formatTime(UNTIL * 1000)]

describe('what the calls that the venue builds would do', () => {
  it('of transfers: the token and its amount in its own decimals, withdrawals of cash in dollars', () => {
    expect(read(depositCalldata(ROUTER, USDC, 1_234_567_890n))).toEqual([[words.callDeposits, '1,234.56789 USDC']])
    expect(read(depositStockCalldata(ROUTER, AAPL, WAD / 2n))).toEqual([[words.callDeposits, '0.5 aAAPL']])
    expect(read(withdrawStockCalldata(ROUTER, AAPL, 3n * WAD))).toEqual([[words.callWithdraws, '3 aAAPL']])
    expect(read(withdrawCalldata(ROUTER, USDC, 5n * WAD))).toEqual([
      [words.callWithdraws, words.callPaidIn('$5.00', 'USDC')],
    ])
  })

  it('of orders: side, amount, limit and until when', () => {
    const buy = orderCalldata(ROUTER, AAPL, { type: 'Market', side: 'Buy', notionalWad: 1000n * WAD }, UNTIL)
    expect(read(buy)).toEqual([
      [words.callBuys, words.callForUsd('aAAPL', '$1,000.00')],
      [words.limitPrice, words.callAtMarket],
      until,
    ])
    const sell = orderCalldata(ROUTER, AAPL, { type: 'Market', side: 'Sell', quantityWad: 1n }, UNTIL)
    expect(read(sell)[0]).toEqual([words.callSells, '0.000000000000000001 aAAPL'])
    const terms = { type: 'Limit', side: 'Sell', quantityWad: 2n * WAD, priceWad: 180n * WAD + WAD / 4n } as const
    expect(read(orderCalldata(ROUTER, AAPL, terms, UNTIL))).toEqual([
      [words.callSells, '2 aAAPL'],
      [words.limitPrice, '$180.25'],
      until,
    ])
  })

  it('of a token that is not listed: the number as it is', () => {
    expect(read(depositCalldata(ROUTER, USDC, 7n), () => null)).toEqual([[words.callDeposits, words.callRaw('7')]])
  })

  it('says nothing of a cancel, whose argument says it', () => {
    expect(read(cancelCalldata(ROUTER, `0x${'0'.repeat(64)}`))).toEqual([])
  })
})
