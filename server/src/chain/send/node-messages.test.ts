import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { RpcError } from '../rpc-error.ts'
import { classifySend } from './classify.ts'
import { type MessageMeaning, meaningOf, NODE_MESSAGES, type NodeMessage } from './node-messages.ts'

const REFUSALS: readonly MessageMeaning[] = ['fee', 'funds', 'replacement', 'never']
const exampleOf = ({ example, fragment }: NodeMessage): string => example ?? fragment
const labelled = NODE_MESSAGES.map((row) => ({ ...row, message: exampleOf(row) }))

const answered = (message: string) =>
  classifySend({ ok: false, error: new RpcError('rpc_error', 'x', message, { rpc: { code: -32_000, message } }) })

test.each(labelled)('$client: "$message" means $meaning', ({ message, meaning }) => {
  const answer = answered(message)
  expect(answer.message).toBe(message)
  if (meaning === 'held') expect(answer.kind).toBe('unknown')
  else if (meaning === 'accepted' || meaning === 'nonce_too_low') expect(answer.kind).toBe(meaning)
  else expect(answer).toMatchObject({ kind: 'refused', cause: meaning })
})

test('each row is found by its fragment, whatever stands around it and however it is written', () => {
  for (const { fragment, meaning } of NODE_MESSAGES) {
    for (const text of [fragment, `err: ${fragment}: more`, `(${fragment})`, fragment.toUpperCase()])
      expect(meaningOf(text), text).toBe(meaning)
  }
})

test('no refusal matches a message of a node that has the bytes or may have them', () => {
  const kept = NODE_MESSAGES.filter(({ meaning }) => !REFUSALS.includes(meaning))
  for (const row of kept) expect(REFUSALS).not.toContain(meaningOf(exampleOf(row)))
})

test('one fragment has one meaning in all clients, and a row is not there twice', () => {
  const meanings = Map.groupBy(NODE_MESSAGES, ({ fragment }) => fragment)
  for (const [fragment, of] of meanings) expect(new Set(of.map(({ meaning }) => meaning)).size, fragment).toBe(1)
  const keys = NODE_MESSAGES.map(({ client, fragment }) => `${client} ${fragment}`)
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
})

test('fragments are in lower case and specific, and every row names a repository and a file', () => {
  for (const { fragment, source } of NODE_MESSAGES) {
    expect(fragment).toBe(fragment.toLowerCase())
    expect(fragment.length, fragment).toBeGreaterThan(6)
    expect(source).toMatch(/[\w-]+\/[\w-]+ [\w./-]+\.(go|rs|java|cs)/)
  }
  const clients = new Set(NODE_MESSAGES.map(({ client }) => client))
  for (const client of ['anvil', 'geth', 'besu', 'nethermind', 'erigon', 'arbitrum', 'reth', 'monad'])
    expect([...clients]).toContain(client)
})

test('a text that is not in the table is unknown', () => {
  for (const text of [
    '',
    'unknown transaction',
    'unknown transaction type',
    'transactions underpriced lately',
    'rate limit exceeded',
    'daily request count exceeded, request rate limited',
    'context deadline exceeded',
    'internal error',
    'nonce',
    'gas',
    'execution reverted',
  ]) {
    expect(meaningOf(text), text).toBeNull()
    expect(answered(text).kind, text).toBe('unknown')
  }
})

const WORDS: Readonly<Record<MessageMeaning, string>> = {
  accepted: 'accepted',
  nonce_too_low: 'nonce used',
  fee: 'refused: fee',
  funds: 'refused: funds',
  replacement: 'refused: replacement',
  never: 'refused: never',
  held: 'unknown',
}

test('the table that operators read is this one', async () => {
  const file = join(import.meta.dirname, '../../../../docs/decisions/017-node-messages.md')
  const lines = (await readFile(file, 'utf8')).split('\n')
  const cells = lines
    .filter((line) => /^\| `/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, 5)
        .map((cell) => cell.trim()),
    )
  const expected = NODE_MESSAGES.map((row) =>
    ['client', 'fragment', 'meaning', 'source'].map((field) => cell(row, field)),
  )
  expect(cells).toEqual(expected)
})

function cell(row: NodeMessage, field: string): string {
  if (field === 'meaning') return WORDS[row.meaning]
  if (field === 'source') return row.source
  return `\`${field === 'client' ? row.client : row.fragment}\``
}
