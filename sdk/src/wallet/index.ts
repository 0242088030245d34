// The entry of the package for wallets of viem: signatures, approvals, transactions that the venue built.
// biome-ignore-all lint/performance/noBarrelFile: a package's entry is what it exports
export { type Approval, approve, clearAllowance, setAllowance } from './approval.ts'
export { createPerpKey, type PerpKey, type PerpKeyOptions } from './perp-key.ts'
export { type Session, type SignInOptions, signIn } from './sign-in.ts'
export {
  addressOf,
  type Built,
  type MessageSigner,
  type OneClickConsent,
  Replaced,
  Reverted,
  type SendBuiltOptions,
  sendBuilt,
  signOneClick,
  signText,
  TransactionRefused,
  type WaitMinedOptions,
  type Wallet,
  waitMined,
} from './wallet.ts'
