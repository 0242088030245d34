import { httpClient } from '@synfutures/perpv3-ts/apis'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { CLIENT_TEST_CHAIN } from '../../chain/profiles.ts'
import { keyOf, type PerpAnswer, type PerpApi, servePerp, signed, testMasterKeys } from './key-api.ts'
import { MarketWorld } from './market-world.ts'

/** The older headers carry what the published client calls so. */
export interface ClientKey {
  readonly apiKey: string
  readonly passphrase: string
  readonly secretKey: string
}

/** An API on the chain that the published client knows, to which it sends what it sends, as it is: its signatures meet the verifier. */
export class ClientVenue {
  readonly world: MarketWorld
  readonly #api: PerpApi

  private constructor(world: MarketWorld, api: PerpApi) {
    this.world = world
    this.#api = api
  }

  static async start(): Promise<ClientVenue> {
    const world = await MarketWorld.start(undefined, CLIENT_TEST_CHAIN)
    const { sql, rpc, deployment } = world.venue
    const api = await servePerp({ sql, rpc, ...deployment }, testMasterKeys())
    const { client } = httpClient as unknown as { client: { defaults: { baseURL?: string } } }
    client.defaults.baseURL = api.url
    return new ClientVenue(world, api)
  }

  async keyOf({ privateKey }: DevelopmentAccount): Promise<ClientKey> {
    const key = await keyOf(this.#api, privateKeyToAccount(privateKey), { chainID: CLIENT_TEST_CHAIN })
    return { apiKey: key.apiKey, passphrase: key.passphrase, secretKey: key.apiSecret }
  }

  /** Asks below /v4/public/trader/ by the newer headers. */
  get({ apiKey, secretKey }: ClientKey, path: string): Promise<PerpAnswer> {
    const key = { apiKey, apiSecret: secretKey }
    return signed(this.#api, key, 'GET', path, undefined, { 'X-Chain-Id': String(CLIENT_TEST_CHAIN) })
  }

  async close(): Promise<void> {
    await this.#api.close()
    await this.world.close()
  }
}
