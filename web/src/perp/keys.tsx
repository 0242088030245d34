import { deleteApiKey, type GetApiKeysResult, getApiKeys } from '@bourse/sdk/perp'
import { formatTime } from '../lib/format.ts'
import { useResource } from '../lib/resource.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Failure, Loaded } from '../ui/loaded.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { changes } from './account-changes.ts'
import { useDoing } from './actions.ts'
import { words } from './strings.ts'
import { perpSession, trader } from './venue.ts'

type Key = GetApiKeysResult[number]

/** Who else may act for this wallet. */
export function Keys() {
  const keys = useResource(
    (abort) => getApiKeys(trader().client, {}, { signal: abort }),
    [perpSession.session.value?.apiKey, changes.value],
  )
  return (
    <Panel title={words.keys} flush>
      <Loaded of={keys}>
        {(rows) => (
          <Table
            caption={words.keys}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ apiKey }) => apiKey}
            empty={words.nothing}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const COLUMNS: readonly Column<Key>[] = [
  {
    key: 'name',
    title: words.keyName,
    cell: ({ label, apiKey }) => (
      <>
        {label} {apiKey === perpSession.session.value?.apiKey && <Badge tone="info">{words.thisBrowser}</Badge>}
      </>
    ),
  },
  { key: 'id', title: words.keyId, cell: ({ apiKey }) => <code>{apiKey}</code> },
  { key: 'may', title: words.permissions, cell: ({ permissions }) => permissions.join(', ') },
  { key: 'made', title: words.created, cell: ({ createdAt }) => formatTime(createdAt) },
  {
    key: 'used',
    title: words.lastUsed,
    cell: ({ lastUsedAt }) => (lastUsedAt ? formatTime(lastUsedAt) : words.never),
  },
  {
    key: 'revoke',
    title: '',
    number: true,
    cell: ({ apiKey }) => <Revoke apiKey={apiKey} />,
  },
]

/** Each key is revoked by itself: one that takes long keeps no other one from it. */
function Revoke({ apiKey }: { readonly apiKey: string }) {
  const doing = useDoing(`revoke ${apiKey}`)
  const revoke = async () => {
    await deleteApiKey(trader().client, { apiKey })
    if (apiKey === perpSession.session.peek()?.apiKey) await perpSession.signOut()
  }
  return (
    <>
      <Button
        size="small"
        variant="danger"
        aria-label={words.revokeNamed(apiKey)}
        busy={doing.step.value !== null}
        onClick={() => void doing.run(words.revoked(apiKey), revoke)}
      >
        {words.revoke}
      </Button>
      {doing.failure.value && <Failure message={doing.failure.value} />}
    </>
  )
}
