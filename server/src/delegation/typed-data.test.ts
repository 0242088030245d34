import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256, recoverTypedDataAddress, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import type { Rpc } from '../chain/rpc.ts'
import type { Hex } from '../chain/types.ts'
import { requireSignature } from './signature.ts'
import { delegateDigest, signPayload } from './typed-data.ts'

const address = (last: number): Hex => `0x${last.toString(16).padStart(40, '0')}`
const oneClick = { chainId: 10_143, router: address(1) }
const delegate = { user: address(2), delegatee: address(3), nonce: 0n, deadlineSec: 1_893_456_000 }

interface Vector {
  readonly name: string
  readonly domain: { readonly chainId: number; readonly verifyingContract: Hex }
  readonly message: { readonly user: Hex; readonly delegatee: Hex; readonly nonce: number; readonly deadline: number }
  readonly digest: Hex
  readonly signature: Hex
}

const file = join(import.meta.dirname, '../../../sdk/vectors/delegation.json')
const vectors: {
  readonly delegateTypeHash: Hex
  readonly digestOnly: Vector
  readonly vectors: readonly Vector[]
  readonly refused: readonly { readonly name: string; readonly signature: Hex }[]
} = JSON.parse(readFileSync(file, 'utf8'))

const digestOf = ({ domain: { chainId, verifyingContract }, message }: Vector): Hex =>
  delegateDigest(
    { chainId, router: verifyingContract },
    { ...message, nonce: BigInt(message.nonce), deadlineSec: message.deadline },
  )
/** The check of a node that is never asked. */
const check = (user: Hex, digest: Hex, signature: Hex) =>
  requireSignature(
    { venue: { rpc: undefined as unknown as Rpc }, prefix: '/api/v1/1ct' },
    { user, isContract: false },
    digest,
    signature,
  )

it('has the type’s hash and the digest of the sheet (stock-api 6)', () => {
  const [type] = Object.entries(signPayload(oneClick, delegate).types).map(
    ([name, fields]) => `${name}(${fields.map((field) => `${field.type} ${field.name}`).join(',')})`,
  )
  expect(keccak256(toHex(type ?? ''))).toBe(vectors.delegateTypeHash)
  expect(vectors.digestOnly.digest).toBe('0x795841215222598852d5ec09e4fb6a416aa9d814a7f8b9fd5be8ed9de885af34')
})

it.each([vectors.digestOnly, ...vectors.vectors])('has the digest of: $name', (vector) => {
  expect(digestOf(vector)).toBe(vector.digest)
})

it.each(vectors.vectors)('takes the signature of: $name', async (vector) => {
  await check(vector.message.user, vector.digest, vector.signature)
  const other = await check(vector.message.delegatee, vector.digest, vector.signature).catch((error) => error)
  expect(other).toMatchObject({ reason: { name: 'delegation_signature_invalid' } })
})

it.each(vectors.refused)('refuses the signature: $name', async ({ signature }) => {
  const [first] = vectors.vectors as [Vector]
  await expect(check(first.message.user, first.digest, signature)).rejects.toMatchObject({
    reason: { name: 'delegation_signature_invalid' },
  })
})

it('binds every field', () => {
  const digests = [
    delegateDigest(oneClick, delegate),
    delegateDigest({ ...oneClick, chainId: 143 }, delegate),
    delegateDigest({ ...oneClick, router: address(9) }, delegate),
    ...[{ user: address(9) }, { delegatee: address(9) }, { nonce: 1n }, { deadlineSec: 1 }].map((change) =>
      delegateDigest(oneClick, { ...delegate, ...change }),
    ),
  ]
  expect(new Set(digests).size).toBe(digests.length)
})

it('is signed by a wallet from its JSON', async () => {
  const account = privateKeyToAccount(generatePrivateKey())
  const payload = signPayload(oneClick, { ...delegate, user: account.address })
  const fromWire = JSON.parse(JSON.stringify(payload)) as never
  const signature = await account.signTypedData(fromWire)
  expect(await recoverTypedDataAddress({ ...(fromWire as typeof payload), signature } as never)).toBe(account.address)
})
