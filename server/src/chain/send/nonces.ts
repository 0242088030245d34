/**
 * The next `count` nonces to sign with: the smallest from `chainNonce` up that no intent holds. Gaps, which a released
 * nonce or a wrong answer of a node may leave, are thereby filled first and nonces stay dense.
 *
 * @param chainNonce transactions of the signer in the latest block, i.e. the first nonce the chain would take
 * @param held nonces at or above `chainNonce` that intents hold
 */
export function allocateNonces(chainNonce: bigint, held: ReadonlySet<bigint>, count: number): bigint[] {
  const nonces: bigint[] = []
  for (let nonce = chainNonce; nonces.length < count; nonce++) {
    if (!held.has(nonce)) nonces.push(nonce)
  }
  return nonces
}

/** The nonces that nobody holds below the highest held one: what stands above them cannot be mined until they are filled. */
export function nonceGaps(chainNonce: bigint, held: ReadonlySet<bigint>): bigint[] {
  const gaps: bigint[] = []
  const highest = [...held].reduce((high, nonce) => (nonce > high ? nonce : high), chainNonce)
  for (let nonce = chainNonce; nonce < highest; nonce++) {
    if (!held.has(nonce)) gaps.push(nonce)
  }
  return gaps
}
