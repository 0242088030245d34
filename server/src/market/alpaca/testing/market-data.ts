import type { WebSocket } from 'ws'
import type { AccountAsset } from './account.ts'

/** What the server answers about the market; bodies as they are documented, by symbol where they are asked for by symbol. */
export interface MarketDataAnswers {
  readonly assets: ReadonlyMap<string, AccountAsset>
  /** https://docs.alpaca.markets/reference/stocksnapshots-1 */
  snapshots: Record<string, unknown>
  /** https://docs.alpaca.markets/reference/stockbars: `{ t, o, h, l, c, v }`, ascending. */
  bars: Record<string, readonly { readonly t: string }[]>
  /** https://docs.alpaca.markets/reference/corporateactions-1: lists by type. */
  corporateActions: Record<string, readonly unknown[]>
  /** https://docs.alpaca.markets/reference/getcalendar-1 */
  calendar: readonly { readonly date: string }[]
  /** Bars of one page. */
  pageSize: number
}

/** The answer to a request of market data or reference data; undefined when it is none. */
export function marketDataAnswer(data: MarketDataAnswers, { pathname, searchParams }: URL): unknown {
  if (pathname.startsWith('/v2/assets/'))
    return assetJson(data, decodeURIComponent(pathname.slice('/v2/assets/'.length)))
  if (pathname === '/v2/calendar') {
    const [start, end] = [searchParams.get('start') ?? '', searchParams.get('end') ?? '']
    return data.calendar.filter(({ date }) => date >= start && date <= end)
  }
  if (pathname === '/v2/stocks/snapshots') return data.snapshots
  if (pathname === '/v2/stocks/bars') return barsJson(data, searchParams)
  if (pathname === '/v1/corporate-actions') return actionsJson(data, searchParams)
  return undefined
}

function assetJson({ assets }: MarketDataAnswers, symbol: string): unknown {
  const asset = assets.get(symbol)
  if (!asset) return undefined
  const { bid8: _, ask8: __, ...fields } = asset
  return { id: symbol, class: 'us_equity', exchange: 'NASDAQ', symbol, ...fields }
}

function barsJson({ bars, pageSize }: MarketDataAnswers, query: URLSearchParams): unknown {
  const [symbol, start] = [query.get('symbols') ?? '', query.get('start') ?? '']
  const all = (bars[symbol] ?? []).filter(({ t }) => t >= start)
  const from = Number(query.get('page_token') ?? 0)
  const next = from + pageSize < all.length ? String(from + pageSize) : null
  return { bars: { [symbol]: all.slice(from, from + pageSize) }, next_page_token: next }
}

/** One type a page. */
function actionsJson({ corporateActions }: MarketDataAnswers, query: URLSearchParams): unknown {
  const types = Object.entries(corporateActions)
  const page = Number(query.get('page_token') ?? 0)
  const next = page + 1 < types.length ? String(page + 1) : null
  return { corporate_actions: Object.fromEntries(types.slice(page, page + 1)), next_page_token: next }
}

/** https://docs.alpaca.markets/docs/streaming-market-data: welcome, authentication, subscription. */
export function subscribe(
  socket: WebSocket,
  subscribed: Set<WebSocket>,
  wanted: { readonly key: string; readonly secret: string },
): void {
  const send = (message: unknown) => socket.send(JSON.stringify([message]))
  send({ T: 'success', msg: 'connected' })
  socket.on('close', () => subscribed.delete(socket))
  socket.on('message', (bytes) => {
    const { action, key, secret, trades, quotes, dailyBars } = JSON.parse(bytes.toString())
    if (action === 'auth' && (key !== wanted.key || secret !== wanted.secret)) {
      send({ T: 'error', code: 402, msg: 'auth failed' })
    } else if (action === 'auth') {
      if (subscribed.size > 0) send({ T: 'error', code: 406, msg: 'connection limit exceeded' })
      else send({ T: 'success', msg: 'authenticated' })
    } else if (action === 'subscribe') {
      subscribed.add(socket)
      send({ T: 'subscription', trades, quotes, bars: [], updatedBars: [], dailyBars, statuses: [], lulds: [] })
    }
  })
}
