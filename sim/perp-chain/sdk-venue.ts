/** The deployed protocol as a client of the published SDK meets it: through its queries, its encoders and its parsers. */
import { PerpClient } from '@synfutures/perpv3-ts'
import type { TransactionParam } from '@synfutures/perpv3-ts/frontend'
import { createGateParser, createInstrumentParser } from '@synfutures/perpv3-ts/parsers'
import { type PairSnapshot, PERP_EXPIRY, UserSetting } from '@synfutures/perpv3-ts/types'
import {
  createPublicClient,
  decodeEventLog,
  decodeFunctionData,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  type ReadContractParameters,
} from 'viem'
import { WAD } from '../perp-model/wad.ts'
import { errorOf } from './actions.ts'
import type { Chain, Log, Message, Receipt } from './chain.ts'
import type { Deployment } from './deploy.ts'

type Parser = ReturnType<typeof createInstrumentParser>
type Client = ConstructorParameters<typeof PerpClient>[0]

export type Sent =
  | { readonly ok: true; readonly events: readonly Event[] }
  | { readonly ok: false; readonly error: string }
export type Event = { readonly name: string; readonly args: { readonly [name: string]: unknown } }

const CHAIN_ID = 31_337
const FEED_UNIT_WAD = 10n ** 10n
const MOST_SLIPPAGE_BPS = 5000
const DEADLINE_SEC = 600

export class Venue {
  readonly chain: Chain
  readonly deployment: Deployment
  readonly traders: readonly Hex[]
  nowSec: number
  /** Messages and events the SDK's parsers have put into words. */
  parsed = 0
  readonly #config: Client
  readonly #gateParser = createGateParser() as Parser
  readonly #instrumentParser = createInstrumentParser()

  /** `nowSec` is the time of the newest block. */
  constructor(chain: Chain, deployment: Deployment, traders: readonly Hex[], nowSec: number) {
    this.chain = chain
    this.traders = traders
    this.deployment = deployment
    this.nowSec = nowSec
    const publicClient = createPublicClient({
      chain: defineChain({
        id: CHAIN_ID,
        name: 'local',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [chain.rpcUrl] } },
      }),
      transport: http(chain.rpcUrl),
      // The SDK reads through a multicall, for which this chain has no contract: its reads go one by one.
    }).extend((client) => ({
      multicall: ({ contracts }: { readonly contracts: readonly ReadContractParameters[] }) =>
        Promise.all(contracts.map((contract) => client.readContract(contract))),
    }))
    this.#config = { chainId: CHAIN_ID, publicClient, observerAddress: deployment.observer.address } as Client
  }

  /** The pair's client; a user's leverage is WAD. */
  client(instrument: number, leverage = 3n * WAD): PerpClient {
    const setting = new UserSetting(DEADLINE_SEC, MOST_SLIPPAGE_BPS, leverage, 0)
    return new PerpClient(this.#config, setting, this.addressOf(instrument), PERP_EXPIRY)
  }

  addressOf(instrument: number): Hex {
    return this.#instrument(instrument).address
  }

  /** The pair and trader as the newest block shows them. Throws unless that block is of the venue's present time. */
  async snapshot(instrument: number, trader: Hex, signedSize?: bigint): Promise<PairSnapshot> {
    const snapshot = await this.client(instrument).getSnapshot(trader, signedSize)
    if (snapshot.blockInfo.timestamp !== this.nowSec) throw new Error(`read at ${snapshot.blockInfo.timestamp}`)
    return snapshot
  }

  /** Mines a block at `timeSec` in which the instrument's oracle price becomes `spotWad`. */
  async advance(timeSec: number, instrument: number, spotWad: bigint): Promise<void> {
    const { feed } = this.#instrument(instrument)
    const args = [spotWad / FEED_UNIT_WAD]
    const data = encodeFunctionData({ abi: feed.abi, functionName: 'set', args })
    this.nowSec = timeSec
    await this.chain.execute(timeSec, { from: this.deployment.admin, to: feed.address, data })
  }

  /** Brings the pair's funding to the present. */
  async update(instrument: number): Promise<void> {
    const { abi, address } = this.#instrument(instrument)
    const data = encodeFunctionData({ abi, functionName: 'update', args: [PERP_EXPIRY] })
    await this.chain.execute(this.nowSec, { from: this.deployment.admin, to: address, data })
  }

  /** Mines what an encoder of the SDK made, at the present time, and has the SDK's parsers read all of it. */
  async send(trader: Hex, { to, data, value }: TransactionParam): Promise<Sent> {
    const message: Message = { from: trader, to, data, ...(value !== undefined && { value }) }
    const [receipt] = await this.chain.mine(this.nowSec, [message])
    await this.#parseCall(message)
    if (receipt?.status !== '0x1') return { ok: false, error: await this.#parseError(receipt as Receipt) }
    const events: Event[] = []
    for (const log of receipt.logs) events.push(...(await this.#parseLog(log)))
    return { ok: true, events }
  }

  #instrument(index: number) {
    const instrument = this.deployment.instruments[index]
    if (!instrument) throw new RangeError(`no instrument ${index}`)
    return instrument
  }

  #parserOf(address: Hex): Parser | undefined {
    if (address === this.deployment.gate.address) return this.#gateParser
    return this.deployment.instruments.some((item) => item.address === address) ? this.#instrumentParser : undefined
  }

  async #parseCall({ to, data }: Message): Promise<void> {
    const parser = this.#parserOf(to as Hex)
    if (!parser) throw new Error(`an encoder addressed ${to}`)
    const call = decodeFunctionData({ abi: parser.abi, data })
    this.#count(await parser.parseTransaction?.(call as never))
  }

  /** Events of tokens are not the protocol's. */
  async #parseLog({ address, topics, data }: Log): Promise<Event[]> {
    const parser = this.#parserOf(address)
    if (!parser) return []
    const { eventName, args } = decodeEventLog({ abi: parser.abi, topics: topics as [Hex, ...Hex[]], data })
    this.#count(await parser.parseEvent?.({ eventName, args } as never))
    return [{ name: String(eventName), args: args as unknown as Event['args'] }]
  }

  async #parseError(receipt: Receipt): Promise<string> {
    const { name } = errorOf(this.deployment, await this.chain.outputOf(receipt))
    return name
  }

  #count(text: string | undefined): void {
    if (!text) throw new Error('a parser said nothing')
    this.parsed += 1
  }
}
