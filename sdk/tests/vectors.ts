// The vectors of sdk/vectors, signed by the library; runs wherever WebCrypto does.
import { importKey, type Signer } from '../src/core/hmac.ts'
import { perpSignature } from '../src/perp/signer.ts'
import { sortedUri, stockSignature } from '../src/stock/signer.ts'
import perp from '../vectors/perp-signing.json' with { type: 'json' }
import stock from '../vectors/stock-signing.json' with { type: 'json' }

export interface Checked {
  readonly name: string
  readonly expected: string
  readonly bySecret: string
  readonly byKey: string
}

const signers = async (secret: string): Promise<readonly [Signer, Signer]> => [
  { apiKey: 'k', secret },
  { apiKey: 'k', key: await importKey(secret) },
]

/** Every vector with what the library makes of it, by the secret and by a key that cannot be read. */
export async function checkedVectors(): Promise<Checked[]> {
  const checked: Checked[] = []
  for (const { name, secret, signature: expected, signedUri, ...one } of stock.vectors) {
    const [bySecret, byKey] = await signers(secret)
    const sign = (signer: Signer) => stockSignature({ signer, ...one })
    checked.push({ name, expected, bySecret: await sign(bySecret), byKey: await sign(byKey) })
    checked.push({ name, expected: signedUri, bySecret: sortedUri(one.uri), byKey: sortedUri(one.uri) })
  }
  for (const { name, secret, signature: expected, message: _message, ...one } of perp.vectors) {
    const [bySecret, byKey] = await signers(secret)
    const sign = (signer: Signer) => perpSignature({ signer, ...one })
    checked.push({ name, expected, bySecret: await sign(bySecret), byKey: await sign(byKey) })
  }
  return checked
}
