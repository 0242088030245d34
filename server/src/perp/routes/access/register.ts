import type { Auth } from '../../../auth/auth.ts'
import type { Route } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { postAccountDeposit } from './account-deposit.ts'
import { postAccountWithdraw } from './account-withdraw.ts'
import { postApiKeyCreate } from './api-key-create.ts'
import { postApiKeyDelete } from './api-key-delete.ts'
import { getApiKeys } from './api-key-list.ts'
import { postApiKeyUpdate } from './api-key-update.ts'
import { postApprovePrepare } from './approve-prepare.ts'
import { postApproveSubmit } from './approve-submit.ts'
import { perpOneClickRoutes } from './one-click.ts'
import { getWalletBalance } from './wallet-balance.ts'

/** API keys, One Click, approvals and the account's money (perp-api 2A.0). */
export function accessRoutes(
  context: PerpContext,
  auth: Pick<Auth, 'masterKeys' | 'keys'>,
  sessionMs: number,
): readonly Route[] {
  const keys = { ...context, auth, sessionMs }
  return [
    postApiKeyCreate(keys),
    getApiKeys(keys),
    postApiKeyUpdate(keys),
    postApiKeyDelete(keys),
    ...perpOneClickRoutes(context),
    postApprovePrepare(context),
    postApproveSubmit(context),
    postAccountDeposit(context),
    postAccountWithdraw(context),
    getWalletBalance(context, 'trader'),
    getWalletBalance(context, 'mm'),
  ]
}
