import { parseAbi } from 'viem'
import { expect, expectTypeOf, it } from 'vitest'
import type { Tx } from '../../db/pool.ts'
import type { cashierAbi } from '../abi/cashier.ts'
import type { stockAbi } from '../abi/stock.ts'
import type { ChainBlock, Hex } from '../types.ts'
import {
  type ArgumentName,
  type EventArguments,
  type EventHandlers,
  eventGuard,
  handleEvent,
} from './event-handlers.ts'
import type { ChainEvent } from './event-module.ts'

// Type tests: they fail when the compiler runs over them, not when vitest does.

const abi = parseAbi([
  'event Moved(address indexed user, uint32 index, uint256 amount)',
  'event Named(string indexed name, string text, uint8[] indexed parts)',
  'event Listed(address token, (uint16 fee, bool paused) config)',
  'function move(uint256 amount)',
])
type Example = typeof abi

it('gives arguments the types that the decoder gives them', () => {
  expectTypeOf<EventArguments<Example, 'Moved'>>().toEqualTypeOf<{
    readonly user: Hex
    readonly index: number
    readonly amount: bigint
  }>()
  // An indexed argument of dynamic type is only its hash.
  expectTypeOf<EventArguments<Example, 'Named'>>().toEqualTypeOf<{
    readonly name: Hex
    readonly text: string
    readonly parts: Hex
  }>()
  expectTypeOf<EventArguments<Example, 'Listed'>['config']>().toEqualTypeOf<{ fee: number; paused: boolean }>()
  expectTypeOf<EventArguments<typeof cashierAbi, 'InstantDeposit'>>().toHaveProperty('creditWad')
  expect(abi).toHaveLength(4)
})

it('refuses an argument, an event and a type that the ABI does not have', () => {
  const handlers: EventHandlers<typeof stockAbi | typeof cashierAbi> = {
    async OrderClosed(_tx, _block, { args }) {
      expectTypeOf(args.refund).toEqualTypeOf<bigint>()
      // @ts-expect-error a renamed argument
      expectTypeOf(args.refunded)
      // @ts-expect-error another type
      const reason: string = args.reasonCode
      expectTypeOf(reason).toBeString()
    },
    // @ts-expect-error a renamed event
    async OrderClosedNow() {},
  }
  const ofFunction: EventHandlers<typeof stockAbi> = {
    // @ts-expect-error a function of the ABI is no event
    async settleCancels() {},
  }
  expect([...Object.keys(handlers), ...Object.keys(ofFunction)]).toContain('OrderClosed')
})

it('knows the arguments of an event that it has told by its name', () => {
  const isEvent = eventGuard<Example>()
  const event: Pick<ChainEvent, 'name' | 'args'> = { name: 'Moved', args: { user: '0x01', index: 2, amount: 3n } }
  expect(isEvent(event, 'Named', 'Listed')).toBe(false)
  // @ts-expect-error a renamed event
  expect(isEvent(event, 'Removed')).toBe(false)
  if (!isEvent(event, 'Moved')) throw new Error('not told by its name')
  expectTypeOf(event.args.amount).toEqualTypeOf<bigint>()
  // @ts-expect-error a renamed argument
  expectTypeOf(event.args.moved).toEqualTypeOf<bigint>()
  expect(event.args.amount).toBe(3n)
  expectTypeOf<ArgumentName<Example>>().toEqualTypeOf<
    'user' | 'index' | 'amount' | 'name' | 'text' | 'parts' | 'token' | 'config'
  >()
})

it('hands an event to the handler of its name, and passes over the others', async () => {
  const seen: bigint[] = []
  const handlers: EventHandlers<Example> = {
    async Moved(_tx, _block, { args }) {
      seen.push(args.amount)
    },
  }
  const place = {
    address: '0x' as Hex,
    abiVersion: 1,
    logIndex: 0,
    indexInTransaction: 0,
    transactionHash: '0x' as Hex,
  }
  const [tx, block] = [undefined as unknown as Tx, undefined as unknown as ChainBlock]
  await handleEvent(handlers, tx, block, { ...place, name: 'Moved', args: { user: '0x', index: 1, amount: 7n } })
  await handleEvent(handlers, tx, block, { ...place, name: 'Named', args: {} })
  expect(seen).toEqual([7n])
})
