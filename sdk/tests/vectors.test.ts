import { createHmac } from 'node:crypto'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { importKey } from '../src/core/hmac.ts'
import { type Hex, signOneClick, TransactionRefused } from '../src/wallet/wallet.ts'
import delegation from '../vectors/delegation.json' with { type: 'json' }
import perp from '../vectors/perp-signing.json' with { type: 'json' }
import { checkedVectors } from './vectors.ts'

describe('the vectors', () => {
  it('of both signatures are what the library signs, by a secret and by a key', async () => {
    const checked = await checkedVectors()
    expect(checked.length).toBeGreaterThan(15)
    for (const { name, expected, bySecret, byKey } of checked)
      expect([name, bySecret, byKey]).toEqual([name, expected, expected])
  })

  it('of the perpetual API are HMACs of their messages', () => {
    expect(perp.vectors.length).toBeGreaterThan(0)
    for (const { secret, message, signature } of perp.vectors) {
      expect(createHmac('sha256', secret).update(message).digest('base64')).toBe(signature)
    }
  })

  it('of One Click are what a wallet signs', async () => {
    for (const { domain, message, privateKey, signature } of delegation.vectors) {
      const { signPayload, deadline } = consent(domain, message)
      const account = privateKeyToAccount(privateKey as Hex)
      expect(await signOneClick(account, { signPayload, deadline })).toEqual({ signature, deadline: message.deadline })
    }
  })

  it('of One Click are signed by the wallet that they name alone', async () => {
    const [one, other] = delegation.vectors
    if (!one || !other) throw new Error('two vectors are needed')
    const stranger = privateKeyToAccount(`0x${'5'.repeat(64)}`)
    await expect(signOneClick(stranger, consent(one.domain, one.message))).rejects.toThrow(TransactionRefused)
  })
})

it('a secret is imported as a key that no script can read', async () => {
  const key = await importKey('test-secret')
  expect([key.extractable, key.usages]).toEqual([false, ['sign']])
  await expect(crypto.subtle.exportKey('raw', key)).rejects.toThrow()
})

const fields = (...named: string[]) => named.map((one) => ({ type: one.split(' ')[0], name: one.split(' ')[1] }))

const consent = (domain: object, message: { readonly user: string; readonly deadline: number }) => ({
  deadline: message.deadline,
  signPayload: {
    domain,
    types: { Delegate: fields('address user', 'address delegatee', 'uint64 nonce', 'uint32 deadline') },
    primaryType: 'Delegate',
    message,
  },
})
