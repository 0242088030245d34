import { OneClickUser } from '../../server/e2e/one-click-user.ts'
import { Trader } from '../../server/e2e/trader.ts'
import { sleep } from '../../server/src/lib/clock.ts'
import { createRandom, type Random } from '../perp-model/random.ts'
import { chainOrders, storedOrders, toldOrders, untilReconciled } from './books.ts'
import { Customer, until } from './customers.ts'
import { drawFault, drawSleep, type Fault } from './faults.ts'
import { healRestored, untilReady } from './operator.ts'
import { RoleVenue } from './role-venue.ts'

const CUSTOMERS = 6
const ORDERS_EACH = 3
const FAULTS = 8
const LONGEST_CALM_MS = 2500

/** What a run did and what stands in the books at its end. */
export interface Outcome {
  readonly faults: readonly string[]
  readonly placed: number
  readonly told: readonly string[]
  readonly chain: readonly string[]
  readonly stored: readonly string[]
}

/** One life of a venue: customers trade in both ways while everything that can fail does, drawn from the seed. */
export async function runVenue(seed: number): Promise<Outcome> {
  const random = createRandom(seed)
  const venue = await RoleVenue.start()
  try {
    const customers = await Promise.all(Array.from({ length: CUSTOMERS }, (_, index) => newCustomer(venue, index)))
    const faults = drawFaults(random)
    const trading = Promise.all(customers.map((customer, index) => trade(customer, index)))
    // A customer's failure is told when the faults are over; it must not go unheard meanwhile.
    trading.catch(() => {})
    await befall(venue, faults, random, customers)
    await trading
    const calmSince = new Date()
    await untilReady(venue)
    for (const customer of customers) await customer.tellAgain()
    for (const customer of customers) {
      const unfilled = () => customer.unfilled()
      await until('what is not filled', unfilled, async (orders) => orders.length === 0)
    }
    await untilReconciled(
      venue,
      calmSince,
      faults.some(({ name }) => name === RESTORE),
    )
    return {
      faults: faults.map(({ name }) => name),
      placed: customers.flatMap(({ orders }) => orders).length,
      told: toldOrders(customers),
      chain: await chainOrders(venue),
      stored: await storedOrders(venue),
    }
  } catch (error) {
    throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}\n${venue.output()}`, {
      cause: error,
    })
  } finally {
    await venue.stop()
  }
}

/** A customer with cash at the venue who has switched One Click on. */
async function newCustomer(venue: RoleVenue, index: number): Promise<Customer> {
  const { address, privateKey } = venue.accounts[index] as RoleVenue['accounts'][number]
  const client = venue.client(await venue.createKey(address))
  const user = new OneClickUser(new Trader(venue, client, index))
  await user.trader.fund(100_000n)
  await user.trader.cash('deposits', '50000')
  await user.enable()
  return new Customer(client, venue.rpcUrl, privateKey, venue.contracts.aAAPL as `0x${string}`)
}

async function trade(customer: Customer, index: number): Promise<void> {
  for (let order = 0; order < ORDERS_EACH; order++) {
    const notional = String(1000 + index * ORDERS_EACH + order)
    await ((index + order) % 2 === 0 ? customer.send(notional) : customer.submit(notional))
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
): Promise<void> {
  for (const { name, befall: happen } of faults) {
    await sleep(random.int(100, LONGEST_CALM_MS))
    if (name === RESTORE) await (customers[0] as Customer).send('999')
    await happen(venue)
    if (name === RESTORE) await healRestored(venue)
  }
}
