import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Abi, encodeErrorResult } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { REVERT_EXPLANATIONS, USER_ERRORS } from './revert-explanations.ts'
import { explainRevert, userReverts } from './stock-reverts.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'chain', 'abi')
/** The contracts of this product among those whose ABIs the server has. */
const STOCK_CONTRACTS = /^(stock|cashier|compliance)/

const abis = await Promise.all(
  readdirSync(FOLDER)
    .filter((file) => STOCK_CONTRACTS.test(file))
    .map(async (file): Promise<Abi> => Object.values(await import(join(FOLDER, file)))[0] as Abi),
)
const errors = abis.flatMap((abi) => abi.flatMap((item) => (item.type === 'error' ? [item] : [])))

const SAMPLE: Readonly<Record<string, unknown>> = {
  address: '0x0000000000000000000000000000000000000012',
  bytes4: '0x01020304',
  bytes32: `0x${'01'.repeat(32)}`,
  uint256: 7n,
  uint8: 7,
  string: 'AAPL',
}

describe('the explanations', () => {
  it('hold one sentence of advice for every custom error of the contracts, and no other', () => {
    expect(errors.length).toBeGreaterThan(100)
    expect(Object.keys(REVERT_EXPLANATIONS).sort()).toEqual([...new Set(errors.map(({ name }) => name))].sort())
    for (const text of Object.values(REVERT_EXPLANATIONS)) expect(text).toMatch(/^[A-Z].{15,}\.$/)
  })

  it('are found from the data of each error, with its arguments by name', () => {
    for (const error of errors) {
      const args = error.inputs.map(({ type }) => SAMPLE[type])
      const data = encodeErrorResult({ abi: [error], errorName: error.name, args })
      expect(explainRevert(data)).toEqual({
        name: error.name,
        args: Object.fromEntries(error.inputs.map(({ name }, index) => [name, String(args[index])])),
        explanation: REVERT_EXPLANATIONS[error.name],
      })
    }
  })
})

it('pages are told of every error of a user by its first bytes, and of no other', () => {
  const told = userReverts()
  for (const error of errors) {
    const args = error.inputs.map(({ type }) => SAMPLE[type])
    const selector = encodeErrorResult({ abi: [error], errorName: error.name, args }).slice(0, 10)
    expect([error.name, told[selector]]).toEqual([error.name, USER_ERRORS[error.name]])
  }
  expect(new Set(Object.values(told)).size).toBe(Object.keys(USER_ERRORS).length)
})

it('what is no error of the contracts is given raw, with what can be said', () => {
  expect(explainRevert('0x')).toMatchObject({ name: 'Unknown', args: { data: '0x' } })
  expect(explainRevert('0xdeadbeef')).toMatchObject({ name: 'Unknown', args: { data: '0xdeadbeef' } })
  const text = (errorName: string, value: unknown): Hex => {
    const input = { type: typeof value === 'string' ? 'string' : 'uint256', name: 'x' }
    return encodeErrorResult({ abi: [{ type: 'error', name: errorName, inputs: [input] }], errorName, args: [value] })
  }
  expect(explainRevert(text('Error', 'ERC20: transfer amount exceeds allowance'))).toMatchObject({
    name: 'Error',
    args: { message: 'ERC20: transfer amount exceeds allowance' },
    explanation: expect.stringMatching(/refused the transaction/),
  })
  expect(explainRevert(text('Panic', 0x11n))).toMatchObject({ name: 'Panic' })
})
