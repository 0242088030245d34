import { closeOtherSession, type GetSessionsResult, getSessions } from '@bourse/sdk/stock'
import { useState } from 'preact/hooks'
import { explain } from '../lib/explain.ts'
import { formatTime } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { words } from './strings.ts'
import { stockSession, trader } from './venue.ts'

type Listed = GetSessionsResult[number]

/** Another device may sign in while the page is looked at, and nothing tells of it. */
const ASKED_EVERY_MS = 10_000

/** Every open session of the wallet, on other devices too, each with a button that ends it. */
export function Sessions() {
  const sessions = useResource(
    (abort) => getSessions(trader().client, { signal: abort }),
    [stockSession.session.value?.apiKey],
    ASKED_EVERY_MS,
  )
  const [failure, setFailure] = useState<string | null>(null)
  const end = async ({ apiKey, current }: Listed) => {
    if (current) return stockSession.signOut()
    setFailure(null)
    await closeOtherSession(trader().client, { apiKey }).catch((error) => setFailure(explain(error)))
    await sessions.refresh()
  }
  return (
    <Panel title={words.openSessions} flush>
      {failure && <Failure message={failure} />}
      <Loaded of={sessions}>
        {(rows) => (
          <Table
            caption={words.openSessions}
            columns={columnsOf(end)}
            rows={rows}
            rowKey={({ apiKey }) => apiKey}
            empty={words.noSessions}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columnsOf = (end: (session: Listed) => Promise<void>): readonly Column<Listed>[] => [
  {
    key: 'id',
    title: words.apiKey,
    cell: ({ apiKey, current }) => (
      <>
        <code class="wrap-anywhere">{apiKey}</code> {current && <Badge tone="info">{words.thisBrowser}</Badge>}
      </>
    ),
  },
  { key: 'opened', title: words.opened, cell: ({ createdAt }) => formatTime(createdAt * 1000) },
  { key: 'ends', title: words.validUntil, cell: ({ expiresAt }) => formatTime(expiresAt * 1000) },
  { key: 'from', title: words.worksFrom, cell: ({ addresses }) => addresses.join(', ') },
  {
    key: 'end',
    title: '',
    number: true,
    cell: (session) => (
      <Button
        size="small"
        variant="danger"
        aria-label={words.endSessionNamed(session.apiKey)}
        onClick={() => void end(session)}
      >
        {words.endSession}
      </Button>
    ),
  },
]
