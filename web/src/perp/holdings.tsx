// What the wallet has in perpetuals, for a screen that shows all that it has.
import { useEffect } from 'preact/hooks'
import { hrefTo } from '../router.ts'
import { Gate } from '../session/gate.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { Table } from '../ui/table.tsx'
import { type Held, positions, unitAt, wallet } from './account-data.ts'
import { amountText } from './figures.tsx'
import { pairName, pairPath } from './pair-name.ts'
import { positionFigures } from './position-columns.tsx'
import { words } from './strings.ts'
import { isZero } from './units.ts'
import { followMarkets, perpSession } from './venue.ts'

export function Holdings() {
  useEffect(followMarkets, [])
  return (
    <>
      <Panel title={words.holdings} flush>
        <Gate state={perpSession}>
          <Loaded of={positions}>
            {(rows) => (
              <Table
                caption={words.holdings}
                columns={positionFigures(Market)}
                rows={rows.filter(({ size }) => !isZero(size))}
                rowKey={({ instrumentAddr, expiry }) => `${instrumentAddr}-${expiry}`}
                empty={words.noPositions}
              />
            )}
          </Loaded>
        </Gate>
      </Panel>
      {perpSession.session.value && (
        <Panel title={words.marginOf}>
          <Loaded of={wallet}>
            {({ portfolios }) => (
              <div class="columns">
                {portfolios.map((held) => (
                  <Facts
                    key={held.quote}
                    facts={[
                      [words.atGate, <strong key="free">{amountText(held.balance, unitAt(held))}</strong>],
                      [words.inMargin, amountText(held.reservedBalance, unitAt(held))],
                    ]}
                  />
                ))}
              </div>
            )}
          </Loaded>
        </Panel>
      )}
    </>
  )
}

const Market = (held: Held) => (
  <a href={hrefTo(pairPath(held))}>
    <strong>{pairName(held)}</strong>
  </a>
)
