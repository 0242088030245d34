import { OneClickUser } from '../../server/e2e/one-click-user.ts'
import { Trader } from '../../server/e2e/trader.ts'
import { sleep } from '../../server/src/lib/clock.ts'
import { createRandom, type Random } from '../perp-model/random.ts'
import { type Books, perpBooks, stockBooks, untilReconciled } from './books.ts'
import { Customer } from './customers.ts'
import { drawFault, drawSleep, type Fault } from './faults.ts'
import { healRestored, untilReady } from './operator.ts'
import { OwnWallet } from './own-wallet.ts'
import { until } from './patience.ts'
import { PerpCustomer } from './perp-customers.ts'
import { RoleVenue } from './role-venue.ts'

const CUSTOMERS = 6
const ORDERS_EACH = 3
const PERP_CUSTOMERS = 3
const TRADES_EACH = 2
const FAULTS = 8
const LONGEST_CALM_MS = 2500

/** What a run did and what stands in the books at its end. */
export interface Outcome {
  readonly faults: readonly string[]
  readonly orders: Books
  readonly trades: Books
  /** Why customers were told that something failed. */
  readonly failures: readonly string[]
}

/** One life of a venue: customers trade both products in both ways while everything that can fail does, drawn from the seed. */
export async function runVenue(seed: number): Promise<Outcome> {
  const random = createRandom(seed)
  const venue = await RoleVenue.start()
  try {
    const customers = await Promise.all(Array.from({ length: CUSTOMERS }, (_, index) => newCustomer(venue, index)))
    const traders = await Promise.all(
      Array.from({ length: PERP_CUSTOMERS }, (_, index) => newPerpCustomer(venue, CUSTOMERS + index)),
    )
    const faults = drawFaults(random)
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
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${venue.output()}`, {
      cause: error,
    })
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

/** A customer with cash at the venue who has switched One Click on. */
async function newCustomer(venue: RoleVenue, index: number): Promise<Customer> {
  const { address, privateKey } = venue.accounts[index] as RoleVenue['accounts'][number]
  const client = venue.client(await venue.createKey(address))
  const user = new OneClickUser(new Trader(venue, client, index))
  await user.trader.fund(100_000n)
  await user.trader.cash('deposits', '50000')
  await user.enable()
  return new Customer(client, new OwnWallet(venue.rpcUrl, privateKey), venue.contracts.aAAPL as `0x${string}`)
}

/** A trader with margin at the venue who has switched One Click on. */
async function newPerpCustomer(venue: RoleVenue, index: number): Promise<PerpCustomer> {
  const { address, privateKey } = venue.accounts[index] as RoleVenue['accounts'][number]
  const client = venue.perpClient(await venue.createKey(address, 'perp'))
  const trader = new PerpCustomer(client, new OwnWallet(venue.rpcUrl, privateKey))
  await trader.prepare('10000')
  return trader
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
