import { createClient } from '@bourse/sdk/perp'
import { describe, expect, it } from 'vitest'
import { type HistoryKind, historyCsv } from './history-csv.ts'

const pair = {
  symbol: 'BTC/USDC',
  expiry: 4_294_967_295,
  instrumentAddress: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  quoteToken: { symbol: 'USDC' },
}

/** A venue with these rows in each of its lists. */
function by(rows: readonly object[]) {
  const transport = async (url: string) => {
    const { searchParams } = new URL(url)
    const [page, size] = ['page', 'size'].map((name) => Number(searchParams.get(name)))
    const list = rows.slice(((page ?? 1) - 1) * (size ?? 0), (page ?? 1) * (size ?? 0))
    return Response.json({ code: 0, msg: '', data: { list, totalCount: rows.length } })
  }
  const signer = { apiKey: 'k', secret: 's' }
  return { client: createClient({ baseUrl: 'http://x', chainId: 7, signer, transport }), user: '0x' }
}

describe('the history as a file', () => {
  const execution = {
    ...pair,
    id: '1',
    timestamp: 1_790_000_000,
    side: 'long',
    typeString: 'market',
    size: '10000000000000000',
    price: '59001236411256731282612',
    balance: '1234567891234567891234',
    tradeFee: '30000000000000',
    protocolFee: '10000000000000',
    txHash: '0x01',
  }

  it('has every digit, and amounts as numbers', async () => {
    const [header, row] = (await historyCsv('executions', by([execution]))).split('\r\n')
    expect(header).toBe('time,market,side,kind,size,price,value,fee,currency,transaction')
    expect(row?.split(',').filter((_, nth) => nth !== 1)).toEqual([
      '2026-09-21T14:13:20.000Z',
      'long',
      'market',
      '0.01',
      '59001.236411256731282612',
      '1234.567891234567891234',
      '0.00004',
      'USDC',
      '0x01',
    ])
  })

  it('has all rows, of however many pages', async () => {
    const rows = Array.from({ length: 250 }, (_, nth) => ({ ...execution, txHash: `0x${nth}` }))
    const lines = (await historyCsv('executions', by(rows))).split('\r\n')
    expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual(rows.map(({ txHash }) => txHash))
  })

  const ROWS: readonly [HistoryKind, object, string][] = [
    [
      'orders',
      {
        ...pair,
        id: '7',
        cancelTimestamp: 0,
        fillTimestamp: 1,
        side: 'short',
        typeString: 'filled',
        size: '2000000000000000000',
        takenSize: '2000000000000000000',
        orderPrice: '1500000000000000000',
        tradeValue: '3000000000000000000',
        cancelTxHash: '',
        fillTxHash: '0x02',
      },
      'short,filled,2,2,1.5,3,USDC,7,0x02',
    ],
    [
      'funding',
      { ...pair, timestamp: 1, typeString: 'pay', value: '0.000001', txHash: '0x03' },
      'pay,-0.000001,USDC,0x03',
    ],
    [
      'liquidity',
      {
        ...pair,
        timestamp: 1,
        typeString: 'add',
        lowerPrice: '1000000000000000000',
        upperPrice: '2000000000000000000',
        fairPrice: '1500000000000000000',
        amount: '1',
        feeEarned: '0',
        txHash: '0x04',
      },
      'add,1,2,1.5,0.000000000000000001,0,USDC,0x04',
    ],
    [
      'transfers',
      {
        timestamp: 1,
        typeString: 'deposit',
        value: '20000.000001',
        instrumentAddress: '',
        tokenInfo: { symbol: 'USDC' },
        txHash: '0x05',
      },
      'Z,,deposit,20000.000001,USDC,0x05',
    ],
    [
      'transfers',
      {
        timestamp: 1,
        typeString: 'scatter',
        value: '5',
        instrumentAddress: pair.instrumentAddress,
        tokenInfo: { symbol: 'USDC' },
        txHash: '0x06',
      },
      'Z,0x73ad…8be0,scatter,5,USDC,0x06',
    ],
  ]
  it.each(ROWS)('is there of %s', async (kind, row, end) => {
    const lines = (await historyCsv(kind, by([row]))).split('\r\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^1970-01-01T00:00:01.000Z,/)
    expect(lines[1]?.endsWith(end)).toBe(true)
    expect(lines[1]?.split(',')).toHaveLength(lines[0]?.split(',').length ?? 0)
  })
})
