import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startVenue, type Venue } from './venue.ts'

// The programs of docs/integrator-guide.md, run as a reader would run them.

const root = join(import.meta.dirname, '..', '..')
const guide = readFileSync(join(root, 'docs', 'integrator-guide.md'), 'utf8')
/** A block whose first line is a comment with a file's name is that file. */
const programs = new Map(
  [...guide.matchAll(/^```\w+\n((?:\/\/|#) ([\w.-]+)\n[\s\S]*?)^```$/gm)].map(([, text = '', name = '']) => [
    name,
    text,
  ]),
)

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
const { vectors } = JSON.parse(readFileSync(join(root, 'sdk', 'vectors', 'stock-signing.json'), 'utf8')) as {
  readonly vectors: readonly Vector[]
}

/** The arguments of `sign`, in each of the three languages. */
const SIGNERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  TypeScript: [
    'node',
    '--input-type=module',
    '-e',
    "import('./bourse.ts').then(({ sign }) => console.log(sign(...process.argv.slice(1))))",
    '--',
  ],
  Python: ['python3', '-c', 'import sys, bourse; print(bourse.sign(*sys.argv[1:]))'],
  shell: ['bash', '-c', 'set -euo pipefail; source ./bourse.sh; sign "$@"', 'sign'],
}
const CALLERS: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
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

let folder: string
let venue: Venue
let environment: NodeJS.ProcessEnv
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-guide-'))
  for (const [name, text] of programs) await writeFile(join(folder, name), text)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  venue = await startVenue()
  const account = venue.accounts[0]
  const key = await venue.createKey({ access: 'WRITABLE', user: account?.address ?? '' })
  environment = {
    PATH: process.env.PATH,
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
  await rm(folder, { recursive: true, force: true })
})

interface Run {
  readonly code: number | null
  readonly output: string
  readonly problems: string
}

/** Runs a command in the folder of the programs. A command that is not there fails the test. */
async function run([command, ...args]: readonly string[]): Promise<Run> {
  const child = spawn(command ?? '', args, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let problems = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    problems += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output: output.trim(), problems }
}

async function succeed(command: readonly string[]): Promise<string> {
  const { code, output, problems } = await run(command)
  expect(code, `${command[0]}: ${output}\n${problems}`).toBe(0)
  return output
}

it('the guide has its programs', () => {
  expect([...programs.keys()]).toEqual(['bourse.ts', 'bourse.py', 'bourse.sh', 'self-submit.ts'])
  expect(vectors.length).toBeGreaterThan(5)
})

describe.each(Object.keys(SIGNERS))('signing in %s', (language) => {
  const signer = SIGNERS[language] ?? []
  const caller = CALLERS[language] ?? []

  it.each(vectors)('$name', async ({ secret, method, uri, timestamp, nonce, body, signature }) => {
    expect(await succeed([...signer, secret, method, uri, timestamp, nonce, body])).toBe(signature)
  })

  it('is accepted by a running venue, with a query and with a body', async () => {
    const page = await succeed([...caller, 'GET', '/api/v1/orders?page=1&limit=10'])
    expect(page).toMatch(/"total": ?0/)
    const amount = JSON.stringify({
      userAddress: venue.accounts[0]?.address,
      tokenAddress: venue.contracts.USDC,
      tokenAmount: '1',
    })
    const built = await succeed([...caller, 'POST', '/api/v1/cash/deposits/calldata', amount])
    expect(built).toMatch(/"method": ?"deposit"/)
  })

  it('shows why a request was refused', async () => {
    const { output, problems } = await run([...caller, 'GET', '/api/v1/prices/NOPE'])
    expect(output + problems).toMatch(/10001.*there is no symbol NOPE/s)
  })
})

it('the walk from a key to a withdrawal arrives', async () => {
  expect(await succeed(['node', 'self-submit.ts'])).toBe(
    ['deposited 1', 'limit order Canceled', 'market order Filled', 'withdrawn'].join('\n'),
  )
})

it('names every code and every status that the API has', () => {
  const document = readFileSync(join(root, 'docs', 'reference', 'openapi.json'), 'utf8')
  const codes = new Set([...document.matchAll(/"code": (\d+),\s+"reason"/g)].map(([, code]) => code))
  expect(codes.size).toBeGreaterThan(5)
  for (const code of codes) expect(guide).toMatch(new RegExp(`^\\| ${code} +\\|`, 'm'))
  const { components } = JSON.parse(document)
  const statuses = components.schemas.Order.properties.orderStatus.enum as string[]
  for (const status of statuses) expect(guide).toContain(`\`${status}\``)
})
