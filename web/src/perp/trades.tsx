import { useState } from 'preact/hooks'
import { Panel } from '../ui/panel.tsx'
import { priceText, sideText, sizeShort, sizeText } from './figures.tsx'
import { useChannel } from './live.ts'
import { type MarketTrade, mergeTrades, SHOWN } from './merge-trades.ts'
import { words } from './strings.ts'
import type { Market } from './venue.ts'

export function Trades({ market }: { readonly market: Market }) {
  const [trades, setTrades] = useState<readonly MarketTrade[]>([])
  const { instrumentAddr, expiry } = market
  useChannel({ type: 'trades', pairs: [`${instrumentAddr}_${expiry}`], tradesLimit: SHOWN }, (message) => {
    if (message.type === 'data') setTrades((known) => mergeTrades(known, message.data))
    else if (message.type === 'gap') setTrades([])
  })
  return (
    <Panel title={words.trades} flush class="perp-trades">
      {trades.length === 0 ? (
        <p class="empty">{words.noTrades}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
        <section class="trades-box" aria-label={words.trades} tabIndex={0}>
          <table class="book">
            <caption class="visually-hidden">{words.trades}</caption>
            <thead>
              <tr>
                <th scope="col">{words.price}</th>
                <th scope="col">{`${words.size} (${market.baseToken.symbol})`}</th>
                <th scope="col">{words.time}</th>
              </tr>
            </thead>
            <tbody>
              {trades.map(({ id, price, size, side, timestamp }) => (
                <tr key={id}>
                  <td class={side === 'long' ? 'up' : 'down'}>
                    <span class="visually-hidden">{sideText(side)} </span>
                    {priceText(price)}
                  </td>
                  <td>
                    <span title={sizeText(size)}>{sizeShort(size)}</span>
                  </td>
                  <td>{timeOfDay(timestamp)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Panel>
  )
}

const timeOfDay = (sec: number): string => new Date(sec * 1000).toLocaleTimeString()
