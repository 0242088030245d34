import type { Deployment, Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import { delegationReasons } from './reasons.ts'

/** The contracts through which a product acts for users. */
export interface OneClick {
  readonly chainId: number
  /** The product's OneClickRouter: it keeps the delegations, and calls the product as the user. */
  readonly router: Hex
  /** The OperatorPool, the delegatee that users sign for. */
  readonly pool: Hex
}

/** Every product's router has a name with this end in a deployment file. */
type RouterName = `${string}OneClickRouter`

/** One Click of a product. Throws `one_click_unavailable` when the deployment does not have it. */
export function oneClickOf(deployment: Deployment, routerName: RouterName): OneClick {
  const { chainId, contracts } = deployment
  const [router, pool] = [contracts[routerName], contracts.OperatorPool]
  if (router && pool) return { chainId, router, pool }
  const message = `the deployment of chain ${chainId} has no ${router ? 'OperatorPool' : routerName}`
  throw new AppError(delegationReasons.one_click_unavailable, message)
}

/** Every OneClickRouter of a deployment: none where the venue runs without One Click. */
export const oneClickRouters = ({ contracts }: Deployment): Hex[] =>
  Object.entries(contracts).flatMap(([name, address]) => (name.endsWith('OneClickRouter') ? [address] : []))
