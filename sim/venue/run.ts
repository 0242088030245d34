import type { ApiKey } from '../../server/e2e/client.ts'
import { OneClickUser } from '../../server/e2e/one-click-user.ts'
import { Trader } from '../../server/e2e/trader.ts'
import { sleep } from '../../server/src/lib/clock.ts'
import { createRandom, type Random } from '../perp-model/random.ts'
import { type Books, perpBooks, stockBooks, untilReconciled } from './books.ts'
import { Customer } from './customers.ts'
import { drawFault, drawSleep, type Fault } from './faults.ts'
import { lastStateOf } from './last-state.ts'
import { healRestored, untilReady } from './operator.ts'
import { OwnWallet } from './own-wallet.ts'
import { until } from './patience.ts'
import { PerpCustomer } from './perp-customers.ts'
import { type RestingVenue, RoleVenue } from './role-venue.ts'
import { FAULTS } from './seeds.ts'

/** Whose wallets the customers have. */
const STOCK_ACCOUNTS = [0, 1, 2, 3, 4, 5] as const
const PERP_ACCOUNTS = [6, 7, 8] as const
const ORDERS_EACH = 3
const TRADES_EACH = 2
const LONGEST_CALM_MS = 2500

/** What a run did and what stands in the books at its end. */
export interface Outcome {
  readonly faults: readonly string[]
  readonly orders: Books
  readonly trades: Books
  /** Why customers were told that something failed. */
  readonly failures: readonly string[]
}

/** What lives begin with: a venue at rest, and the keys of its customers, who have money there and have switched One Click on. */
export interface Opened {
  readonly resting: RestingVenue
  readonly stockKeys: readonly ApiKey[]
  readonly perpKeys: readonly ApiKey[]
}

/** Opens a venue and brings its customers to it. */
export async function openVenue(): Promise<Opened> {
  const venue = await RoleVenue.start()
  try {
    const [stockKeys, perpKeys] = await Promise.all([
      Promise.all(STOCK_ACCOUNTS.map((index) => bringCustomer(venue, index))),
      Promise.all(PERP_ACCOUNTS.map((index) => bringPerpCustomer(venue, index))),
    ])
    return { resting: await venue.rest(), stockKeys, perpKeys }
  } catch (error) {
    throw new Error(`opening: ${error instanceof Error ? error.message : error}\n${venue.output()}`, { cause: error })
  } finally {
    await venue.stop()
  }
}

/** One life of a venue: customers trade both products in both ways while everything that can fail does, drawn from the seed. */
export async function runLife(seed: number, { resting, stockKeys, perpKeys }: Opened): Promise<Outcome> {
  const random = createRandom(seed)
  const faults = drawFaults(random)
  const venue = await RoleVenue.start(resting)
  try {
    const customers = STOCK_ACCOUNTS.map((account, nth) => customerOf(venue, account, stockKeys[nth] as ApiKey))
    const traders = PERP_ACCOUNTS.map((account, nth) => perpCustomerOf(venue, account, perpKeys[nth] as ApiKey))
    const trading = Promise.all([...customers.map(placeOrders), ...traders.map(makeTrades)])
    // A customer's failure is told when the faults are over; it must not go unheard meanwhile.
    trading.catch(() => {})
    await befall(venue, faults, random, customers, traders)
    await trading
    await untilCalm(venue, customers, faults)
    return {
      faults: faults.map(({ name }) => name),
      orders: await stockBooks(venue, customers),
      trades: await perpBooks(venue, traders),
      failures: [...customers, ...traders].flatMap(({ placed }) => placed.flatMap(({ failure }) => failure ?? [])),
    }
  } catch (error) {
    const what = error instanceof Error ? error.message : error
    const told = faults.map(({ name }) => name).join(', ')
    const state = await lastStateOf(venue).catch(String)
    throw new Error(`seed ${seed}: ${what}\n${told}\n${venue.output()}\n${state}`, { cause: error })
  } finally {
    await venue.stop()
  }
}

/** Waits until everything that the customers placed has come to its end, and the keeper has found nothing that differs. */
async function untilCalm(venue: RoleVenue, customers: readonly Customer[], faults: readonly Fault[]): Promise<void> {
  const calmSince = new Date()
  await untilReady(venue)
  for (const customer of customers) await customer.tellAgain()
  for (const customer of customers) {
    const unfilled = () => customer.unfilled()
    await until('what is not filled', unfilled, async (orders) => orders.length === 0)
  }
  const isRestored = faults.some(({ name }) => name === RESTORE)
  await untilReconciled(venue, 'stock', calmSince, isRestored)
  await untilReconciled(venue, 'perp', calmSince, isRestored)
}

/** Brings a customer's cash to the venue and switches One Click on; the key. */
async function bringCustomer(venue: RoleVenue, index: number): Promise<ApiKey> {
  const key = await venue.createKey(accountOf(venue, index).address)
  const user = new OneClickUser(new Trader(venue, venue.patientClient(key), index))
  await user.trader.fund(100_000n)
  await user.trader.cash('deposits', '50000')
  await user.enable()
  return key
}

/** Brings a trader's margin to the venue and switches One Click on; the key. */
async function bringPerpCustomer(venue: RoleVenue, index: number): Promise<ApiKey> {
  const key = await venue.createKey(accountOf(venue, index).address, 'perp')
  await perpCustomerOf(venue, index, key).prepare('10000')
  return key
}

const customerOf = (venue: RoleVenue, index: number, key: ApiKey): Customer =>
  new Customer(venue.client(key), walletOf(venue, index), venue.contracts.aAAPL as `0x${string}`)

const perpCustomerOf = (venue: RoleVenue, index: number, key: ApiKey): PerpCustomer =>
  new PerpCustomer(venue.perpClient(key), walletOf(venue, index))

const walletOf = (venue: RoleVenue, index: number): OwnWallet =>
  new OwnWallet(venue.rpcUrl, accountOf(venue, index).privateKey)

function accountOf({ accounts }: RoleVenue, index: number): RoleVenue['accounts'][number] {
  const account = accounts[index]
  if (!account) throw new Error(`there is no account ${index}`)
  return account
}

async function placeOrders(customer: Customer, index: number): Promise<void> {
  for (let order = 0; order < ORDERS_EACH; order++) {
    const notional = String(1000 + index * ORDERS_EACH + order)
    await ((index + order) % 2 === 0 ? customer.send(notional) : customer.submit(notional))
  }
}

async function makeTrades(trader: PerpCustomer, index: number): Promise<void> {
  for (let trade = 0; trade < TRADES_EACH; trade++) {
    const size = `0.01${1 + index * TRADES_EACH + trade}`
    await ((index + trade) % 2 === 0 ? trader.send(size) : trader.submit(size))
  }
}

function drawFaults(random: Random): Fault[] {
  const faults = Array.from({ length: FAULTS }, () => drawFault(random))
  faults.splice(random.int(0, FAULTS), 0, drawSleep(random))
  if (random.chance(50)) return faults
  const copied = random.int(0, FAULTS - 2)
  faults.splice(copied, 0, { name: 'copy the database', befall: (venue) => venue.copyDatabase() })
  faults.splice(random.int(copied + 2, FAULTS), 0, { name: RESTORE, befall: (venue) => venue.restoreDatabase() })
  return faults
}

const RESTORE = 'restore the copy'

async function befall(
  venue: RoleVenue,
  faults: readonly Fault[],
  random: Random,
  customers: readonly Customer[],
  traders: readonly PerpCustomer[],
): Promise<void> {
  for (const { name, befall: happen } of faults) {
    await sleep(random.int(100, LONGEST_CALM_MS))
    // What the copy does not know.
    if (name === RESTORE) await Promise.all([customers[0]?.send('999'), traders[0]?.send('0.019')])
    await happen(venue)
    if (name === RESTORE) await healRestored(venue)
  }
}
