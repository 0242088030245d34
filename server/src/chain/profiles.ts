import { AppError, defineReasons } from '../lib/errors.ts'

export const profileReasons = defineReasons({
  chain_unsupported: {
    kind: 'invalid',
    retryable: false,
    doc: 'There is no chain profile for this chain id. Finality, gas and fee rules differ between chains and are never guessed.',
  },
})

/** When a block can no longer be reorganised away: the node's `finalized` tag, or this many blocks below the head. */
export type Finality = { readonly by: 'tag' } | { readonly by: 'depth'; readonly blocks: number }

export interface GasPolicy {
  /**
   * The gas limit sent is the estimate times this, divided by 100. Nodes estimate in the second of the newest block; what has to
   * catch up with time, such as a pair's funding, then costs nothing where that block has brought it up to date, and up to
   * 12 % more in the next second (34 % once in a pair's life). And what a call meets can grow until it is mined: a trade that
   * takes one more resting order needs about 64,000 more.
   */
  readonly limitPercent: number
  /** True where the limit is paid for, whatever was used: the buffer is then money. */
  readonly chargesLimit: boolean
  /** Largest gas limit of one transaction: the chain's own cap, or a lower one of ours. */
  readonly maxGasLimit: bigint
}

/** The gas limit to send a transaction with that is estimated to use `estimate`: with the buffer, up to the cap. */
export function bufferedGas({ limitPercent, maxGasLimit }: GasPolicy, estimate: bigint): bigint {
  const limit = (estimate * BigInt(limitPercent)) / 100n
  return limit > maxGasLimit ? maxGasLimit : limit
}

/** The policy for calls that need a buffer of at least `percent`, as what they meet may grow more than calls do in general. */
export const withLeastBuffer = (
  { limitPercent, chargesLimit, maxGasLimit }: GasPolicy,
  percent: number,
): GasPolicy => ({
  limitPercent: Math.max(limitPercent, percent),
  chargesLimit,
  maxGasLimit,
})

/** The gas within which a call must succeed that is sent with `limit`, to have the buffer, but for two per cent of it. */
export function unbufferedGas({ limitPercent }: GasPolicy, limit: bigint): bigint {
  return (limit * 102n) / BigInt(limitPercent)
}

export interface FeePolicy {
  /** Lowest tip per gas; a higher suggestion by the node counts. */
  readonly minPriorityFeeWei: bigint
  /** `maxFeePerGas` is the base fee times this, divided by 100, plus the tip. */
  readonly baseFeePercent: number
  /** A replacement raises both fees by this; nodes ask for at least 10. */
  readonly bumpPercent: number
  /** A transaction without a receipt for this long is replaced with higher fees. */
  readonly bumpAfterMs: number
}

export interface MempoolPolicy {
  /**
   * Who sees a pending transaction: `public` gossips it, `sequencer` keeps it with one block maker, `leaders` forwards
   * it to the next few block makers, so that it can silently vanish and must be broadcast again.
   */
  readonly kind: 'public' | 'sequencer' | 'leaders'
  /** False where `eth_getTransactionByHash` knows mined transactions only: "unknown" then says nothing. */
  readonly reportsPending: boolean
  /** False where a nonce gap or a lack of funds may pass `eth_sendRawTransaction` and surface later, or never. */
  readonly validatesOnSend: boolean
  /** Signed and unmined transactions of one signer at the same time. */
  readonly maxInFlight: number
}

/** What differs between chains. */
export interface ChainProfile {
  readonly chainId: number
  readonly name: string
  readonly blockTimeMs: number
  readonly finality: Finality
  /** Confirmations before the keeper acts on an event outside the chain; the block that holds it is the first. */
  readonly actDepth: number
  /** By how many blocks a node behind the address may stand behind another one; 0 where there is one node. */
  readonly nodeLagBlocks: number
  /** Widest block range asked of `eth_getLogs`; the follower narrows it where a provider allows less. */
  readonly logsRangeBlocks: number
  /** `late` where headers may be served before their bloom filter is there (asynchronous execution). */
  readonly logsBloom: 'reliable' | 'late'
  readonly gas: GasPolicy
  readonly fee: FeePolicy
  readonly mempool: MempoolPolicy
  /** Shortest delay of the timelock that administrates the contracts; 48 hours where there is real value. */
  readonly minTimelockDelaySec: number
}

/** The chain of a venue on a laptop, where rules that guard real value are lax. */
export const DEVELOPMENT_CHAIN = 31_337

/**
 * A test chain that the published perpetual client has in its tables, which know no development chain: a local node that goes by its id
 * serves that client as it is. No rule is lax there.
 */
export const CLIENT_TEST_CHAIN = 20_250_903

const TWO_DAYS_SEC = 172_800
const GWEI = 1_000_000_000n
/** EIP-7825: no transaction may ask for more. */
const TRANSACTION_GAS_CAP = 16_777_216n

const publicMempool: MempoolPolicy = { kind: 'public', reportsPending: true, validatesOnSend: true, maxInFlight: 16 }
const usedGas: GasPolicy = { limitPercent: 200, chargesLimit: false, maxGasLimit: TRANSACTION_GAS_CAP }

const local: ChainProfile = {
  chainId: DEVELOPMENT_CHAIN,
  name: 'Local',
  blockTimeMs: 1000,
  finality: { by: 'depth', blocks: 128 },
  actDepth: 1,
  nodeLagBlocks: 0,
  logsRangeBlocks: 1000,
  logsBloom: 'reliable',
  gas: usedGas,
  fee: { minPriorityFeeWei: 1n, baseFeePercent: 200, bumpPercent: 20, bumpAfterMs: 10_000 },
  mempool: { ...publicMempool, maxInFlight: 256 },
  minTimelockDelaySec: 0,
}

const ethereum: ChainProfile = {
  chainId: 1,
  name: 'Ethereum',
  blockTimeMs: 12_000,
  finality: { by: 'tag' },
  actDepth: 12,
  nodeLagBlocks: 5,
  logsRangeBlocks: 1000,
  logsBloom: 'reliable',
  gas: usedGas,
  fee: { minPriorityFeeWei: GWEI / 100n, baseFeePercent: 200, bumpPercent: 20, bumpAfterMs: 60_000 },
  mempool: publicMempool,
  minTimelockDelaySec: TWO_DAYS_SEC,
}

/** One sequencer orders at once; its blocks are final when the layer below has finalised them. */
const base: ChainProfile = {
  chainId: 8453,
  name: 'Base',
  blockTimeMs: 2000,
  finality: { by: 'tag' },
  actDepth: 10,
  nodeLagBlocks: 5,
  logsRangeBlocks: 2000,
  logsBloom: 'reliable',
  gas: usedGas,
  fee: { minPriorityFeeWei: GWEI / 1000n, baseFeePercent: 200, bumpPercent: 20, bumpAfterMs: 20_000 },
  mempool: { kind: 'sequencer', reportsPending: true, validatesOnSend: true, maxInFlight: 16 },
  minTimelockDelaySec: TWO_DAYS_SEC,
}

/**
 * The limit is charged, blocks execute after they are ordered, and two rounds make a block final. Providers allow
 * `eth_getLogs` ranges of 100 to 1000 blocks, and blocks are large.
 */
const monad: ChainProfile = {
  chainId: 143,
  name: 'Monad',
  blockTimeMs: 400,
  finality: { by: 'tag' },
  actDepth: 3,
  nodeLagBlocks: 10,
  logsRangeBlocks: 100,
  logsBloom: 'late',
  gas: { limitPercent: 125, chargesLimit: true, maxGasLimit: TRANSACTION_GAS_CAP },
  fee: { minPriorityFeeWei: 2n * GWEI, baseFeePercent: 150, bumpPercent: 20, bumpAfterMs: 10_000 },
  mempool: { kind: 'leaders', reportsPending: false, validatesOnSend: false, maxInFlight: 8 },
  minTimelockDelaySec: TWO_DAYS_SEC,
}

const profiles: readonly ChainProfile[] = [
  local,
  ethereum,
  base,
  monad,
  { ...local, chainId: CLIENT_TEST_CHAIN, name: 'Local, by the id of a test chain' },
  { ...ethereum, chainId: 11_155_111, name: 'Ethereum Sepolia', actDepth: 3, minTimelockDelaySec: 0 },
  { ...monad, chainId: 10_143, name: 'Monad Testnet', minTimelockDelaySec: 0 },
  { ...base, chainId: 84_532, name: 'Base Sepolia', actDepth: 3, minTimelockDelaySec: 0 },
]

/** The profile of a chain. Throws `chain_unsupported` for a chain without one. */
export function chainProfile(chainId: number): ChainProfile {
  const profile = profiles.find((candidate) => candidate.chainId === chainId)
  if (profile) return profile
  const known = profiles.map((candidate) => `${candidate.chainId} (${candidate.name})`).join(', ')
  throw new AppError(profileReasons.chain_unsupported, `no profile for chain ${chainId}; known: ${known}`)
}
