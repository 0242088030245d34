// A venue whose api is a process of its own, behind a wire that fails as networks do: what browsers are to survive.
import { once } from 'node:events'
import type { Browser } from 'playwright-core'
import { eventually } from '../../server/e2e/client.ts'
import { spawnVenue, startNode } from '../../server/e2e/venue.ts'
import type { Sql } from '../../server/src/db/pool.ts'
import { testDatabase } from '../../server/src/db/testing.ts'
import { startWire, type Wire } from '../../server/src/db/testing-wire.ts'
import { freePort } from '../../server/src/lib/free-port.ts'
import { type AppPage, openApp, type PageOptions } from './browser.ts'

export interface OwnProcesses {
  /** The app, over the wire. */
  readonly url: string
  /** The api itself, past the wire. */
  readonly apiUrl: string
  readonly wire: Wire
  readonly sql: Sql
  readonly accounts: readonly { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }[]
  /** SIGKILL of the process with the role api. */
  killApi(): Promise<void>
  startApi(): Promise<void>
  /** The app in a browser, with the development wallet, which otherwise only an embedded venue has. */
  open(browser: Browser, options?: PageOptions & { readonly script?: string }): Promise<AppPage>
  stop(): Promise<void>
}

/** The other roles share a process; all have a node of stocks and a database of their own. */
export async function startOwnProcesses(): Promise<OwnProcesses> {
  const [node, database, port] = await Promise.all([startNode(), testDatabase(), freePort()])
  const environment = { ...node.environment, DATABASE_URL: database.url }
  const behind = spawnVenue({ ...environment, ROLES: 'indexer,keeper,relayer' })
  const newApi = () => spawnVenue({ ...environment, ROLES: 'api', PORT: String(port) })
  let api = newApi()
  await api.ready
  const apiUrl = `http://127.0.0.1:${port}/`
  const wire = await startWire(apiUrl)
  await eventually(
    async () => (await database.sql`select 1 from market_quotes limit 1`).length,
    (quotes) => quotes > 0,
  )
  return {
    url: wire.url,
    apiUrl,
    wire,
    sql: database.sql,
    accounts: node.accounts.users,
    async killApi() {
      const exited = once(api.process, 'exit')
      api.process.kill('SIGKILL')
      await exited
    },
    async startApi() {
      api = newApi()
      await api.ready
    },
    open: (browser, options = {}) => openWithWallet(browser, wire.url, node.chain.rpcUrl, options),
    async stop() {
      await wire.close()
      await Promise.all([api.stop(), behind.stop()])
      await node.chain.stop()
      await database.drop()
    },
  }
}

const DEV_RPC = '/dev/rpc'

/** The node signs with the development accounts; its requests come past the wire, as those of a wallet extension do. */
async function openWithWallet(
  browser: Browser,
  url: string,
  rpcUrl: string,
  { script, ...options }: PageOptions & { readonly script?: string },
): Promise<AppPage> {
  const app = await openApp(browser, 'about:blank', options)
  await app.page.route(`**${DEV_RPC}`, async (route) => {
    const body = route.request().postData() ?? ''
    const answer = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await route.fulfill({ status: answer.status, contentType: 'application/json', body: await answer.text() })
  })
  await app.page.route('**/app-config.json', async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), embedded: true, devRpc: DEV_RPC } })
  })
  if (script) await app.page.addInitScript(script)
  await app.page.goto(url)
  return app
}
