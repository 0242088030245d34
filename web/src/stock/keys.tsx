import { useEffect } from 'preact/hooks'
import { formatTime, formatUsd } from '../lib/format.ts'
import { Gate } from '../session/gate.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Facts } from '../ui/facts.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { oneClick } from './one-click.ts'
import { OneClickButton, StockOneClickExit } from './one-click-switch.tsx'
import { Sessions } from './sessions.tsx'
import { words } from './strings.ts'
import { followMarket, stockSession } from './venue.ts'

export function Keys() {
  useEffect(followMarket, [])
  return (
    <>
      <div class="page-head">
        <h1>{words.keys}</h1>
      </div>
      <Gate state={stockSession}>
        <div class="columns">
          <Panel title={words.oneClick}>
            <Loaded of={oneClick}>
              {({ status, endsAt, dailyAmount, availableAmount }) => (
                <div class="stack">
                  <p>{words.oneClickWhat}</p>
                  <Facts
                    facts={[
                      [
                        words.status,
                        <Badge key="status" tone={status === 'enable' ? 'good' : 'plain'}>
                          {status === 'enable' ? words.on : words.off}
                        </Badge>,
                      ],
                      [words.ends, status === 'enable' && endsAt !== null ? formatTime(endsAt * 1000) : null],
                      [words.dailyAmount, formatUsd(dailyAmount)],
                      [words.leftToday, formatUsd(availableAmount)],
                    ]}
                  />
                  <OneClickButton />
                </div>
              )}
            </Loaded>
          </Panel>
          <ThisBrowser />
        </div>
        <Sessions />
      </Gate>
      <StockOneClickExit />
    </>
  )
}

function ThisBrowser() {
  const session = stockSession.session.value
  if (!session) return null
  return (
    <Panel title={words.thisBrowser}>
      <div class="stack">
        <Facts
          facts={[
            [words.apiKey, <code key="key">{session.apiKey}</code>],
            [words.validUntil, session.expiresAt === null ? words.noEnd : formatTime(session.expiresAt)],
          ]}
        />
        <p class="muted">{words.secretKept}</p>
        <div>
          <Button variant="danger" onClick={() => void stockSession.signOut()}>
            {words.forget}
          </Button>
        </div>
        <p class="muted">{words.builder}</p>
      </div>
    </Panel>
  )
}
