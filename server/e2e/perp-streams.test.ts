import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createWalletClient, erc20Abi, http, maxUint256, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { eventually } from './client.ts'
import { issuedKey } from './keys.ts'
import { PerpClient, type PerpKey } from './perp-client.ts'
import { type EmbeddedProcess, runCli, runEmbedded } from './venue.ts'
import { type Behaviour, WebhookReceiver } from './webhook-receiver.ts'

type Hex = `0x${string}`

interface PerpDev {
  readonly baseUrl: string
  readonly wsUrl: string
  readonly chainId: number
  readonly instruments: readonly { readonly symbol: string; readonly address: Hex; readonly expiry: number }[]
}

// A whole venue, as `npm start` runs it: what a wallet does with perpetuals comes by its stream and by its webhook.

// biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
type Seen = any

const CHANNELS = ['orders', 'executions', 'positions', 'account', 'liquidity']

let folder: string
let venue: EmbeddedProcess
let perp: PerpDev
let key: PerpKey
let client: PerpClient
let account: ReturnType<typeof privateKeyToAccount>
let receiver: WebhookReceiver
let cli: ReturnType<typeof runCli>
const sockets: WebSocket[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-perp-streams-'))
  const dataDir = join(folder, 'data')
  venue = await runEmbedded(dataDir)
  perp = (venue.dev as unknown as { perp: PerpDev }).perp
  account = privateKeyToAccount(venue.dev.accounts[6]?.privateKey as Hex)
  cli = runCli({ DATA_DIR: dataDir })
  const text = cli(
    ...['keys', 'create', '--label', 'a', '--access', 'WRITABLE', '--product', 'perp', '--user', account.address],
  )
  key = issuedKey(text)
  client = new PerpClient(perp.baseUrl, perp.chainId, key)
  receiver = await WebhookReceiver.start()
  const added = cli('webhooks', 'add', '--key', key.apiKey, '--url', receiver.url)
  receiver.secret = /Secret: *(\S+)/.exec(added)?.[1] ?? ''
})
afterAll(async () => {
  for (const socket of sockets) socket.terminate()
  await venue?.stop()
  await receiver?.close()
  await rm(folder, { recursive: true, force: true })
})

/** A connection that the key signs, following all private channels. */
async function follow(): Promise<{ readonly seen: Seen[]; readonly deltas: (type: string) => Seen[] }> {
  const headers = await new PerpClient(perp.baseUrl, perp.chainId, key).sign('GET', '/v4/public/ws')
  const socket = new WebSocket(perp.wsUrl, { headers })
  sockets.push(socket)
  const seen: Seen[] = []
  socket.on('message', (text) => seen.push(JSON.parse(text.toString())))
  await once(socket, 'open')
  for (const [id, type] of CHANNELS.entries()) {
    socket.send(JSON.stringify({ id, method: 'SUBSCRIBE', params: { chainId: perp.chainId, type } }))
  }
  const deltas = (type: string) => seen.filter(({ stream, event }) => stream === type && event !== 'snapshot')
  await eventually(
    async () => seen.filter(({ event }) => event === 'snapshot').length,
    (count) => count === CHANNELS.length,
  )
  return { seen, deltas }
}

const until = (accept: () => boolean, seen: () => unknown) =>
  eventually(
    async () => ({ ok: accept(), seen: seen() }),
    ({ ok }) => ok,
  )

/** Builds an action by the API, signs it with the wallet's own key and sends it; resolves once it is mined. */
async function act(action: string, params: Readonly<Record<string, unknown>>): Promise<void> {
  const built = await client.post<{ transaction: Record<'to' | 'data', Hex> & Record<'value' | 'gas', string> }>(
    'order/build',
    { action, params: { instrument: perp.instruments[0]?.symbol, expiry: 4_294_967_295, ...params } },
  )
  expect(built.body.msg).toBe('')
  const { to, data, value, gas } = built.body.data.transaction
  const chain = createPublicClient({ chain: foundry, transport: http(venue.dev.chain.rpcUrl), pollingInterval: 50 })
  const nonce = await chain.getTransactionCount({ address: account.address, blockTag: 'pending' })
  const fees = { maxFeePerGas: parseGwei('20'), maxPriorityFeePerGas: parseGwei('1') }
  const fields = { to, data, nonce, chainId: perp.chainId, value: BigInt(value), gas: BigInt(gas) }
  const signedTransaction = await account.signTransaction({ type: 'eip1559', ...fields, ...fees })
  const sent = await client.post<{ txHash: Hex }>('order/submit', { signedTransaction })
  expect(sent.body.msg).toBe('')
  expect((await chain.waitForTransactionReceipt({ hash: sent.body.data.txHash })).status).toBe('success')
}

async function approve(): Promise<void> {
  const transport = http(venue.dev.chain.rpcUrl)
  const wallet = createWalletClient({ chain: foundry, transport, account })
  const { USDC, Gate } = venue.dev.contracts as Record<'USDC' | 'Gate', Hex>
  const approval = { address: USDC, abi: erc20Abi, functionName: 'approve', args: [Gate, maxUint256] } as const
  const hash = await wallet.writeContract(approval)
  const chain = createPublicClient({ chain: foundry, transport, pollingInterval: 50 })
  expect((await chain.waitForTransactionReceipt({ hash })).status).toBe('success')
}

describe('what a wallet does with perpetuals', () => {
  it('comes by its stream as it happens, and by its webhook the same, whatever the receiver fails in', async () => {
    const failures: Behaviour[] = [500, 'drop', 503]
    receiver.script = [...failures]
    const { seen, deltas } = await follow()
    await approve()
    await act('market', { size: '0.02', side: 2, leverage: '5', slippageBps: 100 })
    await until(
      () => deltas('positions').length > 0 && deltas('executions').length > 0,
      () => seen.slice(-20),
    )
    expect(deltas('executions')[0].data).toMatchObject({ side: 'long', size: String(2n * 10n ** 16n) })
    expect(deltas('positions').at(-1).data).toMatchObject({ side: 2, size: String(2n * 10n ** 16n) })
    const { price } = deltas('executions')[0].data
    const limit = String(((BigInt(price) / 10n ** 18n) * 97n) / 100n)
    await act('limit', { size: '0.02', side: 2, leverage: '5', price: limit })
    await until(
      () => deltas('orders').some(({ data }) => data.status === 'open'),
      () => deltas('orders'),
    )
    const { oid } = deltas('orders')[0].data
    await act('cancel', { oid: String(oid) })
    await until(
      () => deltas('orders').some(({ data }) => data.status === 'canceled'),
      () => deltas('orders'),
    )
    await until(
      () => deltas('account').some(({ data }) => data.typeString === 'scatter'),
      () => deltas('account'),
    )

    const told = () => CHANNELS.flatMap((type) => deltas(type).map(({ id, key: name, data }) => ({ id, name, data })))
    const taken = () => receiver.taken.filter(({ channel }) => CHANNELS.includes(channel))
    await until(
      () => told().every(({ id }) => taken().some((event) => event.id === id)),
      () => receiver.attempts,
    )
    expect(receiver.problems).toEqual([])
    const [first] = receiver.attempts
    expect(receiver.attempts.slice(0, 4)).toEqual([...failures, 'take'].map((behaviour) => [first?.[0], behaviour]))
    for (const { id, name, data } of told()) {
      const event = taken().find((one) => one.id === id)
      expect(event).toMatchObject({ apiKey: key.apiKey, chainId: perp.chainId, version: 1, key: name })
      expect(event?.data).toEqual(data)
    }
    for (const type of CHANNELS) {
      const sequences = taken()
        .filter(({ channel }) => channel === type)
        .map(({ sequence }) => sequence)
      expect(sequences).toEqual(sequences.map((_, nth) => (sequences[0] ?? 0) + nth))
    }
    expect(cli('webhooks', 'list')).toMatch(/perp:orders +\d+ of \d+ delivered/)
  })
})
