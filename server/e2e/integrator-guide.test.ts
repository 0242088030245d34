import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Command } from '../src/lib/testing-run.ts'
import { ProgramFolder, readGuide, root, signersOf, vectorsOf } from './guide-programs.ts'
import { startVenue, type Venue } from './venue.ts'

// The programs of docs/integrator-guide.md, run as a reader would run them.

const guide = readGuide('integrator-guide.md')

interface Vector {
  readonly name: string
  readonly secret: string
  readonly method: string
  readonly uri: string
  readonly timestamp: string
  readonly nonce: string
  readonly body: string
  readonly signature: string
}
const vectors = vectorsOf<Vector>('stock-signing.json')

const SIGNERS = signersOf('bourse')
const CALLERS: Readonly<Record<string, Command>> = {
  TypeScript: [
    'node',
    '--input-type=module',
    '-e',
    `import { call } from './bourse.ts'
     const { BASE_URL: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret, CHAIN_ID: chainId, PRODUCT: product } = process.env
     const [method, uri, body] = process.argv.slice(1)
     console.log(JSON.stringify(await call({ baseUrl, apiKey, apiSecret, chainId, product }, method, uri, body && JSON.parse(body))))`,
    '--',
  ],
  Python: [
    'python3',
    '-c',
    `import json, os, sys, bourse
e = os.environ
venue = {"baseUrl": e["BASE_URL"], "apiKey": e["API_KEY"], "apiSecret": e["API_SECRET"], "chainId": e["CHAIN_ID"], "product": e["PRODUCT"]}
method, uri, *body = sys.argv[1:]
print(json.dumps(bourse.call(venue, method, uri, *map(json.loads, body))))`,
  ],
  shell: ['bash', '-c', 'set -euo pipefail; source ./bourse.sh; call "$@"', 'call'],
}

let folder: ProgramFolder
let venue: Venue
beforeAll(async () => {
  folder = await ProgramFolder.of(guide)
  venue = await startVenue()
  const account = venue.accounts[0]
  const key = await venue.createKey({ access: 'WRITABLE', user: account?.address ?? '' })
  folder.environment = {
    ...folder.environment,
    BASE_URL: venue.baseUrls[0],
    API_KEY: key.apiKey,
    API_SECRET: key.apiSecret,
    CHAIN_ID: '31337',
    PRODUCT: 'Bourse',
    RPC_URL: venue.rpcUrl,
    PRIVATE_KEY: account?.privateKey,
  }
})
afterAll(async () => {
  await venue?.stop()
  await folder?.remove()
})

it('the guide has its programs', () => {
  expect([...guide.programs.keys()]).toEqual(['bourse.ts', 'bourse.py', 'bourse.sh', 'self-submit.ts'])
  expect(vectors.length).toBeGreaterThan(5)
})

describe.each(Object.keys(SIGNERS))('signing in %s', (language) => {
  const signer = SIGNERS[language] as Command
  const caller = CALLERS[language] as Command

  it.each(vectors)('$name', async ({ secret, method, uri, timestamp, nonce, body, signature }) => {
    expect(await folder.succeed([...signer, secret, method, uri, timestamp, nonce, body])).toBe(signature)
  })

  it('is accepted by a running venue, with a query and with a body', async () => {
    const page = await folder.succeed([...caller, 'GET', '/api/v1/orders?page=1&limit=10'])
    expect(page).toMatch(/"total": ?0/)
    const amount = JSON.stringify({
      userAddress: venue.accounts[0]?.address,
      tokenAddress: venue.contracts.USDC,
      tokenAmount: '1',
    })
    const built = await folder.succeed([...caller, 'POST', '/api/v1/cash/deposits/calldata', amount])
    expect(built).toMatch(/"method": ?"deposit"/)
  })

  it('shows why a request was refused', async () => {
    const { output, problems } = await folder.run([...caller, 'GET', '/api/v1/prices/NOPE'])
    expect(output + problems).toMatch(/10001.*there is no symbol NOPE/s)
  })
})

it('the walk from a key to a withdrawal arrives', async () => {
  expect(await folder.succeed(['node', 'self-submit.ts'])).toBe(
    ['deposited 1', 'limit order Canceled', 'market order Filled', 'withdrawn'].join('\n'),
  )
})

it('names every code and every status that the API has', () => {
  const document = readFileSync(join(root, 'docs', 'reference', 'openapi.json'), 'utf8')
  const codes = new Set([...document.matchAll(/"code": (\d+),\s+"reason"/g)].map(([, code]) => code))
  expect(codes.size).toBeGreaterThan(5)
  for (const code of codes) expect(guide.text).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
  const { components } = JSON.parse(document)
  const statuses = components.schemas.Order.properties.orderStatus.enum as string[]
  for (const status of statuses) expect(guide.text).toContain(`\`${status}\``)
})
