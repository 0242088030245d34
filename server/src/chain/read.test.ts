import { encodeFunctionResult, parseAbi, toFunctionSelector } from 'viem'
import { expect, expectTypeOf, it } from 'vitest'
import { encodeCall } from './calls.ts'
import { type ContractRead, contractRead, readContract, readContracts, readGroups } from './read.ts'
import type { Rpc, RpcCall } from './rpc.ts'
import { RpcError } from './rpc-error.ts'
import type { Hex } from './types.ts'

const abi = parseAbi([
  'function balanceOf(address user, uint32 index) view returns (uint256)',
  'function name() view returns (string)',
])
const contract = { address: `0x${'01'.repeat(20)}`, abi } as const
const user: Hex = `0x${'02'.repeat(20)}`

/** A node whose contract is named by the block it is asked at, and where everybody has 7. */
const node = {
  call: async () => '0x5',
  batch: async (calls: readonly RpcCall[]) =>
    calls.map(({ params: [call, block] }) =>
      (call as { data: Hex }).data === encodeCall(abi, 'name', [])
        ? encodeFunctionResult({ abi, functionName: 'name', result: `at ${block}` })
        : encodeFunctionResult({ abi, functionName: 'balanceOf', result: 7n }),
    ),
} as unknown as Rpc

it('gives each answer in the place of its question, with its type, all at one block', async () => {
  const [balance, name] = await readContracts(node, [
    contractRead(contract, 'balanceOf', user, 1),
    contractRead(contract, 'name'),
  ])
  expectTypeOf(balance).toEqualTypeOf<bigint>()
  expectTypeOf(name).toEqualTypeOf<string>()
  expect([balance, name]).toEqual([7n, 'at 0x5'])
  expect(await readContract(node, contractRead(contract, 'name'), 16n)).toBe('at 0x10')
})

it('groups answers as the questions are grouped', async () => {
  const name = contractRead(contract, 'name')
  const both = [contractRead(contract, 'balanceOf', user, 1), name] as const
  const many: readonly (typeof both)[] = [both, both]
  const [[first], ...others] = await readGroups(node, [[name] as const, ...many])
  expectTypeOf(others).toEqualTypeOf<[bigint, string][]>()
  expect([first, ...others]).toEqual(['at 0x5', [7n, 'at 0x5'], [7n, 'at 0x5']])
})

it('refuses a function, an argument and an answer that the ABI does not have', () => {
  // @ts-expect-error a renamed function
  expect(() => contractRead(contract, 'balancesOf', user, 1)).toThrow()
  // @ts-expect-error a missing argument
  expect(() => contractRead(contract, 'balanceOf', user)).toThrow()
  // @ts-expect-error an argument of another type
  expect(() => encodeCall(abi, 'balanceOf', [user, 'one'])).toThrow()
  // @ts-expect-error an answer of another type
  const read: ContractRead<bigint> = contractRead(contract, 'name')
  expect(read.address).toBe(contract.address)
})

it('takes the function of a name that the arguments fit, where several have it', async () => {
  const overloaded = parseAbi([
    'function get(address user) view returns (uint256)',
    'function get(uint8 index) view returns (uint256)',
  ])
  const selectors = [encodeCall(overloaded, 'get', [user]), encodeCall(overloaded, 'get', [1])].map((data) =>
    data.slice(0, 10),
  )
  expect(selectors).toEqual(['function get(address)', 'function get(uint8)'].map(toFunctionSelector))
})

/** Of two nodes behind one address the one that answers calls has the block of the other's head after so many of them. */
function behind(calls: number, message = 'header not found') {
  const asked: unknown[] = []
  const rpc = {
    ...node,
    batch: async (reads: readonly RpcCall[]) => {
      asked.push(reads[0]?.params[1])
      if (asked.length > calls) return await node.batch(reads)
      throw new RpcError('rpc_error', 'eth_call', message, { rpc: { code: -32_000, message } })
    },
  } as Rpc
  return { rpc, asked }
}

it.each(['header not found', 'unknown block', 'BlockOutOfRangeError: block height is 4 but requested was 5'])(
  'waits for a node that has not the head yet, and asks it for the same block: %s',
  async (message) => {
    const { rpc, asked } = behind(2, message)
    expect(await readContracts(rpc, [contractRead(contract, 'name')])).toEqual(['at 0x5'])
    expect(asked).toEqual(['0x5', '0x5', '0x5'])
  },
)

it('gives up on a node that stays behind, and asks once about a block that is given or where the contract refused', async () => {
  const lost = behind(100)
  await expect(readContracts(lost.rpc, [contractRead(contract, 'name')])).rejects.toThrow('header not found')
  expect(lost.asked).toHaveLength(4)
  const given = behind(100)
  await expect(readContract(given.rpc, contractRead(contract, 'name'), 16n)).rejects.toThrow('header not found')
  expect(given.asked).toEqual(['0x10'])
  const refused = behind(100, 'execution reverted: unknown account')
  await expect(readContracts(refused.rpc, [contractRead(contract, 'name')])).rejects.toThrow('reverted')
  expect(refused.asked).toHaveLength(1)
})
