import { parseAbi } from 'viem'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { relayRouterAbi } from '../../chain/abi/relay-router.ts'
import { revertsOf } from '../../chain/reverts.ts'
import type { Hex } from '../../chain/types.ts'
import { refusedByChain } from '../../delegation/would-revert.ts'
import type { AppError } from '../../lib/errors.ts'
import { REVERT_EXPLANATIONS } from './revert-explanations.ts'

/** What a quote refuses a transfer with (ERC-6093). */
const erc20Errors = parseAbi([
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
])

/** The contracts whose errors a call of this product may end with. */
export const REVERTING_ABIS = [instrumentAbi, gateAbi, relayRouterAbi, linkMarketAbi, erc20Errors] as const

export const perpReverts = revertsOf(REVERTING_ABIS, REVERT_EXPLANATIONS)

/** The refusal of what reverts at the head of the chain, by the revert's name, arguments and meaning: `would_revert`. */
export const wouldRevert = (data: Hex): AppError => refusedByChain(data, perpReverts.explain, 0)
