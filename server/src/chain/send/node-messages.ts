/**
 * What an answer to `eth_sendRawTransaction` says of the bytes.
 *
 * - `accepted`: the node has them.
 * - `nonce_too_low`: a transaction with this nonce is mined, maybe this very one: receipts tell.
 * - `fee`, `funds`, `replacement`, `never`: refused, nothing was kept. `never`: no node of this chain ever will; the
 *   other causes pass.
 * - `held`: as good as unknown. The node may not have them now, yet what stands in the way passes by itself.
 */
export type MessageMeaning = 'accepted' | 'nonce_too_low' | RefusalCause | 'held'

export type RefusalCause = 'fee' | 'funds' | 'replacement' | 'never'

export type NodeClient = 'anvil' | 'arbitrum' | 'besu' | 'bsc' | 'erigon' | 'geth' | 'monad' | 'nethermind' | 'reth'

/** A message of a node and what it means. */
export interface NodeMessage {
  readonly client: NodeClient
  /** The words by which the message is known, in lower case; they match as whole words, anywhere in the message. */
  readonly fragment: string
  readonly meaning: MessageMeaning
  /** A message as the client words it, where it says more than the fragment. */
  readonly example?: string
  /** Where the client's public source has it: repository and file. */
  readonly source: string
}

type Row = readonly [fragment: string, meaning: MessageMeaning, example?: string]

const rows = (client: NodeClient, source: string, messages: readonly Row[]): NodeMessage[] =>
  messages.map(([fragment, meaning, example]) => ({
    client,
    fragment,
    meaning,
    source,
    ...(example === undefined ? {} : { example }),
  }))

/**
 * Messages of the clients, each read in the client's source. Of the rows that match a message the one with the longest
 * fragment counts, so that the order says nothing. A message that is not here is unknown, which is always safe: the bytes
 * are assumed sent, keep their nonce, and are sent again.
 */
export const NODE_MESSAGES: readonly NodeMessage[] = [
  ...rows('anvil', 'foundry-rs/foundry crates/anvil/src/eth/error.rs', [
    ['transaction already imported', 'accepted'],
    ['nonce too low', 'nonce_too_low'],
    ['max fee per gas less than block base fee', 'fee'],
    ['insufficient funds for gas * price + value', 'funds', 'Insufficient funds for gas * price + value'],
    ['insufficient funds for transfer', 'funds'],
    ['replacement transaction underpriced', 'replacement'],
    ['intrinsic gas too low', 'never'],
    ['intrinsic gas too high', 'never', 'intrinsic gas too high -- CallerGasLimitMoreThanBlock'],
    ['transaction gas limit is greater than the block gas limit', 'never'],
    ['max initcode size exceeded', 'never'],
    ['max priority fee per gas higher than max fee per gas', 'never'],
    ['nonce too high', 'held', 'Nonce too high'],
  ]),
  ...rows('geth', 'ethereum/go-ethereum core/error.go', [
    ['nonce too low', 'nonce_too_low', 'nonce too low: next nonce 9, tx nonce 3'],
    ['max fee per gas less than block base fee', 'fee'],
    [
      'insufficient funds for gas * price + value',
      'funds',
      'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000',
    ],
    ['insufficient funds for transfer', 'funds'],
    ['intrinsic gas too low', 'never', 'intrinsic gas too low: gas 20000, minimum needed 21000'],
    ['max initcode size exceeded', 'never'],
    ['max priority fee per gas higher than max fee per gas', 'never'],
    ['nonce too high', 'held', 'nonce too high: tx nonce 9, gapped nonce 3'],
  ]),
  ...rows('geth', 'ethereum/go-ethereum core/txpool/errors.go', [
    ['already known', 'accepted'],
    ['transaction underpriced', 'fee'],
    ['replacement transaction underpriced', 'replacement'],
    ['exceeds block gas limit', 'never'],
    ['oversized data', 'never', 'oversized data: transaction size 200124, limit 131072'],
    ['account limit exceeded', 'held', 'account limit exceeded: pooled 16 txs'],
    ['future transaction tries to replace pending', 'held'],
    ['address already reserved', 'held'],
  ]),
  ...rows('geth', 'ethereum/go-ethereum core/txpool/legacypool/legacypool.go', [['txpool is full', 'held']]),
  ...rows('geth', 'go-ethereum in its fork to-nexus/go-cross core/txpool/errors.go', [
    [
      'transaction gas price below minimum',
      'fee',
      'transaction gas price below minimum: gas tip cap 0, minimum needed 1',
    ],
    ['in-flight transaction limit reached for delegated accounts', 'held'],
  ]),
  ...rows('geth', 'go-ethereum in its fork bnb-chain/bsc core/error.go', [
    [
      'insufficient gas for floor data gas cost',
      'never',
      'insufficient gas for floor data gas cost: gas 40000, minimum needed 61000',
    ],
    ['transaction gas limit too high', 'never', 'transaction gas limit too high (cap: 16777216, tx: 30000000)'],
  ]),
  // Says "underpriced" of bytes that it has moved elsewhere.
  ...rows('bsc', 'bnb-chain/bsc core/txpool/errors.go', [
    ['transaction underpriced, so it is either in pool2 or pool3', 'held'],
  ]),
  ...rows(
    'besu',
    'hyperledger/besu ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/response/RpcErrorType.java',
    [
      ['known transaction', 'accepted', 'Known transaction'],
      ['nonce too low', 'nonce_too_low', 'Nonce too low'],
      ['gas price below configured minimum gas price', 'fee', 'Gas price below configured minimum gas price'],
      ['gas price below current base fee', 'fee', 'Gas price below current base fee'],
      ['upfront cost exceeds account balance', 'funds', 'Upfront cost exceeds account balance'],
      ['replacement transaction underpriced', 'replacement', 'Replacement transaction underpriced'],
      ['intrinsic gas exceeds gas limit', 'never', 'Intrinsic gas exceeds gas limit'],
      ['transaction gas limit exceeds block gas limit', 'never', 'Transaction gas limit exceeds block gas limit'],
      ['max priority fee per gas exceeds max fee per gas', 'never', 'Max priority fee per gas exceeds max fee per gas'],
      ['nonce too high', 'held', 'Nonce too high'],
      [
        'transaction nonce is too distant from current sender nonce',
        'held',
        'Transaction nonce is too distant from current sender nonce',
      ],
      ['an invalid transaction with a lower nonce exists', 'held', 'An invalid transaction with a lower nonce exists'],
      ['transaction fee cap exceeded', 'held', 'Transaction fee cap exceeded'],
      [
        'sender account not authorized to send transactions',
        'held',
        'Sender account not authorized to send transactions',
      ],
      [
        'transaction pool not enabled',
        'held',
        'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).',
      ],
      ['initial sync is still in progress', 'held', 'Initial sync is still in progress'],
    ],
  ),
  ...rows('nethermind', 'NethermindEth/nethermind src/Nethermind/Nethermind.TxPool/TxPoolErrorMessages.cs', [
    ['already known', 'accepted'],
    ['nonce too low', 'nonce_too_low'],
    ['transaction underpriced', 'fee'],
    ['insufficient funds for gas * price + value', 'funds'],
    ['replacement transaction underpriced', 'replacement'],
    // In other clients the words mean a full block.
    ['gas limit reached', 'held'],
    ['transaction too large', 'never'],
    ['nonce too high', 'held'],
    ['nonce too far in future', 'held'],
    ['node is syncing', 'held'],
  ]),
  ...rows('nethermind', 'NethermindEth/nethermind src/Nethermind/Nethermind.TxPool/AcceptTxResult.cs (until 2025)', [
    ['alreadyknown', 'accepted', 'AlreadyKnown'],
    ['oldnonce', 'nonce_too_low', 'OldNonce'],
    ['feetoolow', 'fee', 'FeeTooLow'],
    ['feetoolowtocompete', 'fee', 'FeeTooLowToCompete'],
    ['insufficientfunds', 'funds', 'InsufficientFunds'],
    ['replacementnotallowed', 'replacement', 'ReplacementNotAllowed'],
    ['gaslimitexceeded', 'never', 'GasLimitExceeded'],
    ['noncegap', 'held', 'NonceGap'],
  ]),
  ...rows('nethermind', 'NethermindEth/nethermind src/Nethermind/Nethermind.Core/Messages/TxErrorMessages.cs', [
    ['intrinsic gas too low', 'never'],
    ['txgaslimitcapexceeded', 'never', 'TxGasLimitCapExceeded: Gas limit 30000000 exceeded cap of 16777216.'],
    ['max initcode size exceeded', 'never'],
  ]),
  ...rows('erigon', 'erigontech/erigon txnprovider/txpool/txpoolcfg/txpoolcfg.go', [
    ['already known', 'accepted', 'ALREADY_EXISTS: already known'],
    ['existing txn with same hash', 'accepted', 'ALREADY_EXISTS: existing txn with same hash'],
    ['nonce too low', 'nonce_too_low'],
    ['fee too low', 'fee'],
    ['insufficient funds', 'funds'],
    ['replacement transaction underpriced', 'replacement'],
    ['could not replace existing tx', 'replacement'],
    ['oversized data', 'never'],
    ['rlptoolong', 'never', 'RLPTooLong'],
    ['intrinsicgas', 'never', 'IntrinsicGas'],
    ['gas limit is too high', 'never'],
    ['initcode too large', 'never'],
    ['pending sub-pool is full', 'held'],
    ['basefee sub-pool is full', 'held', 'baseFee sub-pool is full'],
    ['queued sub-pool is full', 'held'],
    ['replaced by transaction with higher tip', 'held'],
    ['spammer', 'held'],
  ]),
  ...rows('arbitrum', 'OffchainLabs/nitro execution/gethexec/tx_pre_checker.go', [
    ['nonce too low', 'nonce_too_low', 'nonce too low: address 0xf39F…, tx: 3 state: 9'],
    [
      'max fee per gas less than block base fee',
      'fee',
      'max fee per gas less than block base fee: address 0xf39F…, maxFeePerGas: 1 baseFee: 2',
    ],
    [
      'insufficient funds for gas * price + value',
      'funds',
      'insufficient funds for gas * price + value: address 0xf39F… have 0 want 1',
    ],
    ['intrinsic gas too low', 'never'],
  ]),
  ...rows('arbitrum', 'OffchainLabs/nitro execution/gethexec/sequencer.go', [
    ['nonce too high', 'held', 'nonce too high: address 0xf39F…, tx: 9 state: 3'],
    ['sequencer temporarily not available', 'held'],
    ['currently not accepting transactions due to expected surplus being below threshold', 'held'],
    ['transaction sender is not on the whitelist', 'held'],
  ]),
  ...rows('reth', 'paradigmxyz/reth crates/rpc/rpc-eth-types/src/error/mod.rs', [
    ['already known', 'accepted'],
    ['nonce too low', 'nonce_too_low', 'nonce too low: next nonce 9, tx nonce 3'],
    ['transaction underpriced', 'fee'],
    ['max fee per gas less than block base fee', 'fee'],
    [
      'transaction priority fee below minimum required priority fee',
      'fee',
      'transaction priority fee below minimum required priority fee 1000000',
    ],
    [
      'insufficient funds for gas * price + value',
      'funds',
      'insufficient funds for gas * price + value: have 0 want 1',
    ],
    ['insufficient funds for transfer', 'funds'],
    ['replacement transaction underpriced', 'replacement'],
    ['exceeds block gas limit', 'never'],
    ['exceeds max transaction gas limit', 'never'],
    ['oversized data', 'never', 'oversized data: transaction size 200124, limit 131072'],
    ['intrinsic gas too low', 'never'],
    ['intrinsic gas too high', 'never'],
    ['gas limit too high', 'never'],
    ['max initcode size exceeded', 'never'],
    ['max priority fee per gas higher than max fee per gas', 'never'],
    ['nonce too high', 'held'],
    ['txpool is full', 'held'],
    [
      'exceeds the configured cap',
      'held',
      'tx fee (2000000000000000000 wei) exceeds the configured cap (1000000000000000000 wei)',
    ],
    ['address already reserved', 'held'],
  ]),
  ...rows('monad', 'category-labs/monad-bft monad-eth-txpool-types/src/lib.rs', [
    ['transaction nonce too low', 'nonce_too_low', 'Transaction nonce too low'],
    ['transaction fee too low', 'fee', 'Transaction fee too low'],
    ['signer had insufficient balance', 'funds', 'Signer had insufficient balance'],
    ['an existing transaction had higher priority', 'replacement', 'An existing transaction had higher priority'],
    ['gas limit too low', 'never', 'Gas limit too low'],
    ['exceeds transaction gas limit', 'never', 'Exceeds transaction gas limit'],
    ['encoded length limit exceeded', 'never', 'Encoded length limit exceeded'],
    ['init code size limit exceeded', 'never', 'Init code size limit exceeded'],
    ['max priority fee too high', 'never', 'Max priority fee too high'],
    ['a newer transaction had higher priority', 'held', 'A newer transaction had higher priority'],
    ['transaction pool is full', 'held', 'Transaction pool is full'],
    ['transaction pool is not ready', 'held', 'Transaction pool is not ready'],
  ]),
]

const byLength = [...NODE_MESSAGES].sort((a, b) => b.fragment.length - a.fragment.length)

/** What a message means by the table; null when no row matches. */
export function meaningOf(message: string): MessageMeaning | null {
  const text = message.toLowerCase()
  return byLength.find(({ fragment }) => hasWords(text, fragment))?.meaning ?? null
}

/** As whole words: "unknown transaction" is not "known transaction". */
function hasWords(text: string, words: string): boolean {
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + words.length])) return true
  }
  return false
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_-]/u.test(character)
