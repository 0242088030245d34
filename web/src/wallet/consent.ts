import { walletWords } from '../strings.ts'

/** What either product asks the wallet to sign for One Click. */
interface Prepared {
  readonly signPayload: {
    readonly domain: { readonly chainId: number; readonly verifyingContract: string }
    readonly primaryType: string
    readonly message: { readonly user: string; readonly delegatee: string }
  }
  readonly delegatee: string
}

/** Whose delegation it has to be, and by which contract of the venue. */
interface Expected {
  readonly user: string
  readonly chainId: number | undefined
  readonly router: string | undefined
}

/** The wallet shows what it signs; the app checks before that it is nothing but this venue's delegation. Throws otherwise. */
export function checkConsent(
  { signPayload: { domain, primaryType, message }, delegatee }: Prepared,
  { user, chainId, router }: Expected,
): void {
  const same = (a: string, b: string | undefined) => b !== undefined && a.toLowerCase() === b.toLowerCase()
  const right =
    primaryType === 'Delegate' &&
    domain.chainId === chainId &&
    same(domain.verifyingContract, router) &&
    same(message.user, user) &&
    same(message.delegatee, delegatee)
  if (!right) throw new Error(walletWords.consentWrong)
}
