import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../http/caller.ts'
import { WAD } from '../../lib/wad.ts'
import { cancelCalldata, depositCalldata } from '../calldata/calldata.ts'
import { AAPL, ALICE, BOB, CHAIN_ID, deposited, placed, ROUTER, randomHash, USDC } from '../testing/chain.ts'
import { alice, alice2, BUY, bob, ClaimsWorld, unbound, unbound2 } from '../testing/claims.ts'
import { mappingStatus } from './mapping.ts'
import { listMappings } from './mapping-store.ts'

let world: ClaimsWorld
beforeEach(async () => {
  world = await ClaimsWorld.open()
})
afterEach(() => world.drop())

const DEPOSIT = depositCalldata(ROUTER, USDC, 5n).data

describe('a key bound to a wallet', () => {
  it('records its wallet’s transaction, again without a change', async () => {
    const { hash, orderId } = await world.order(ALICE)
    expect([await world.record(alice, hash), await world.record(alice, hash)]).toEqual(['recorded', 'recorded'])
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
  })

  it('does not record another wallet’s, indexed or submitted or reverted', async () => {
    const { hash } = await world.order(BOB)
    const reverted = world.submit(BOB, BUY)
    await world.index(reverted, [], BUY, false)
    for (const other of [hash, world.submit(BOB, BUY), reverted]) {
      expect(await world.record(alice, other)).toBe('transaction_of_other_user')
      expect(await world.mappings(alice, other)).toEqual([])
    }
  })

  it('records what is not indexed yet, and the mapping is filled in later', async () => {
    const hash = world.submit(ALICE, BUY)
    const orderId = randomHash()
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.mappings(alice, hash)).toEqual([['pending', null]])
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
    await world.chain.undo(1)
    expect(await world.mappings(alice, hash)).toEqual([['pending', null]])
  })

  it('records its reverted transaction, which is a failed mapping', async () => {
    const hash = world.submit(ALICE, BUY)
    await world.index(hash, [], BUY, false)
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.mappings(alice, hash)).toEqual([['failed', null]])
  })

  it('records through a contract wallet once the events show the user', async () => {
    const [known, orderId] = [randomHash(), randomHash()]
    world.node.set(known, { from: BOB, to: AAPL, input: '0x', value: '0x0', blockNumber: null })
    expect(await world.record(alice, known)).toBe('recorded')
    await world.chain.block({
      hash: known,
      from: BOB,
      to: AAPL,
      events: [placed({ orderId, user: ALICE, amount: WAD })],
    })
    expect(await world.mappings(alice, known)).toEqual([['confirmed', orderId]])
    expect(await world.record(bob, known)).toBe('transaction_of_other_user')
  })
})

describe('a hash of another kind of operation', () => {
  it('is refused, indexed or only submitted', async () => {
    const { hash } = await world.order(ALICE)
    expect(await world.record(alice, hash, 'deposit')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, world.submit(ALICE, DEPOSIT), 'trade')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, world.submit(ALICE, DEPOSIT), 'withdraw')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, world.submit(ALICE, '0x12345678'), 'trade')).toBe('transaction_of_other_kind')
    expect(await world.record(alice, world.submit(ALICE, DEPOSIT), 'deposit')).toBe('recorded')
  })

  it('is refused when the transaction is mined and touched nothing of the venue', async () => {
    const head = world.chain.head.number
    const elsewhere = world.submit(ALICE, '0xa9059cbb', USDC, `0x${head.toString(16)}`)
    expect(await world.record(alice, elsewhere)).toBe('transaction_of_other_kind')
    const younger = world.submit(ALICE, '0xa9059cbb', USDC, `0x${(head + 1n).toString(16)}`)
    expect(await world.record(alice, younger)).toBe('recorded')
  })

  it('with several kinds in it may be recorded as each of them', async () => {
    const [orderId, opId] = [randomHash(), randomHash()]
    const hash = await world.chain.emit(placed({ orderId, amount: WAD }), deposited(opId, 1n))
    expect(await world.record(alice, hash, 'trade')).toBe('recorded')
    expect(await world.record(alice, hash, 'deposit')).toBe('recorded')
    expect(await world.record(alice, hash, 'withdraw')).toBe('transaction_of_other_kind')
    expect(await world.mappings(alice, hash, 'trade')).toEqual([['confirmed', orderId]])
    expect(await world.mappings(alice, hash, 'deposit')).toEqual([['confirmed', opId]])
  })
})

describe('a key that is not bound', () => {
  it('records only what it has built', async () => {
    const hash = world.submit(ALICE, BUY)
    expect(await world.record(unbound, hash)).toBe('transaction_of_other_user')
    await world.build(unbound)
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await world.record(unbound2, hash)).toBe('transaction_of_other_user')
    const orderId = randomHash()
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
  })

  it('records what the node does not know yet, and has it only when it proves to be its own', async () => {
    const [own, stranger] = [randomHash(), randomHash()]
    await world.build(unbound)
    expect([await world.record(unbound, own), await world.record(unbound, stranger)]).toEqual(['recorded', 'recorded'])
    const orderId = randomHash()
    await world.index(own, [placed({ orderId, user: ALICE, amount: WAD })])
    await world.index(stranger, [placed({ orderId: randomHash(), user: BOB, amount: WAD })], '0x99')
    expect(await world.mappings(unbound, own)).toEqual([['confirmed', orderId]])
    expect(await world.mappings(unbound, stranger)).toEqual([['failed', null]])
  })

  it('is outranked by the user’s own key, and cannot record after it', async () => {
    await world.build(unbound)
    await world.build(unbound2)
    const { hash, orderId } = await world.order(ALICE)
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await world.record(unbound2, hash)).toBe('transaction_of_other_key')
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.mappings(unbound, hash)).toEqual([['failed', null]])
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
    const later = await world.order(ALICE)
    expect(await world.record(alice, later.hash)).toBe('recorded')
    expect(await world.record(unbound, later.hash)).toBe('transaction_of_other_key')
  })
})

describe('of two unbound keys that built the same calldata', () => {
  it('the one that built it earlier has it, whichever records first', async () => {
    await world.build(unbound)
    await world.build(unbound2)
    const { hash, orderId } = await world.order(ALICE)
    expect(await world.record(unbound2, hash)).toBe('recorded')
    expect(await world.mappings(unbound2, hash)).toEqual([['confirmed', orderId]])
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
    expect(await world.mappings(unbound2, hash)).toEqual([['failed', null]])
    expect(await world.statusReason(unbound2, hash)).toContain('built its calldata earlier')
    const later = await world.order(ALICE)
    expect(await world.record(unbound, later.hash)).toBe('recorded')
    expect(await world.record(unbound2, later.hash)).toBe('transaction_of_other_key')
    expect(await world.mappings(unbound2, later.hash)).toEqual([])
  })

  it('the one that built it after its block has nothing, indexed or not yet', async () => {
    await world.build(unbound)
    const { hash, orderId } = await world.order(ALICE)
    const ahead = `0x${(world.chain.head.number + 1n).toString(16)}` as const
    const mined = world.submit(ALICE, BUY, ROUTER, ahead)
    await world.build(unbound2, BUY, { number: BigInt(ahead), hash: randomHash() })
    expect(await world.record(unbound2, hash)).toBe('transaction_of_other_user')
    expect(await world.record(unbound2, mined)).toBe('transaction_of_other_user')
    expect(await world.mappings(unbound2, hash)).toEqual([])
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
  })

  it('a squat of a hash that nobody has seen falls when it is mined', async () => {
    await world.build(unbound)
    const hash = randomHash()
    expect(await world.record(unbound2, hash)).toBe('recorded')
    const orderId = randomHash()
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    await world.build(unbound2)
    expect(await world.mappings(unbound2, hash)).toEqual([['failed', null]])
    expect(await world.record(unbound, hash)).toBe('recorded')
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
  })

  it('a squat of a transaction that waits, with what was copied from it, falls to who built it', async () => {
    await world.build(unbound)
    const hash = world.submit(ALICE, BUY)
    await world.build(unbound2)
    expect(await world.record(unbound2, hash)).toBe('recorded')
    expect(await world.record(unbound, hash)).toBe('recorded')
    const orderId = randomHash()
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
    expect(await world.mappings(unbound2, hash)).toEqual([['failed', null]])
  })

  it('each records what it built alone, and sees why it does not have the other’s', async () => {
    const other = cancelCalldata(ROUTER, randomHash()).data
    await world.build(unbound, BUY)
    await world.build(unbound2, other)
    const [buy, cancel] = [world.submit(ALICE, BUY), world.submit(ALICE, other)]
    expect([await world.record(unbound, buy), await world.record(unbound2, cancel)]).toEqual(['recorded', 'recorded'])
    expect(await world.record(unbound2, buy)).toBe('transaction_of_other_user')
    expect(await world.record(unbound, cancel)).toBe('transaction_of_other_user')
  })

  it('keeps what it rightly recorded when a reorganisation moves the transaction to a lower block', async () => {
    await world.chain.emit()
    await world.chain.emit()
    await world.build(unbound)
    const orderId = randomHash()
    const hash = world.submit(ALICE, BUY)
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    expect(await world.record(unbound, hash)).toBe('recorded')
    await world.chain.undo(3)
    expect(await world.mappings(unbound, hash)).toEqual([['pending', null]])
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    await world.chain.emit()
    await world.chain.emit()
    expect(await world.mappings(unbound, hash)).toEqual([['confirmed', orderId]])
    expect(await world.record(unbound2, hash)).toBe('transaction_of_other_user')
  })
})

describe('another key’s claim', () => {
  it('of the same wallet stays the first', async () => {
    const { hash, orderId } = await world.order(ALICE)
    expect(await world.record(alice, hash)).toBe('recorded')
    expect(await world.record(alice2, hash)).toBe('transaction_of_other_key')
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
    expect(await world.mappings(alice2, hash)).toEqual([])
  })

  it('on a stranger’s hash keeps nobody out, whether it came before or after', async () => {
    const hash = randomHash()
    const orderId = randomHash()
    expect(await world.record(bob, hash)).toBe('recorded')
    expect(await world.record(alice, hash)).toBe('recorded')
    await world.index(hash, [placed({ orderId, user: ALICE, amount: WAD })])
    expect(await world.mappings(alice, hash)).toEqual([['confirmed', orderId]])
    expect(await world.mappings(bob, hash)).toEqual([['failed', null]])
    expect(await world.record(alice2, hash)).toBe('transaction_of_other_key')
  })

  it('on a stranger’s hash keeps out no unbound key that built it', async () => {
    const hash = world.submit(ALICE, BUY)
    world.node.delete(hash)
    expect(await world.record(bob, hash)).toBe('recorded')
    world.node.set(hash, { from: ALICE, to: ROUTER, input: BUY, value: '0x0', blockNumber: null })
    await world.build(unbound)
    expect(await world.record(unbound, hash)).toBe('recorded')
  })
})

describe('a transaction with several operations', () => {
  it('gives each user’s key its own, in their order', async () => {
    const [a, b, c] = [randomHash(), randomHash(), randomHash()]
    const hash = await world.chain.emit(
      placed({ orderId: a, user: ALICE, amount: WAD }),
      placed({ orderId: b, user: BOB, amount: WAD }),
      placed({ orderId: c, user: ALICE, amount: WAD }),
    )
    expect([await world.record(alice, hash), await world.record(bob, hash)]).toEqual(['recorded', 'recorded'])
    expect(await world.mappings(alice, hash)).toEqual([
      ['confirmed', a],
      ['confirmed', c],
    ])
    expect(await world.mappings(bob, hash)).toEqual([['confirmed', b]])
  })

  it('counts as several records of a list, and others as one', async () => {
    const hash = await world.chain.emit(
      placed({ orderId: randomHash(), amount: WAD }),
      placed({ orderId: randomHash(), user: BOB, amount: WAD }),
      placed({ orderId: randomHash(), amount: WAD }),
    )
    await world.record(alice, hash)
    await world.record(alice, (await world.order(ALICE)).hash)
    await world.record(alice, randomHash())
    await world.record(alice, world.submit(ALICE, DEPOSIT), 'deposit')
    const scope = { chainId: CHAIN_ID, apiKeyId: 'alice', operationType: 'trade' as const }
    const all = await listMappings(world.sql, scope, { limit: 100, offset: 0 })
    expect([all.total, all.rows.length]).toEqual([4, 4])
    expect(all.rows.map(mappingStatus)).toEqual(['pending', 'confirmed', 'confirmed', 'confirmed'])
    const pages = [0, 1, 2, 3, 4].map((offset) => listMappings(world.sql, scope, { limit: 1, offset }))
    const rows = (await Promise.all(pages)).flatMap((page) => page.rows)
    expect(rows).toEqual(all.rows)
    const none = await listMappings(world.sql, { ...scope, apiKeyId: 'bob' }, { limit: 1, offset: 0 })
    expect(none).toEqual({ total: 0, rows: [] })
  })
})

it('when the node is down, records what is indexed and refuses the rest with that reason', async () => {
  const { hash } = await world.order(ALICE)
  const recorded = world.submit(ALICE, BUY)
  await world.record(alice, recorded)
  world.nodeDown = true
  expect(await world.record(alice, hash)).toBe('recorded')
  expect(await world.record(alice, recorded)).toBe('recorded')
  const unknown = randomHash()
  expect(await world.record(alice, unknown)).toBe('chain_unreachable')
  expect(await world.mappings(alice, unknown)).toEqual([])
})

it('of twenty records by five keys of one wallet at the same moment exactly one key gets it', async () => {
  const keys = [1, 2, 3, 4, 5].map((number) => ({ ...alice, keyId: `k${number}` }))
  const indexed = await world.order(ALICE)
  for (const hash of [indexed.hash, randomHash()]) {
    const attempts = Array.from({ length: 20 }, async (_, index) => {
      const caller = keys[index % 5] as Caller
      return { keyId: caller.keyId, outcome: await world.record(caller, hash) }
    })
    const outcomes = await Promise.all(attempts)
    const winners = new Set(outcomes.filter(({ outcome }) => outcome === 'recorded').map(({ keyId }) => keyId))
    expect(winners.size).toBe(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'recorded')).toHaveLength(4)
    expect(outcomes.filter(({ outcome }) => outcome === 'transaction_of_other_key')).toHaveLength(16)
  }
})
