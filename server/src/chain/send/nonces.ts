/**
 * The next `count` nonces to sign with: the smallest from `fromNonce` up that no intent holds. Gaps, which a released
 * nonce or a wrong answer of a node may leave, are thereby filled first and nonces stay dense.
 *
 * @param fromNonce the first nonce the chain would take, or a later one
 * @param held nonces at or above `fromNonce` that intents hold
 */
export function allocateNonces(fromNonce: bigint, held: ReadonlySet<bigint>, count: number): bigint[] {
  const nonces: bigint[] = []
  for (let nonce = fromNonce; nonces.length < count; nonce++) {
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
